//! Describes events to people.

use std::borrow::Cow;
use std::path::Path;

use franz_action::outcome::{Outcome, words};
use franz_home::shell;
use franz_json::Story;
use franz_record::{Acted, Event, Exit, PersonQuestion, RunStarted, Status, Tokens, TurnLine};

use crate::quantity;

/// How many characters of a goal to show in the first lines.
const GOAL: usize = 100;

/// How many lines of a model's last words to show.
const LAST_WORDS: usize = 6;

/// Says why a turn has no reply yet.
pub(super) fn failure(turn: u64, error: &str) -> Vec<String> {
    vec![format!("turn {turn:<4} no reply yet: {error}")]
}

/// Returns the lines that tell a person about an event; none for events too small to mention.
pub(super) fn told(event: &Event) -> Vec<String> {
    vec![match event {
        Event::RunStarted(run) => return started(run, true),
        Event::Retry {
            turn,
            attempt,
            error,
            since,
            wait_s,
        } => format!(
            "turn {turn:<4} attempt {attempt} failed: {error}; waiting since {}, next try in {wait_s:.1} s",
            time_of_day(since)
        ),
        Event::TurnDone(line) => turn(line),
        Event::Answered { text, success, .. } => return answer(text, *success),
        Event::Paused { turn, why: None } => format!("turn {turn:<4} paused"),
        Event::Paused { turn, why: Some(why) } => format!("turn {turn:<4} paused: {why}"),
        Event::TakenOver { turn } => format!("turn {turn:<4} you have the screen; give it back in the dashboard"),
        Event::GivenBack { turn, did } => format!("turn {turn:<4} message to the model: {did}"),
        Event::Resumed { turn } => format!("turn {turn:<4} continues"),
        Event::Waiting(question) => return waiting(question),
        Event::Decided {
            turn,
            decided: Some(decided),
            ..
        } => format!("turn {turn:<4} {}", decided.words()),
        Event::Decided {
            turn, decided: None, ..
        } => format!("turn {turn:<4} nobody decided"),
        Event::Notice { text } => format!("note: {text}"),
        Event::RunEnded {
            reason,
            exit_code,
            tokens,
        } => return ended(reason, *exit_code, tokens),
        Event::Acting { .. }
        | Event::Live(_)
        | Event::Writing(_)
        | Event::Acted { .. }
        | Event::Captured { .. }
        | Event::Asking { .. }
        | Event::Shown(_) => return Vec::new(),
    }]
}

/// Returns a description of the waiting action or question, and how to decide about it in a terminal.
fn waiting(question: &PersonQuestion) -> Vec<String> {
    let PersonQuestion { turn, action, why, .. } = question;
    if let Some(asked) = &question.question {
        return vec![
            format!("turn {turn:<4} the model asks you: {asked}"),
            "          type your answer here, or give it in the dashboard".to_owned(),
        ];
    }
    vec![
        format!("turn {turn:<4} waits for you: {action} ({why})"),
        "          y: do it   a: do all of this reply   n REASON: refuse   e CALL: do that instead   r REPLY: reply yourself".to_owned(),
    ]
}

/// Describes a run that begins, and how to stop it.
pub(super) fn started(run: &RunStarted, is_resumable: bool) -> Vec<String> {
    let RunStarted {
        name,
        run_dir,
        profile,
        upstream,
        model,
        screen,
        goal,
        pace,
        dashboard,
        turn,
        ..
    } = run;
    let begun = match turn {
        1 => format!("profile {profile}"),
        turn => format!("{name} continues at turn {turn}"),
    };
    let mut lines = vec![
        format!("FRANZ {}, {begun}", env!("CARGO_PKG_VERSION")),
        format!("model   {model} at {upstream}"),
        format!("screen  {screen}"),
    ];
    if !goal.is_empty() {
        lines.push(format!("goal    {}", first_line(goal)));
    }
    if !pace.is_empty() {
        lines.push(format!("mode    {pace}"));
    }
    lines.extend(dashboard.iter().map(|link| format!("look    {link}")));
    lines.push(format!("record  {run_dir}"));
    let later = || {
        format!(
            " (continue later with: franz run --resume {})",
            shell::path(Path::new(run_dir))
        )
    };
    let later = is_resumable.then(later).unwrap_or_default();
    lines.push(format!("stop    Ctrl+C{later}"));
    lines
}

/// Returns a goal's first line, shortened. That is enough to recognise a goal, which can be a page long.
fn first_line(goal: &str) -> Cow<'_, str> {
    let goal = goal.trim();
    let line = goal.lines().next().unwrap_or_default();
    let shown = line.char_indices().nth(GOAL).map_or(line, |(end, _)| {
        let words = line[..end].rsplit_once(' ');
        words.map_or(&line[..end], |(whole, _)| whole)
    });
    if shown.len() == goal.len() {
        Cow::Borrowed(shown)
    } else {
        Cow::Owned(format!("{} ...", shown.trim_end()))
    }
}

/// Returns a moment's local time of day.
fn time_of_day(moment: &str) -> String {
    let moment = moment.parse::<jiff::Timestamp>().ok();
    let local = moment.map(|moment| moment.to_zoned(jiff::tz::TimeZone::system()));
    local.map_or_else(String::new, |local| local.strftime("%H:%M:%S").to_string())
}

/// Describes a turn in one line.
pub(crate) fn turn(line: &TurnLine) -> String {
    let seconds = line.ms.model.get() / 1000.0;
    let what = match line.status {
        Status::Ok => done(&line.acted, &line.feedback, line.turn),
        Status::Failed => format!("failed: {}", line.errors.last().map_or("no reply", String::as_str)),
    };
    let mode = line.mode.as_ref().map(|mode| format!("{mode}: ")).unwrap_or_default();
    let tokens = Tokens::of(line);
    let used = if tokens.total > 0 {
        format!("  [{}]", tokens.words())
    } else {
        String::new()
    };
    format!("turn {:<4} {seconds:>6.1} s  {mode}{what}{used}", line.turn)
}

/// Describes a turn in full: the request, the actions performed, and the reply.
pub(super) fn whole_turn(line: &TurnLine, last_reply: Option<&Story>) -> Vec<String> {
    let story = line.story.resolve(last_reply).map(Story::text).unwrap_or_default();
    let did: Vec<String> = line.acted.iter().map(with_outcome).collect();
    let parts = [
        ("story", story),
        ("goal", line.goal.clone().unwrap_or_default()),
        ("did", did.join("\n")),
        ("reply", line.reply.as_ref().map(Story::text).unwrap_or_default()),
        (
            "calls",
            line.tool_calls
                .as_ref()
                .map(|calls| calls.get().to_owned())
                .unwrap_or_default(),
        ),
    ];
    let parts = parts.iter().flat_map(|(name, text)| {
        let names = std::iter::once(*name).chain(std::iter::repeat(""));
        names.zip(text.lines()).map(|(name, line)| format!("  {name:<6}{line}"))
    });
    std::iter::once(turn(line)).chain(parts).collect()
}

/// Describes the performed actions. Feedback that is written for people is the best description.
pub(crate) fn done(acted: &[Acted], feedback: &str, turn: u64) -> String {
    match acted {
        // In the first turn, the feedback only tells the model how to write, which is not an error.
        [] if turn == 1 => "nothing to act on yet".to_owned(),
        [] => gist(feedback).to_owned(),
        _ if feedback.starts_with("OK: ") || feedback.contains("Error: ") => gist(feedback).to_owned(),
        [only] => with_outcome(only),
        many => counted(many),
    }
}

fn with_outcome(acted: &Acted) -> String {
    let (action, outcome) = (&acted.action, acted.outcome.words());
    match acted.outcome.why() {
        Some(why) => format!("{action} -> {outcome}: {why}"),
        None => format!("{action} -> {outcome}"),
    }
}

/// Counts the outcomes, for example `5 done, 1 malformed`.
fn counted(acted: &[Acted]) -> String {
    let count = |name| acted.iter().filter(|acted| acted.outcome.name() == name).count();
    let counts = Outcome::NAMES
        .into_iter()
        .map(|name| (count(name), name))
        .filter(|(count, _)| *count > 0);
    counts
        .map(|(count, name)| format!("{count} {}", words(name)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Describes how the run ended. If it ended with an error, leaves the error to stderr, where people look for errors.
fn ended(reason: &str, exit_code: u8, tokens: &Tokens) -> Vec<String> {
    let total = tokens.total;
    let used = (total > 0).then(|| format!("tokens  {total} in all ({})", tokens.words()));
    let ended = Exit::of(i32::from(exit_code))
        .is_some_and(Exit::is_in_order)
        .then(|| format!("ended: {reason}"));
    used.into_iter().chain(ended).collect()
}

/// Says where the last picture of a run that has ended is, and how to view and continue the run.
pub(super) fn left(run_dir: &str, picture: Option<&str>, is_resumable: bool) -> Vec<String> {
    let run = shell::path(Path::new(run_dir));
    let picture = picture.map(|file| format!("picture {}", Path::new(run_dir).join(file).display()));
    let replay = format!("replay  franz replay {run}");
    let resume = is_resumable.then(|| format!("resume  franz run --resume {run}"));
    picture.into_iter().chain([replay]).chain(resume).collect()
}

/// Returns the final answer, with the line breaks that the model wrote.
fn answer(text: &str, success: bool) -> Vec<String> {
    let title = if success {
        "answer:"
    } else {
        "the model reports failure:"
    };
    std::iter::once(title.to_owned())
        .chain(text.lines().map(|line| format!("  {line}")))
        .collect()
}

/// Returns the model's last words, which describe the end of a run without an answer. Models write their plans at the
/// end of their stories.
pub(super) fn last_words(reply: &Story) -> Vec<String> {
    let text = reply.text();
    let lines = outside_code(&text);
    if lines.is_empty() {
        return Vec::new();
    }
    let before = lines.len().saturating_sub(LAST_WORDS);
    let left_out = (before > 0).then(|| format!("  ... {} before", quantity::counted(before, "line")));
    let shown = lines.iter().skip(before).map(|line| format!("  {line}"));
    std::iter::once("last words:".to_owned())
        .chain(left_out)
        .chain(shown)
        .collect()
}

/// Returns the lines outside of code blocks that are not blank.
fn outside_code(text: &str) -> Vec<&str> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let fence = line.trim().strip_prefix("```");
        match fence.map(|rest| rest.trim_start_matches('`')) {
            // A whole block on one line opens none.
            Some(rest) if rest.ends_with("```") => {}
            Some(rest) if !rest.contains("```") => is_code = !is_code,
            Some(_) | None if is_code || line.trim().is_empty() => {}
            Some(_) | None => lines.push(line),
        }
    }
    lines
}

/// Returns the most informative line of the feedback: the first one that is neither indented, as the model's own lines
/// are, nor an instruction to the model.
fn gist(feedback: &str) -> &str {
    let standing = ["Current mode: ", "YOUR GOAL NOW: ", "EXECUTOR_FEEDBACK:"];
    let mut lines = feedback
        .lines()
        .filter(|line| !line.trim().is_empty() && !standing.iter().any(|start| line.starts_with(start)));
    let first = feedback.lines().next().unwrap_or("no actions").trim();
    lines.find(|line| !line.starts_with(' ')).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_turn_is_no_error() {
        let told = |number, feedback: &str| {
            turn(&TurnLine {
                feedback: feedback.to_owned(),
                ..TurnLine::new(number, "2026-01-01T00:00:00Z")
            })
        };
        let how_to_write = "SyntaxError: no block found";
        assert_eq!(told(1, how_to_write), "turn 1       0.0 s  nothing to act on yet");
        assert_eq!(told(2, how_to_write), format!("turn 2       0.0 s  {how_to_write}"));
    }

    #[test]
    fn the_last_words_are_the_end_of_the_story_without_code() {
        for (reply, shown) in [
            ("first\n\n  second", &["first", "  second"][..]),
            ("story\n```python\ndrag(1, 2, 3, 4)\n```\nend", &["story", "end"]),
            ("story\n```python\nan unfinished block", &["story"]),
            ("```WAIT```\nI could not log in.", &["I could not log in."]),
            ("```FAIL``` I could not log in.", &["```FAIL``` I could not log in."]),
            ("````\n```WAIT```\ncode\n````\nend", &["end"]),
            (
                "1\n2\n3\n4\n5\n6\n7",
                &["... 1 line before", "2", "3", "4", "5", "6", "7"],
            ),
            (
                "1\n2\n3\n4\n5\n6\n7\nNEXT STEP:\n```\ndone()\n```\n",
                &["... 2 lines before", "3", "4", "5", "6", "7", "NEXT STEP:"],
            ),
        ] {
            let story = Story::from_raw(&franz_json::literal::of_text(reply)).unwrap();
            let shown = shown.iter().map(|line| format!("  {line}"));
            let expected: Vec<String> = std::iter::once("last words:".to_owned()).chain(shown).collect();
            assert_eq!(last_words(&story), expected, "{reply}");
        }
        let only_code = Story::from_raw(&franz_json::literal::of_text("```\ndone()\n```")).unwrap();
        assert!(last_words(&only_code).is_empty());
    }

    #[test]
    fn a_run_that_continues_says_where() {
        let first = |turn| {
            let run = RunStarted {
                name: "run_a".to_owned(),
                run_dir: "runs/run_a".to_owned(),
                profile: "draw".to_owned(),
                upstream: "http://h:1".to_owned(),
                model: "m".to_owned(),
                screen: "canvas".to_owned(),
                goal: String::new(),
                pace: String::new(),
                turn,
                private: false,
                dashboard: None,
            };
            started(&run, true).remove(0)
        };
        let program = concat!("FRANZ ", env!("CARGO_PKG_VERSION"), ", ");
        assert_eq!(first(1), format!("{program}profile draw"));
        assert_eq!(first(22), format!("{program}run_a continues at turn 22"));
    }

    #[test]
    fn a_long_goal_is_shortened_to_its_beginning() {
        for (goal, shown) in [
            ("Draw a cat.".to_owned(), "Draw a cat.".to_owned()),
            ("Draw a cat.\nThen rest.".to_owned(), "Draw a cat. ...".to_owned()),
            ("\n Draw. ".to_owned(), "Draw.".to_owned()),
            ("ä".repeat(GOAL), "ä".repeat(GOAL)),
            (format!("Draw {}", "ä".repeat(GOAL)), "Draw ...".to_owned()),
            ("ä".repeat(GOAL + 1), format!("{} ...", "ä".repeat(GOAL))),
            (String::new(), String::new()),
        ] {
            assert_eq!(first_line(&goal), shown);
        }
    }
}
