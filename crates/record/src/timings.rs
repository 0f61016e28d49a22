//! How long the steps of a turn took.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};

/// The steps of a turn, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Timings {
    /// Performing the actions.
    pub act: Millis,
    /// Looking at the screen before the actions, which is a part of `act`.
    pub look: Millis,
    /// Waiting for the screen to settle.
    pub settle: Millis,
    /// Capturing the frame.
    pub capture: Millis,
    /// Drawing the marks.
    pub mark: Millis,
    /// Scaling to the transmitted size.
    pub scale: Millis,
    /// Encoding the picture.
    pub encode: Millis,
    /// Building the request.
    pub request: Millis,
    /// Waiting for the model, including retries.
    pub model: Millis,
    /// Waiting for the pictures to be stored after the answer has arrived. They are written while the model thinks.
    pub record: Millis,
}

impl Timings {
    /// Returns the duration of the whole turn, in milliseconds.
    pub fn total(&self) -> f64 {
        let Timings {
            act,
            look: _,
            settle,
            capture,
            mark,
            scale,
            encode,
            request,
            model,
            record,
        } = self;
        let steps = [act, settle, capture, mark, scale, encode, request, model, record];
        steps.into_iter().map(|step| step.get()).sum()
    }
}

/// Milliseconds with three decimals, never negative.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize)]
#[serde(transparent)]
pub struct Millis(f64);

impl Millis {
    /// Returns the number of milliseconds.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl From<Duration> for Millis {
    /// Rounds to whole microseconds, which are three decimals.
    fn from(duration: Duration) -> Self {
        Self((duration.as_secs_f64() * 1e6).round() / 1e3)
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = Option::<f64>::deserialize(deserializer)?;
        Ok(Self(number.unwrap_or_default().max(0.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_is_a_part_of_acting() {
        let json = r#"{"act":8,"look":4,"settle":1,"capture":1,"mark":1,"scale":1,"encode":1,"request":1,"model":1,"record":1}"#;
        let timings: Timings = serde_json::from_str(json).unwrap();
        assert!((timings.total() - 16.0).abs() < 1e-9);
    }

    #[test]
    fn milliseconds_have_three_decimals() {
        let cases = [
            (0, 0.0),
            (1, 0.0),
            (499, 0.0),
            (500, 0.001),
            (1_000_000, 1.0),
            (86_400_000_000_000, 86_400_000.0),
        ];
        for (nanos, millis) in cases {
            let rounded = Millis::from(Duration::from_nanos(nanos)).get();
            assert!((rounded - millis).abs() < 1e-9, "{nanos} ns -> {rounded}");
        }
        for json in ["null", "-1.5"] {
            assert_eq!(serde_json::from_str::<Millis>(json).unwrap(), Millis::default());
        }
    }
}
