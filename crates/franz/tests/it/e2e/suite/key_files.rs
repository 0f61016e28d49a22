//! Keys that come as files, as on the nodes of a cluster.

use std::fs;

use franz_suite::RecordedOutcome;

use super::bench::{Bench, drawer};
use super::holds;
use crate::harness::{spawn, url};

const KEY: &str = "secret-key-of-a-node";

/// Looks for the key in every environment that it can read.
const LOOKS: &str = "[ -z \"$FRANZ_API_KEY$OUR_KEY$OUR_KEY_FILE\" ] || exit 4\n\
                     case $(cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n') in *secret-key-of*) exit 5;; esac\nexit 0\n";

#[test]
fn a_key_in_a_file_reaches_its_server_and_stands_in_no_result() {
    for is_isolated in [true, false] {
        // Without a sandbox, a check can read the environment of everything that this user runs.
        let bench = Bench::new(&[("looks", if is_isolated { LOOKS } else { "exit 0" })]);
        let server = drawer();
        let models = format!(
            "[[model]]\nname = \"demo\"\nupstream = {:?}\nkey_env = \"OUR_KEY\"\n",
            url(&server)
        );
        fs::write(bench.place.path("models.toml"), models).unwrap();
        fs::write(bench.place.path("key"), format!("{KEY}\n")).unwrap();
        let plan = ["plan", "suite", "--models-from", "models.toml", "--profiles", "draw"];
        let planned = bench.franz(&[&plan[..], &["--repeat", "1", "-o", "results"]].concat());
        assert_eq!(planned.code, Some(0), "{}", planned.stderr);
        let digest = bench.digest();
        let shard = [
            "suite", "shard", "results", "--index", "0", "--of", "1", "--keep", "all",
        ];
        let mut shard = bench.place.program(&[&shard[..], &["--digest", &digest]].concat());
        shard.env("OUR_KEY_FILE", bench.place.path("key"));
        if !is_isolated {
            shard.env("PATH", bench.place.without_bubblewrap());
        }
        let ran = spawn(shard).finish();
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        let result = &bench.results()["looks"];
        assert_eq!(result.outcome, RecordedOutcome::Solved, "{}", result.why);
        let sent = server.requests().pop().unwrap();
        let key = sent.headers.get("authorization").unwrap().to_str().unwrap();
        assert_eq!(key, format!("Bearer {KEY}"));
        assert!(
            !holds(&bench.place.path("results"), KEY.as_bytes()),
            "a key is in the results"
        );
    }
}
