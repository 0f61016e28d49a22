//! Whatever a model writes, it is shown safely and within limits.

use crate::harness::{Workplace, python, reply, scripted};

#[test]
fn escape_sequences_do_not_reach_the_terminal() {
    let lines = [
        reply("```python\n\u{1b}[2J\u{1b}]0;pwned\u{7}\u{9b}1m\u{202e}forged\n```"),
        reply("nothing"),
    ];
    let server = scripted(&[&lines[0], &lines[1]]);
    let place = Workplace::new();
    let finished = place.run(
        &server,
        &["--max-turns", "3", "--model", "m\u{1b}[31m\nrecord  /forged"],
    );
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let acts = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!finished.stdout.contains(acts), "{:?}", finished.stdout);
    assert_eq!(
        finished
            .stdout
            .lines()
            .filter(|line| line.starts_with("record "))
            .count(),
        1
    );
}

#[test]
fn feedback_stays_short_however_much_a_reply_does() {
    let blocks = [
        "left_click(990, 500)\nfor i in range(100): type(str(i) + 'x' * 9000)",
        "for i in range(400): scroll(i)",
        "for i in range(400): left_click(5000 + i, 5000)",
    ];
    let server = python(&blocks);
    let place = Workplace::new();
    place.run(&server, &["--max-turns", "4", "--set", "protocol.tools.scroll=true"]);
    for turn in place.turns() {
        assert!(
            turn.feedback.len() < 4000,
            "{} bytes: {:.300}",
            turn.feedback.len(),
            turn.feedback
        );
    }
    assert!(
        place.turns()[1].feedback.contains("more of this kind"),
        "{}",
        place.turns()[1].feedback
    );
}

/// A run continues even if its output cannot be written.
#[test]
#[cfg(target_os = "linux")]
fn a_run_outlives_its_terminal() {
    let server = python(&["left_click(1, 2)"]);
    let place = Workplace::new();
    let url = crate::harness::url(&server);
    let arguments = [
        "run",
        "--run-dir",
        "run",
        "--upstream",
        &url,
        "--max-turns",
        "3",
        "--set",
        "loop.executing_delay_s=0",
    ];
    for more in [&[][..], &["--json"][..]] {
        let mut command = place.franz(&arguments);
        command.args(more);
        for stream in [true, false] {
            let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
            if stream {
                command.stdout(full)
            } else {
                command.stderr(full)
            };
        }
        assert_eq!(command.status().unwrap().code(), Some(0));
        assert_eq!(place.turns().len(), 3);
        std::fs::remove_dir_all(place.file("")).unwrap();
    }
    let mut command = place.franz(&["run", "--set", "nonsense=1"]);
    command.stderr(std::fs::File::options().write(true).open("/dev/full").unwrap());
    assert_eq!(command.status().unwrap().code(), Some(2));
}
