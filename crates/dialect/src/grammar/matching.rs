//! Checks whether a grammar allows a string, by finding step by step all positions where each part can end.

use std::collections::BTreeSet;

use super::Grammar;

type Places = BTreeSet<usize>;

impl Grammar {
    /// Checks whether the grammar allows this string. Ignores trailing whitespace, because servers trim it.
    pub fn has(&self, text: &str) -> bool {
        let end = text.trim_end().len();
        self.ends(text, &Places::from([0])).range(end..).next().is_some()
    }

    /// Returns where strings of the grammar can end if they begin at one of these positions.
    fn ends(&self, text: &str, from: &Places) -> Places {
        let rest = |at: usize| text.get(at..).unwrap_or_default();
        match self {
            Grammar::Text(wanted) => {
                let found = from.iter().filter(|at| rest(**at).starts_with(wanted));
                found.map(|at| at + wanted.len()).collect()
            }
            Grammar::Char(set) => {
                let next = |at: &usize| {
                    rest(*at)
                        .chars()
                        .next()
                        .filter(|c| set.holds(*c))
                        .map(|c| at + c.len_utf8())
                };
                from.iter().filter_map(next).collect()
            }
            Grammar::Sequence(parts) => parts.iter().fold(from.clone(), |at, part| part.ends(text, &at)),
            Grammar::Choice(parts) => parts.iter().flat_map(|part| part.ends(text, from)).collect(),
            Grammar::Repeat(part, least, most) => {
                let (mut all, mut at) = (Places::new(), from.clone());
                for times in 0..=*most {
                    if times >= *least {
                        at.retain(|place| all.insert(*place));
                    }
                    if at.is_empty() || times == *most {
                        break;
                    }
                    at = part.ends(text, &at);
                }
                all
            }
        }
    }
}
