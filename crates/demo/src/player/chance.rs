//! Generates numbers that look random but depend only on a seed and a request, which makes answers reproducible.

use sha2::{Digest, Sha256};

use crate::request::ChatRequest;

/// The source of all random numbers for one seed and request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chance([u8; 32]);

impl Chance {
    /// Creates the source for a seed and a request.
    pub(crate) fn new(seed: u64, request: &ChatRequest) -> Chance {
        let mut hash = Sha256::new();
        hash.update(seed.to_le_bytes());
        let called = request.called.as_ref();
        let called = called.map(|called| format!("{} {} {}", called.name, called.arguments, called.result));
        let texts = [&request.system, &request.story, &request.feedback];
        for text in texts.into_iter().chain(&request.image).chain(&called) {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        Chance(hash.finalize().into())
    }

    /// Returns two numbers from 0 to 1, which depend only on `words`.
    pub(crate) fn pair(&self, words: &str) -> [f64; 2] {
        let drawn = Sha256::new().chain_update(self.0).chain_update(words).finalize();
        let number = |bytes: &[u8]| {
            let bits = bytes
                .iter()
                .take(8)
                .fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
            (bits >> 11) as f64 / (1_u64 << 53) as f64
        };
        let (first, second) = drawn.split_at(16);
        [number(first), number(second)]
    }

    /// Returns two independent, normally distributed numbers.
    pub(crate) fn normal(&self, words: &str) -> [f64; 2] {
        let [size, turn] = self.pair(words);
        let size = (-2.0 * (1.0 - size).ln()).sqrt();
        let turn = turn * std::f64::consts::TAU;
        [size * turn.cos(), size * turn.sin()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_depend_only_on_seed_and_request() {
        let request = |feedback: &str| ChatRequest {
            feedback: feedback.to_owned(),
            ..ChatRequest::default()
        };
        let chance = Chance::new(1, &request("a"));
        let of = |chance: &Chance, words: &str| chance.pair(words).map(f64::to_bits);
        assert_eq!(of(&chance, "x"), of(&Chance::new(1, &request("a")), "x"));
        assert_ne!(of(&chance, "x"), of(&chance, "y"));
        assert_ne!(of(&chance, "x"), of(&Chance::new(2, &request("a")), "x"));
        assert_ne!(of(&chance, "x"), of(&Chance::new(1, &request("b")), "x"));
    }

    #[test]
    fn normal_numbers_have_their_spread() {
        let chance = Chance::new(1, &ChatRequest::default());
        let drawn = (0..500).flat_map(|number| chance.normal(&number.to_string()));
        let (sum, squares) = drawn.fold((0.0, 0.0), |(sum, squares), one| (sum + one, squares + one * one));
        assert!((sum / 1000.0_f64).abs() < 0.1, "{sum}");
        assert!((squares / 1000.0_f64 - 1.0).abs() < 0.15, "{squares}");
    }
}
