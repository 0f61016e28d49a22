//! Lists the names of every file that a run writes. A run writes no other files.

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// Replaced by a new file, so the old one can have other names.
    Replaced,
    /// Written in place, so it must have only one name.
    InPlace,
}

/// A file of a run, or a group of files that differ only in their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// The name; `#` stands for a number.
    pub name: &'static str,
    /// How the file is written.
    pub written: Written,
}

/// All patterns. The new version of a replaced file is first written next to it, under a name of
/// [`unfinished`](crate::unfinished).
pub const ALL: [Pattern; 30] = [
    replaced("config.toml"),
    replaced("state.json"),
    replaced("ended.json"),
    replaced("record.lost"),
    replaced("story.txt"),
    replaced("turn_#.png"),
    replaced("turn_#.plain.png"),
    replaced("turn_#.beside_#.png"),
    replaced("verifier.json"),
    replaced("conversation.json"),
    replaced("dashboard.json"),
    replaced("run.id"),
    replaced("canvas.png"),
    replaced("canvas.aside.png"),
    in_place("turns_#_#.jsonl"),
    in_place("turns_#_#.jsonl.cut"),
    in_place("acting.jsonl"),
    in_place("messages.jsonl"),
    in_place("verdicts.jsonl"),
    in_place("verdicts.jsonl.cut"),
    in_place("exchange.log"),
    in_place("exchange.log.cut"),
    in_place("exchange.#.log"),
    replaced("exchange.#.log.gz"),
    in_place("programs.log"),
    in_place("canvas.jsonl"),
    in_place("canvas.jsonl.torn"),
    in_place("agent.lock"),
    in_place("panel.lock"),
    in_place("config.lock"),
];

/// Returns the pattern that `name` matches, or `None` for a file that no run writes.
pub fn pattern(name: &str) -> Option<Pattern> {
    ALL.into_iter().find(|pattern| pattern.takes(name))
}

impl Pattern {
    /// Returns a name that matches this pattern, with the first turn's numbers.
    pub fn example(self) -> String {
        self.name.replace('#', "0001")
    }

    fn takes(self, name: &str) -> bool {
        let mut rest = name;
        for (index, part) in self.name.split('#').enumerate() {
            if index > 0 {
                let behind = rest.trim_start_matches(|character: char| character.is_ascii_digit());
                if behind.len() == rest.len() {
                    return false;
                }
                rest = behind;
            }
            match rest.strip_prefix(part) {
                Some(behind) => rest = behind,
                None => return false,
            }
        }
        rest.is_empty()
    }
}

const fn replaced(name: &'static str) -> Pattern {
    Pattern {
        name,
        written: Written::Replaced,
    }
}

const fn in_place(name: &'static str) -> Pattern {
    Pattern {
        name,
        written: Written::InPlace,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_follows_its_own_pattern_alone() {
        for pattern in ALL {
            assert_eq!(super::pattern(&pattern.example()), Some(pattern));
        }
        for name in [
            "",
            "turn_.png",
            "turn_1x.png",
            "turns_1.jsonl",
            "state.json.tmp",
            "exchange..log",
        ] {
            assert_eq!(super::pattern(name), None, "{name}");
        }
    }
}
