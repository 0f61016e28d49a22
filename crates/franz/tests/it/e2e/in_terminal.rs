//! A run as a person sees it in a terminal, with one block at the bottom that follows the run, and important messages
//! above it.

use std::net::TcpStream;
use std::num::NonZero;
use std::time::{Duration, Instant};

use crate::harness::{Workplace, python, reply, scripted, url, wait_until};
use crate::puppet::Puppet;
use crate::terminal::Terminal;

const WORDS: &str = "I \u{1b}[2Jrest now.";

#[test]
fn a_run_is_one_block_above_which_only_what_matters_stays() {
    let place = Workplace::new();
    let server = scripted(&[
        &reply("```python\ndrag(1, 2, 3, 4)\n```"),
        &reply("```python\ndrag(1, 2, 3)\n```"),
        &reply(WORDS),
    ]);
    let program = place.program(&[
        "run",
        "--upstream",
        &url(&server),
        "--no-open",
        "--step",
        "--max-turns",
        "3",
    ]);
    let mut terminal = Terminal::run(&place, &program);
    terminal.shows("mode    executing, looks right after acting");
    terminal.shows("turn 1    paused");
    terminal.shows("Enter: continue   s: run one turn");
    terminal.types("s");
    terminal.shows("turn 2    paused");
    terminal.types("s");
    terminal.shows("turn 3    paused");
    terminal.types("");
    terminal.shows("press Ctrl+C to exit");
    let screen = terminal.screen();
    let (_, end) = screen.split_once("turn 3    continues\n").unwrap();
    let (end, _) = end.split_once("franz: the dashboard stays open at http://").unwrap();
    let lines: Vec<&str> = end.trim_end().lines().collect();
    assert!(lines.len() == 7 && lines[2].starts_with("tokens  "), "{screen}");
    assert_eq!(lines[0], "last words:");
    assert_eq!(lines[3], "ended: the last requested turn is done");
    for (line, beginning) in lines[4..].iter().zip([
        "picture runs/run_",
        "replay  franz replay runs/run_",
        "resume  franz run --resume runs/run_",
    ]) {
        assert!(line.starts_with(beginning), "{screen}");
    }
    let written = terminal.written();
    for followed in [
        "OK: 1 action executed.",
        "drag() missing 1 required",
        "used",
        "\u{1b}[2m",
        "  I \u{fffd}[2Jrest now.",
    ] {
        assert!(written.contains(followed), "{followed}: {written}");
    }
    assert!(!written.contains("\u{1b}[2J"), "{written}");
    let (_, link) = written.split_once("look    ").unwrap();
    let address = link.trim_start_matches("http://").split('/').next().unwrap();
    assert!(TcpStream::connect(address).is_ok(), "{address}");
    terminal.interrupts();
    assert_eq!(terminal.end(), Some(0), "{}", terminal.written());
}

#[test]
fn a_run_that_is_told_to_exit_does_not_keep_its_dashboard_open() {
    for (flags, screen) in [(&["--exit"][..], "ended: "), (&["--json"], "run_ended")] {
        let place = Workplace::new();
        let server = scripted(&[&reply(WORDS)]);
        let mut program = place.program(&["run", "--upstream", &url(&server), "--no-open", "--max-turns", "1"]);
        program.args(flags);
        let mut terminal = Terminal::run(&place, &program);
        assert_eq!(terminal.end(), Some(0), "{}", terminal.written());
        assert!(terminal.written().contains(screen), "{}", terminal.written());
        assert!(!terminal.written().contains("Ctrl+C to exit"), "{}", terminal.written());
    }
}

#[test]
fn a_block_fits_the_width_and_has_no_colour_for_those_who_want_none() {
    let place = Workplace::new();
    let server = scripted(&[&reply(&"many words ".repeat(40))]);
    let mut program = place.program(&[
        "run",
        "--upstream",
        &url(&server),
        "--no-open",
        "--set",
        "loop.executing_delay_s=60",
    ]);
    program.env("NO_COLOR", "1");
    let terminal = Terminal::run(&place, &program);
    terminal.shows("  writes  ");
    terminal.shows("  used ");
    // Until it is whole: each look can be in the middle of a redraw.
    wait_until("the block", || {
        let screen = terminal.screen();
        let mut block = screen.trim_end().lines().skip_while(|line| !line.starts_with("  did"));
        let (_, writes, used) = (block.next()?, block.next()?, block.next()?);
        let is_written = writes.starts_with("  writes  ") && writes.contains("many words");
        (is_written && used.starts_with("  used ") && block.next().is_none()).then_some(())
    });
    assert!(!terminal.written().contains("\u{1b}[2m"), "{}", terminal.screen());
}

#[test]
fn a_terminal_that_cannot_move_its_cursor_shows_plain_lines() {
    for show in ["state", "turns", "reply"] {
        let place = Workplace::new();
        let server = scripted(&[&reply(WORDS)]);
        let mut program = place.franz(&["run", "--upstream", &url(&server), "--exit", "--max-turns", "1"]);
        program.args(["--show", show]).env("TERM", "dumb");
        let mut terminal = Terminal::run(&place, &program);
        let code = terminal.end();
        let written = terminal.written();
        assert_eq!(code, Some(0), "{written}");
        assert!(
            written.contains("ended: ") && !written.contains('\u{1b}'),
            "{show}: {written}"
        );
    }
}

#[test]
fn one_line_counts_the_seconds_in_a_narrow_terminal() {
    let (place, mut server) = (Workplace::new(), Puppet::new());
    let program = place.franz(&["run", "--upstream", &server.url(), "--show", "turns"]);
    let terminal = Terminal::of_width(NonZero::new(30).unwrap(), &place, &program);
    server.asked();
    let counted = "turn 1: the model";
    wait_until("some counts", || {
        (terminal.written().matches(counted).count() >= 4).then_some(())
    });
    // A second line would stay, but none is there in the middle of a redraw.
    wait_until("the line", || {
        let screen = terminal.screen();
        let lines = screen.matches(counted).count();
        assert!(lines <= 1, "{screen}");
        (lines == 1).then_some(())
    });
}

#[test]
fn what_waits_is_decided_in_the_terminal() {
    let place = Workplace::new();
    let server = python(&["drag(1, 2, 3, 4)\ndrag(5, 6, 7, 8)", "drag(9, 9, 8, 8)", ""]);
    let program = place.program(&[
        "run",
        "--upstream",
        &url(&server),
        "--no-open",
        "--exit",
        "--gate",
        "ask",
        "--max-turns",
        "3",
    ]);
    let mut terminal = Terminal::run(&place, &program);
    for (action, decision) in [
        ("drag(1, 2, 3, 4)", "y"),
        ("drag(5, 6, 7, 8)", "n not there"),
        ("drag(9, 9, 8, 8)", "e drag(9, 9, 7, 7)"),
    ] {
        terminal.shows(&format!("waits for you: {action}"));
        terminal.types(decision);
    }
    assert_eq!(terminal.end(), Some(0), "{}", terminal.written());
    let requests = server.requests();
    let told = |turn: usize| String::from_utf8_lossy(&requests[turn].body).into_owned();
    assert!(told(1).contains("not there"), "{}", told(1));
    assert!(told(2).contains("drag(9, 9, 7, 7)"), "{}", told(2));
}

#[test]
fn a_line_typed_before_the_question_does_not_answer_it() {
    let (place, mut model) = (Workplace::new(), Puppet::new());
    let program = place.program(&[
        "run",
        "--upstream",
        &model.url(),
        "--no-open",
        "--exit",
        "--gate",
        "ask",
        "--max-turns",
        "2",
    ]);
    let mut terminal = Terminal::run(&place, &program);
    model.asked();
    terminal.types_ahead("yes please");
    model.reply("```python\ndrag(1, 2, 3, 4)\n```");
    terminal.shows("ignored; type it again");
    terminal.shows("waits for you: drag(1, 2, 3, 4)");
    terminal.types("n not there");
    terminal.shows("refused in the terminal");
    let told = String::from_utf8(model.asked()).unwrap();
    assert!(told.contains("not there"), "{told}");
    model.reply(WORDS);
    assert_eq!(terminal.end(), Some(0), "{}", terminal.written());
}

#[test]
fn a_line_that_is_read_long_after_the_question_does_not_answer_it_if_it_was_typed_before() {
    let (place, mut model) = (Workplace::new(), Puppet::new());
    let program = place.program(&[
        "run",
        "--upstream",
        &model.url(),
        "--no-open",
        "--exit",
        "--gate",
        "ask",
        "--max-turns",
        "2",
    ]);
    let mut terminal = Terminal::in_background(&place, &program);
    model.asked();
    terminal.types_ahead("yes please");
    model.reply("```python\ndrag(1, 2, 3, 4)\n```");
    terminal.shows("waits for you: drag(1, 2, 3, 4)");
    // By its time alone, a line that is read now would no longer come too soon.
    let shown = Instant::now();
    wait_until("a second after the question", || {
        (shown.elapsed() > Duration::from_secs(1)).then_some(())
    });
    terminal.brings_to_front();
    terminal.shows("ignored; type it again");
    terminal.types("n not there");
    terminal.shows("refused in the terminal");
    let told = String::from_utf8(model.asked()).unwrap();
    assert!(told.contains("not there"), "{told}");
    model.reply(WORDS);
    assert_eq!(terminal.end(), Some(0), "{}", terminal.written());
}

#[test]
fn enter_tries_a_server_again_that_asked_to_wait() {
    for panel in ["--no-open", "--no-panel"] {
        let (place, mut model) = (Workplace::new(), Puppet::new());
        let program = place.program(&["run", "--upstream", &model.url(), panel, "--exit", "--max-turns", "1"]);
        let mut terminal = Terminal::run(&place, &program);
        model.asked();
        model.is_busy();
        terminal.shows("turn 1    no reply yet: ");
        terminal.shows("(Enter: now)");
        let began = Instant::now();
        terminal.types("");
        model.asked();
        // FRANZ would wait for a minute.
        assert!(began.elapsed() < Duration::from_secs(50), "{}", terminal.written());
        model.reply(WORDS);
        assert_eq!(terminal.end(), Some(0), "{}", terminal.written());
    }
}

#[test]
fn the_rest_of_a_reply_is_approved_and_another_reply_is_written_in_the_terminal() {
    let place = Workplace::new();
    let server = python(&["drag(1, 2, 3, 4)\ndrag(5, 6, 7, 8)", "drag(9, 9, 8, 8)", ""]);
    let program = place.program(&[
        "run",
        "--upstream",
        &url(&server),
        "--no-open",
        "--exit",
        "--run-dir",
        "run",
        "--gate",
        "ask",
        "--max-turns",
        "4",
    ]);
    let mut terminal = Terminal::run(&place, &program);
    terminal.shows("waits for you: drag(1, 2, 3, 4)");
    terminal.types("a");
    terminal.shows("waits for you: drag(9, 9, 8, 8)");
    terminal.types("r I rest now.");
    assert_eq!(terminal.end(), Some(0), "{}", terminal.written());
    let written = terminal.written();
    assert!(!written.contains("waits for you: drag(5, 6, 7, 8)"), "{written}");
    let turns = place.turns();
    let done: Vec<&str> = turns
        .iter()
        .flat_map(|turn| &turn.acted)
        .filter(|acted| acted.outcome.is_done())
        .map(|acted| acted.action.as_str())
        .collect();
    assert_eq!(done, ["drag(1, 2, 3, 4)", "drag(5, 6, 7, 8)"], "{written}");
    let replies: Vec<String> = turns
        .iter()
        .filter_map(|turn| Some(turn.reply.as_ref()?.text()))
        .collect();
    assert!(replies.iter().any(|reply| reply == "I rest now."), "{replies:?}");
}
