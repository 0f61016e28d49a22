//! The model server's cost of answering questions about one picture.

use super::asking::Heard;

/// Roughly the average number of characters per token of English text.
const CHARACTERS: usize = 4;
/// Roughly how many tokens the server's template adds around the text.
const TEMPLATE: u64 = 20;
/// A server reuses pictures from its cache if it still had at least this share of a request there.
const KEPT: f64 = 0.5;

/// The known figures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Cost {
    /// Tokens per picture, if they can be separated from those of the text.
    pub(crate) picture: Option<u64>,
    /// The number of tokens read per second.
    pub(crate) read_per_s: Option<f64>,
    /// The number of tokens written per second; too low if the server does not report it.
    pub(crate) written_per_s: Option<f64>,
    /// Whether the server itself reported these figures.
    pub(crate) measured: bool,
    /// Whether the server reuses a picture that was sent before instead of reading it again; `None` if that is unknown.
    pub(crate) reuses: Option<bool>,
}

/// Sums up the cost of the answers to questions about one picture. The answers come in order, each with the number of
/// characters of text in its request.
pub(super) fn of(heard: &[(Heard, usize)]) -> Cost {
    let prompt = |(heard, characters): &(Heard, usize)| {
        let text = (characters / CHARACTERS) as u64 + TEMPLATE;
        heard.usage.prompt.map(|prompt| prompt.saturating_sub(text))
    };
    let read = heard.iter().filter_map(|(heard, _)| {
        let read = heard.usage.prompt? - heard.usage.cached.unwrap_or(0).min(heard.usage.prompt?);
        Some((read, heard.pace.read_per_s?))
    });
    let written = median(heard.iter().filter_map(|(heard, _)| heard.pace.written_per_s));
    let tokens: u64 = heard.iter().filter_map(|(heard, _)| heard.usage.completion).sum();
    let took: f64 = heard.iter().map(|(heard, _)| heard.took.as_secs_f64()).sum();
    let guessed = (tokens > 0 && took > 0.0).then(|| tokens as f64 / took);
    let kept = heard.iter().skip(1).filter_map(|(heard, _)| {
        let share = heard.usage.cached? as f64 / heard.usage.prompt.filter(|prompt| *prompt > 0)? as f64;
        Some(share)
    });
    Cost {
        picture: median(heard.iter().filter_map(prompt).map(|tokens| tokens as f64)).map(|tokens| tokens as u64),
        // Use the longest reading, because a reading of few tokens says little about the speed.
        read_per_s: read.max_by_key(|(read, _)| *read).map(|(_, pace)| pace),
        written_per_s: written.or(guessed),
        measured: written.is_some(),
        reuses: median(kept).map(|share| share >= KEPT),
    }
}

fn median(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use franz_chat::{ServerPace, Usage};

    use super::*;

    fn heard(prompt: u64, cached: Option<u64>, read: Option<f64>) -> (Heard, usize) {
        let heard = Heard {
            usage: Usage {
                prompt: Some(prompt),
                completion: Some(20),
                total: None,
                cached,
            },
            pace: ServerPace {
                read_per_s: read,
                written_per_s: read.map(|_| 40.0),
            },
            took: std::time::Duration::from_secs(2),
            ..Heard::default()
        };
        (heard, 400)
    }

    #[test]
    fn token_counts_and_speeds_are_summarised() {
        let cost = of(&[
            heard(1500, Some(0), Some(900.0)),
            heard(1502, Some(1480), Some(90.0)),
            heard(1503, Some(1480), Some(80.0)),
        ]);
        assert_eq!(cost.picture, Some(1382));
        assert_eq!((cost.read_per_s, cost.written_per_s), (Some(900.0), Some(40.0)));
        assert_eq!((cost.reuses, cost.measured), (Some(true), true));
        let fresh = of(&[heard(1500, Some(0), None), heard(1500, Some(0), None)]);
        assert_eq!((fresh.reuses, fresh.measured), (Some(false), false));
        assert_eq!(fresh.written_per_s, Some(10.0));
    }

    #[test]
    fn without_measurements_the_cost_is_unknown() {
        assert_eq!(of(&[]), Cost::default());
        assert_eq!(of(&[(Heard::default(), 10)]), Cost::default());
    }
}
