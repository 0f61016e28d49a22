//! Parses the speeds at which a server read a request and wrote the reply, if the server reports them.

use franz_json::Object;

/// The largest plausible number of tokens per second.
const FASTEST: f64 = 1e7;

/// The speed that a server reports for one reply; `None` for anything it does not report.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ServerPace {
    /// The number of request tokens that the server read per second.
    pub read_per_s: Option<f64>,
    /// The number of reply tokens that the server wrote per second.
    pub written_per_s: Option<f64>,
}

impl ServerPace {
    /// Reads the pace from the top level of an answer: `timings`, as reported by llama.cpp.
    pub(crate) fn of(top: &Object<'_>) -> ServerPace {
        let timings = top.object("timings").unwrap_or_default();
        let rate = |name| {
            let rate: Option<f64> = timings.get(name).and_then(|value| value.get().parse().ok());
            rate.filter(|rate| (0.0..=FASTEST).contains(rate))
        };
        ServerPace {
            read_per_s: rate("prompt_per_second"),
            written_per_s: rate("predicted_per_second"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ServerPace;
    use franz_json::Object;

    #[test]
    fn pace_is_read_from_every_known_field() {
        let pace = |json| ServerPace::of(&Object::read(json).unwrap());
        let llama = r#"{"timings":{"cache_n":5,"prompt_n":1,"prompt_per_second":812.5,"predicted_per_second":31}}"#;
        let wanted = ServerPace {
            read_per_s: Some(812.5),
            written_per_s: Some(31.0),
        };
        assert_eq!(pace(llama), wanted);
        for odd in [
            r#"{"timings":{"prompt_per_second":1e999,"predicted_per_second":-1}}"#,
            r#"{"timings":[],"usage":"many"}"#,
            r#"{"timings":{"prompt_per_second":"fast"}}"#,
            "{}",
        ] {
            assert_eq!(pace(odd), ServerPace::default(), "{odd}");
        }
    }
}
