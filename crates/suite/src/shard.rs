//! The part of a plan that one process plays.

use std::fmt;

/// Part `index` of `of`: every `of`-th attempt, so that each part has a mix of tasks and models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    of: u32,
}

impl Shard {
    /// The whole plan.
    pub const WHOLE: Shard = Shard { index: 0, of: 1 };

    /// Returns part `index` of `of`, counted from 0.
    pub fn new(index: u32, of: u32) -> Result<Shard, String> {
        if index < of {
            return Ok(Shard { index, of });
        }
        if of == 0 {
            return Err("a plan has at least one shard; give --of 1 or more".to_owned());
        }
        Err(format!(
            "there is no shard {index} of {of}; the index counts from 0, so the last one is {}",
            of - 1
        ))
    }

    /// Returns whether the attempt with this number, from 1, belongs to this part.
    pub fn has(self, attempt: u32) -> bool {
        attempt.wrapping_sub(1) % self.of == self.index
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shard {} of {}", self.index, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_attempt_belongs_to_exactly_one_shard() {
        for of in 1..9 {
            for attempt in 1..50 {
                let owners = (0..of).filter(|index| Shard::new(*index, of).unwrap().has(attempt));
                assert_eq!(owners.count(), 1);
            }
        }
        assert!(Shard::new(3, 3).unwrap_err().contains("the last one is 2"));
        assert!(Shard::new(0, 0).unwrap_err().contains("--of 1 or more"));
    }
}
