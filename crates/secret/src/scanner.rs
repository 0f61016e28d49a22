//! Finds keys in text that arrives in pieces.

use std::sync::Arc;

use regex_automata::Anchored;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::util::start::Config;

/// Looks for the keys of a [`Secret`](crate::Secret) in text that arrives in pieces, however it is split. The time is
/// proportional to the text's length, and none of the text is kept in memory.
#[derive(Debug)]
pub struct Scanner(Option<Search>);

#[derive(Debug)]
struct Search {
    automaton: Arc<DFA>,
    cache: Cache,
    state: LazyStateID,
    found: bool,
}

impl Scanner {
    pub(crate) fn new(automaton: Option<Arc<DFA>>) -> Scanner {
        Scanner(automaton.map(Search::new))
    }

    /// Scans the next piece. Returns whether a complete key has appeared so far.
    pub fn push(&mut self, piece: &[u8]) -> bool {
        self.0.as_mut().is_some_and(|search| search.push(piece))
    }
}

impl Search {
    fn new(automaton: Arc<DFA>) -> Search {
        let mut cache = automaton.create_cache();
        let start = automaton.start_state(&mut cache, &Config::new().anchored(Anchored::No));
        Search {
            // If the automaton cannot start, nothing is checked, so no text may pass.
            found: start.is_err(),
            state: start.unwrap_or_default(),
            automaton,
            cache,
        }
    }

    fn push(&mut self, piece: &[u8]) -> bool {
        for &byte in piece {
            if self.found {
                return true;
            }
            match self.automaton.next_state(&mut self.cache, self.state, byte) {
                Ok(next) => self.state = next,
                Err(_) => self.found = true,
            }
            self.found |= self.state.is_match();
        }
        // The automaton reports a match one byte late.
        let end = self.automaton.next_eoi_state(&mut self.cache, self.state);
        self.found |= end.is_ok_and(|end| end.is_match());
        self.found
    }
}
