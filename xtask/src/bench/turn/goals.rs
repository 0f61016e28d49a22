//! How long a turn without the model may take, and how long it took.

use super::super::goal::Row;
use super::{CANVAS, CHAIN_OF_PROCESSES, MSS, OURS, Report};

struct Goal {
    series: &'static str,
    words: &'static str,
    /// The maximum time in milliseconds.
    most: f64,
    /// A rival, and the minimum ratio of its turn's time to ours.
    beside: Option<(&'static str, f64)>,
    /// The maximum ratio of our PNG's size to the rival's.
    png: Option<f64>,
}

const fn goal(series: &'static str, words: &'static str, most: f64) -> Goal {
    Goal {
        series,
        words,
        most,
        beside: None,
        png: None,
    }
}

const GOALS: [Goal; 9] = [
    Goal {
        beside: Some((MSS, 5.0)),
        png: Some(1.25),
        ..goal(
            "terminal 1568x896",
            "8 ms; 5 times mss + Pillow; PNG 1.25 times Pillow's",
            8.0,
        )
    },
    Goal {
        beside: Some((MSS, 5.0)),
        png: Some(1.25),
        ..goal(
            "windows 1568x896",
            "8 ms; 5 times mss + Pillow; PNG 1.25 times Pillow's",
            8.0,
        )
    },
    Goal {
        beside: Some((MSS, 5.0)),
        png: Some(1.4),
        ..goal(
            "page 1568x896",
            "8 ms; 5 times mss + Pillow; PNG 1.4 times Pillow's",
            8.0,
        )
    },
    goal("wallpaper 1568x896", "16 ms", 16.0),
    Goal {
        beside: Some((MSS, 7.0)),
        ..goal("desktop 1536x864", "12 ms; 7 times mss + Pillow", 12.0)
    },
    Goal {
        beside: Some((MSS, 8.0)),
        ..goal("desktop 512x288", "3.5 ms; 8 times mss + Pillow", 3.5)
    },
    goal("desktop 1536x864, unchanged", "0.5 ms", 0.5),
    goal("desktop 512x288, unchanged", "0.5 ms", 0.5),
    Goal {
        beside: Some((CHAIN_OF_PROCESSES, 250.0)),
        ..goal(CANVAS, "250 times the old chain of processes", f64::MAX)
    },
];

impl Report {
    pub(super) fn rows(&self) -> Vec<Row> {
        GOALS.iter().filter_map(|goal| self.row(goal)).collect()
    }

    fn row(&self, goal: &Goal) -> Option<Row> {
        let all = self.took.get(goal.series)?;
        let ours = all.get(OURS)?;
        let mut measured = vec![format!("{:.2} ms", ours.median)];
        let mut met = ours.median <= goal.most;
        if let Some((name, least)) = goal.beside {
            let ratio = all.get(name).map(|took| took.ratio);
            met &= ratio.is_some_and(|ratio| ratio >= least);
            measured.extend(ratio.map(|ratio| format!("{ratio:.1} times {name}")));
        }
        if let Some(most) = goal.png {
            let ratio = all.get(MSS).map(|took| ours.png / took.png);
            met &= ratio.is_some_and(|ratio| ratio <= most);
            measured.extend(ratio.map(|ratio| format!("PNG {ratio:.2} times Pillow's")));
        }
        let others = all.iter().filter(|(who, _)| !who.starts_with(OURS));
        let others: Vec<_> = others
            .map(|(who, took)| format!("{who} {:.1} ms", took.median))
            .collect();
        Some(Row {
            what: format!("a turn without the model, {}", goal.series),
            goal: goal.words,
            measured: measured.join("; "),
            peers: others.join(", "),
            met,
            ..Row::of("cargo xtask bench turn")
        })
    }
}
