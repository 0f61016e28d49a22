//! `franz runs`, `franz runs show RUN`, `franz runs delete RUN`

mod delete;
mod exchange;
mod list;
mod show;

use anyhow::Result;

use crate::cli::runs::{RunsArgs, RunsCommand};

pub(super) fn run(arguments: &RunsArgs) -> Result<u8> {
    match &arguments.command {
        None => list::print(arguments.json),
        Some(RunsCommand::Show(arguments)) => show::run(arguments),
        Some(RunsCommand::Delete(arguments)) => delete::run(arguments),
    }
}

/// Formats a size.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 3] = ["MB", "GB", "TB"];
    let mut size = bytes as f64 / 1e3;
    let mut unit = "kB";
    for larger in UNITS {
        if size < 999.5 {
            break;
        }
        (size, unit) = (size / 1e3, larger);
    }
    if size < 9.95 && unit != "kB" {
        format!("{size:.1} {unit}")
    } else {
        format!("{} {unit}", size.ceil())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_two_or_three_digits() {
        for (bytes, said) in [
            (0, "0 kB"),
            (1, "1 kB"),
            (999_000, "999 kB"),
            (999_600, "1.0 MB"),
            (9_900_000, "9.9 MB"),
            (12_300_000, "13 MB"),
            (7_900_000_000, "7.9 GB"),
            (u64::MAX, "18446745 TB"),
        ] {
            assert_eq!(size(bytes), said);
        }
    }
}
