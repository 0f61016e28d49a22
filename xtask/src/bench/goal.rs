//! A table of measurements and their goals.

use std::fmt::Write as _;

use serde::Serialize;

use super::load::{DO_NOT_QUOTE, Load};

/// A goal and the figure for it.
#[derive(Debug, Default, Serialize)]
pub(super) struct Row {
    pub(super) what: String,
    /// The goal, which is an upper limit unless it says otherwise.
    pub(super) goal: &'static str,
    pub(super) measured: String,
    /// The figures of other programs in the same run; empty if no other program does this.
    pub(super) peers: String,
    pub(super) met: bool,
    /// The command that measures the figure.
    pub(super) command: &'static str,
}

impl Row {
    /// Creates a row that contains only the command.
    pub(super) fn of(command: &'static str) -> Row {
        Row {
            command,
            ..Row::default()
        }
    }
}

/// Formats the rows as a Markdown table, which is also readable in a terminal. If the machine was busy, no row says that
/// its goal is met.
pub(super) fn table(rows: &[Row], load: Load) -> String {
    let mut text = String::from(
        "| what | goal | measured | met | others in the same run | command |\n|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let Row {
            what,
            goal,
            measured,
            peers,
            command,
            ..
        } = row;
        let met = match row.met {
            _ if load.is_busy() => DO_NOT_QUOTE,
            true => "yes",
            false => "no",
        };
        let peers = if peers.is_empty() { "-" } else { peers };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "| {what} | {goal} | {measured} | {met} | {peers} | `{command}` |");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_goal_is_a_line_and_a_busy_machine_meets_none() {
        let row = Row {
            what: "the binary".to_owned(),
            goal: "20 MB",
            measured: "18 MB".to_owned(),
            met: true,
            ..Row::of("cargo xtask bench run")
        };
        for (load, met) in [(0.2, "yes"), (1.1, "busy: do not quote")] {
            let line = format!("| the binary | 20 MB | 18 MB | {met} | - | `cargo xtask bench run` |");
            let shown = table(std::slice::from_ref(&row), Load::of(load));
            assert_eq!(shown.lines().nth(2), Some(line.as_str()));
        }
    }
}
