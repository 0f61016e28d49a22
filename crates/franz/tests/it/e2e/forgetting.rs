//! `franz models --forget` removes all of FRANZ's findings about models, whatever has happened to the files.

use std::fs;

use crate::harness::{Workplace, reply, scripted, spawn, url};

const NAME: &str = "0123456789abcdef0123456789abcdef.toml";

fn forget(place: &Workplace, more: &[&str]) -> String {
    let finished = spawn(place.program(&[&["models", "--forget"], more].concat())).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    finished.stdout
}

#[test]
fn a_file_that_cannot_be_read_goes_only_when_everything_is_forgotten() {
    let place = Workplace::new();
    let folder = place.path("state/franz/models");
    fs::create_dir_all(&folder).unwrap();
    let whole = "server = \"http://127.0.0.1:1\"\nmodel = \"m\"\n";
    let (readable, broken) = (format!("f{}", &NAME[1..]), format!("{NAME}.broken"));
    let foreign = [
        "notes.toml",
        "0123.toml",
        "0123456789ABCDEF0123456789ABCDEF.toml",
        "x.broken",
    ];
    let ours = [(NAME, "colour = [["), (&broken, "\u{0}\u{1}"), (&readable, whole)];
    for (name, text) in ours.into_iter().chain(foreign.map(|name| (name, whole))) {
        fs::write(folder.join(name), text).unwrap();
    }
    fs::create_dir(folder.join("e0123456789abcdef0123456789abcde.toml")).unwrap();

    for narrow in [&["--model", "other"][..], &["--upstream", "http://127.0.0.1:2"]] {
        assert_eq!(forget(&place, narrow), "FRANZ remembers nothing about such a model\n");
    }
    assert_eq!(forget(&place, &["--model", "m"]), "forgot m on http://127.0.0.1:1\n");
    let told = forget(&place, &[]);
    for name in [NAME, &broken] {
        let line = format!("forgot {}, which could not be read", folder.join(name).display());
        assert!(told.lines().any(|known| known == line), "{told}");
        assert!(!folder.join(name).exists());
    }
    assert_eq!(told.lines().count(), 2, "{told}");
    for name in foreign {
        assert!(folder.join(name).exists(), "{name} is not FRANZ's");
    }
    assert_eq!(forget(&place, &[]), "FRANZ remembers nothing about such a model\n");
}

#[test]
fn what_a_server_needs_is_said_in_the_first_lines_and_by_doctor_until_it_is_forgotten() {
    let refusal =
        r#"{"status": 400, "json": {"error": {"message": "Conversation roles must alternate user/assistant"}}}"#;
    let server = scripted(&[refusal, &reply("I look.")]);
    let place = Workplace::new();
    let learned = place.run(&server, &["--max-turns", "2"]);
    assert_eq!(learned.code, Some(0), "{}", learned.stderr);
    assert!(
        learned
            .stdout
            .contains("FRANZ remembers it for this model on this server"),
        "{}",
        learned.stdout
    );

    let needs = "this model needs memory.shape = \"merged\" on this server (franz models --forget clears it)";
    let address = url(&server);
    let again = |name: &str| {
        let finished =
            spawn(place.franz(&["run", "--run-dir", name, "--upstream", &address, "--max-turns", "1"])).finish();
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        finished.stdout
    };
    let said = again("second");
    let before_first_turn = said.split("turn 1 ").next().unwrap();
    assert!(before_first_turn.contains(needs), "{said}");
    let doctor = spawn(place.program(&["doctor", "--upstream", &address])).finish();
    assert!(doctor.stdout.contains(needs), "{}", doctor.stdout);

    forget(&place, &[]);
    assert!(!again("third").contains(needs));
}
