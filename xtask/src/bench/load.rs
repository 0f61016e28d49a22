//! The machine's load before and after a measurement. Figures from a busy machine should not be quoted.

use std::fmt;

/// A machine is busy if it has more runnable threads than this, averaged over a minute. Only the load before a
/// measurement is considered, because the measurement itself causes the load after it.
const BUSY: f64 = 1.0;

/// Stands in a table's row in place of its verdict if the machine was busy.
pub(super) const DO_NOT_QUOTE: &str = "busy: do not quote";

/// The load averages over one minute, before and after the measurement; `None` if the system does not report them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Load {
    before: Option<f64>,
    after: Option<f64>,
}

impl Load {
    /// Records the load before a measurement.
    pub(super) fn before() -> Load {
        Load {
            before: now(),
            after: None,
        }
    }

    /// Records the load after the measurement.
    pub(super) fn after(self) -> Load {
        Load { after: now(), ..self }
    }

    #[cfg(test)]
    pub(super) fn of(before: f64) -> Load {
        Load {
            before: Some(before),
            after: None,
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.before.is_some_and(|load| load > BUSY)
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |load: Option<f64>| load.map_or_else(|| "unknown".to_owned(), |load| format!("{load:.2}"));
        write!(f, "load {} before, {} after", shown(self.before), shown(self.after))?;
        if self.is_busy() {
            write!(f, "; {DO_NOT_QUOTE}")?;
        }
        Ok(())
    }
}

fn now() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_busy_machine_are_marked() {
        for (before, after, busy) in [
            (Some(0.2), Some(1.3), false),
            (Some(1.1), Some(1.3), true),
            (Some(0.2), Some(2.4), false),
            (None, None, false),
        ] {
            let shown = Load { before, after }.to_string();
            assert_eq!(shown.contains(DO_NOT_QUOTE), busy, "{shown}");
        }
    }
}
