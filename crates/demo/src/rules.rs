//! The rules that the model writes into its replies and reads there a turn later. They are its only memory.

use std::fmt;

use crate::feedback::quote;

/// The heading of the part of a reply that contains the rules.
const HEAD: &str = "RULES I KNOW:";
/// The largest number of rules to keep. The model cannot learn more rules than this from experience, and the limit
/// keeps its replies short.
const MOST: usize = 10;

/// A rule that the model knows or can learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule<'a> {
    /// The effect of a drag.
    Line,
    /// How coordinates are counted.
    Coordinates,
    /// How to draw round shapes.
    Curve,
    /// Where calls belong in the python protocol.
    OneBlock,
    /// Where calls belong in the lines protocol.
    OwnLine,
    /// The lesson from a forgotten number.
    FourNumbers,
    /// The lesson from typing without a click.
    ClickBeforeType,
    /// The lesson from an error in a loop.
    PlainCalls,
    /// The tool with this name is not available.
    NoTool(&'a str),
}

impl Rule<'_> {
    /// The rules known from the start.
    const FIRST: [Rule<'static>; 3] = [Rule::Line, Rule::Coordinates, Rule::Curve];
    /// The rules that the model learns from experience, apart from missing tools.
    const LEARNED: [Rule<'static>; 5] = [
        Rule::OneBlock,
        Rule::OwnLine,
        Rule::FourNumbers,
        Rule::ClickBeforeType,
        Rule::PlainCalls,
    ];
}

impl fmt::Display for Rule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::Line => "drag(x1, y1, x2, y2) draws one straight white line.",
            Rule::Coordinates => "Positions run from 0 to 1000 on both axes; (0, 0) is the top left corner.",
            Rule::Curve => "A curve is several short lines, each beginning where the one before ended.",
            Rule::OneBlock => "All my calls go into one python block at the end.",
            Rule::OwnLine => "Each call stands on a line of its own, after the narrative.",
            Rule::FourNumbers => "drag() needs exactly four numbers.",
            Rule::ClickBeforeType => "left_click() comes before type().",
            Rule::PlainCalls => "Plain calls are safer than loops.",
            Rule::NoTool(name) => return write!(f, "{name}() is not available here."),
        })
    }
}

/// The rules known in a turn, in the order in which the model writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules(Vec<String>);

impl Rules {
    /// Returns the rules in a story, in the story's own words, and adds any initial rules that are missing.
    pub fn remembered(story: &str) -> Rules {
        let after_head = story.lines().skip_while(|line| line.trim() != HEAD).skip(1);
        let numbered = after_head.map_while(numbered);
        let mut rules = Rules(numbered.map(quote).take(MOST).collect());
        for rule in Rule::FIRST {
            rules.learn(rule);
        }
        rules
    }

    /// Returns the rules that appear as sentences anywhere in the text, plus the initial ones.
    pub fn mentioned(text: &str) -> Rules {
        let mut rules = Rules::remembered("");
        for rule in Rule::LEARNED {
            if text.contains(&rule.to_string()) {
                rules.learn(rule);
            }
        }
        rules
    }

    /// Returns whether the rules include this one.
    pub fn know(&self, rule: Rule<'_>) -> bool {
        let rule = rule.to_string();
        self.0.contains(&rule)
    }

    /// Adds a rule unless it is known. If there are too many, drops one that is not the model's own.
    pub fn learn(&mut self, rule: Rule<'_>) {
        if self.know(rule) {
            return;
        }
        if self.0.len() >= MOST {
            let foreign = self.0.iter().position(|line| !is_own(line));
            self.0.remove(foreign.unwrap_or(MOST - 1));
        }
        self.0.push(rule.to_string());
    }

    /// Removes a rule.
    pub fn forget(&mut self, rule: Rule<'_>) {
        let rule = rule.to_string();
        self.0.retain(|line| *line != rule);
    }

    /// Returns the rules as sentences.
    pub fn lines(&self) -> &[String] {
        &self.0
    }

    /// Returns the rules numbered from 1, one per line, below their heading, in the form that [`Rules::remembered`]
    /// reads.
    pub fn list(&self) -> String {
        let numbered = (1..).zip(&self.0).map(|(number, rule)| format!("\n{number}. {rule}"));
        format!("{HEAD}{}", numbered.collect::<String>())
    }

    /// Returns the rules learned from experience, without the initial ones.
    pub fn learned(&self) -> impl Iterator<Item = &str> {
        let first = Rule::FIRST.map(|rule| rule.to_string());
        self.0
            .iter()
            .filter(move |line| !first.contains(line))
            .map(String::as_str)
    }
}

/// Returns the sentence in a line like `3. sentence`.
fn numbered(line: &str) -> Option<&str> {
    let (number, sentence) = line.trim().split_once(". ")?;
    number.parse::<u8>().is_ok().then_some(sentence)
}

fn is_own(line: &str) -> bool {
    let mut own = Rule::FIRST.iter().chain(&Rule::LEARNED);
    own.any(|rule| rule.to_string() == line) || line.ends_with("() is not available here.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story(rules: &Rules) -> String {
        format!("{}\n\nWHAT I SEE:\n1. nothing\n", rules.list())
    }

    #[test]
    fn the_first_rules_are_known_from_the_start() {
        let rules = Rules::remembered("");
        assert_eq!(rules.lines().len(), 3);
        assert!(!rules.know(Rule::FourNumbers));
    }

    #[test]
    fn learned_rules_are_remembered_through_the_story() {
        let mut rules = Rules::remembered("");
        rules.learn(Rule::FourNumbers);
        rules.learn(Rule::NoTool("type"));
        let again = Rules::remembered(&story(&rules));
        assert_eq!(again, rules);
        assert!(again.know(Rule::FourNumbers) && again.know(Rule::NoTool("type")));
        assert!(!again.know(Rule::NoTool("drag")));
    }

    #[test]
    fn learned_rules_are_found_among_other_sentences() {
        let mut rules = Rules::remembered("");
        rules.learn(Rule::FourNumbers);
        let sentences = format!("I draw the head. {} It is big.", Rule::FourNumbers);
        assert_eq!(Rules::mentioned(&sentences), rules);
        let learned: Vec<&str> = rules.learned().collect();
        assert_eq!(learned, [Rule::FourNumbers.to_string()]);
        assert_eq!(Rules::mentioned("drag() is fine.").learned().count(), 0);
    }

    #[test]
    fn foreign_rules_are_kept_until_learned_ones_need_the_space() {
        let foreign: Vec<String> = (1..30).map(|n| format!("{n}. Rule number {n}")).collect();
        let mut rules = Rules::remembered(&format!("{HEAD}\n{}", foreign.join("\n")));
        rules.learn(Rule::FourNumbers);
        let lines = rules.lines();
        assert_eq!(lines.len(), MOST);
        assert!(lines.contains(&"Rule number 10".to_owned()));
        assert!(rules.know(Rule::FourNumbers) && rules.know(Rule::Line));
    }
}
