//! Withholds the end of growing text while it could be the beginning of a key.

use regex_automata::Anchored;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::util::start::Config;

use crate::scanner::Scanner;
use crate::secret::Secret;

/// Lets growing text through if it cannot be part of a key. Text that could be the beginning of a key, in any form, is
/// withheld until it turns out to be something else. Once a key has appeared, nothing more comes through.
#[derive(Debug)]
pub struct Veil {
    secret: Secret,
    scanner: Scanner,
    cache: Option<Cache>,
    held: String,
    is_closed: bool,
}

impl Secret {
    /// Returns a veil, which withholds a possible key while text grows.
    pub fn veil(&self) -> Veil {
        Veil {
            secret: self.clone(),
            scanner: self.scanner(),
            cache: self.automaton().map(DFA::create_cache),
            held: String::new(),
            is_closed: false,
        }
    }
}

impl Veil {
    /// Adds the next piece and returns the text that may now be shown.
    pub fn push(&mut self, piece: &str) -> String {
        self.is_closed = self.is_closed || self.scanner.push(piece.as_bytes());
        if self.is_closed {
            self.held.clear();
            return String::new();
        }
        self.held.push_str(piece);
        let shown = self.shown();
        let held = self.held.split_off(shown);
        std::mem::replace(&mut self.held, held)
    }

    /// Returns whether a key has appeared.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Returns the position where a possible key begins, or the length of the withheld text if there is none.
    fn shown(&mut self) -> usize {
        let (Some(automaton), Some(cache)) = (self.secret.automaton(), &mut self.cache) else {
            return self.held.len();
        };
        let bytes = self.held.as_bytes();
        // Each form takes any number of backslashes before it, so only the first of them can begin a key.
        let repeats = |start: &usize| *start > 0 && bytes[*start] == b'\\' && bytes[start - 1] == b'\\';
        let starts = self.held.char_indices().map(|(start, _)| start);
        let starts = starts.filter(|start| !repeats(start));
        let mut starts = starts.filter(|start| may_begin(automaton, cache, &bytes[*start..]));
        starts.next().unwrap_or(self.held.len())
    }
}

/// Returns whether more text could turn these bytes into a key. Returns `true` if the automaton cannot tell.
fn may_begin(automaton: &DFA, cache: &mut Cache, bytes: &[u8]) -> bool {
    let anchored = Config::new().anchored(Anchored::Yes);
    let Ok(mut state) = automaton.start_state(cache, &anchored) else {
        return true;
    };
    for byte in bytes {
        match automaton.next_state(cache, state, *byte) {
            Ok(next) if next.is_dead() => return false,
            Ok(next) => state = next,
            Err(_) => return true,
        }
    }
    true
}
