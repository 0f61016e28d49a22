//! The replies to which a model can be bound: those that FRANZ can read and perform, provided that calls are text.

use std::fmt;

use franz_chat::BindingLanguage;
use franz_dialect::{CallsIn, Grammar, OwnForm, ReplyForm, Schema};

use super::{Channel, Idiom};
use crate::config::settings::Settings;

/// The constraint to bind a reply to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Bound {
    /// Text that this grammar allows.
    Grammar(Grammar),
    /// A JSON value that this schema allows.
    Schema(Schema),
}

impl Bound {
    /// Checks whether the grammar or schema allows a reply.
    pub(crate) fn has(&self, reply: &str) -> bool {
        match self {
            Bound::Grammar(grammar) => grammar.has(reply),
            Bound::Schema(schema) => schema.has(reply),
        }
    }

    /// Writes the grammar or schema in the form that servers accept.
    pub(crate) fn written(&self) -> String {
        match self {
            Bound::Grammar(grammar) => grammar.gbnf(),
            Bound::Schema(schema) => schema.json(),
        }
    }
}

/// The reason why a model is not bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unbound {
    /// Its calls are a block of Python.
    Python,
    /// The server itself binds the model to the functions.
    Native,
    /// Its unit of coordinates is unknown.
    Unmeasured,
    /// Its replies have words next to the calls, and a JSON schema leaves no room for them.
    Words,
}

impl fmt::Display for Unbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unbound::Python => "python",
            Unbound::Native => "native",
            Unbound::Unmeasured => "unmeasured",
            Unbound::Words => "words",
        })
    }
}

impl Idiom {
    /// Returns the grammar or schema of the replies that these settings ask for, for a server that accepts this
    /// language.
    ///
    /// # Errors The reason why the replies cannot be bound.
    pub(crate) fn bound(&self, settings: &Settings, language: BindingLanguage) -> Result<Bound, Unbound> {
        let form = settings.own_form();
        let channel = self.channel(settings);
        let calls = match channel {
            _ if form == OwnForm::Python => return Err(Unbound::Python),
            Channel::Native(_) => return Err(Unbound::Native),
            Channel::Own if form == OwnForm::Tools => return Err(Unbound::Native),
            Channel::Own => CallsIn::Own,
            Channel::OwnText => CallsIn::Functions,
            Channel::Text => CallsIn::Family(&self.family),
        };
        let (tools, geometry) = (self.tools(settings), self.geometry(settings));
        let offered = match calls {
            CallsIn::Family(_) => self.offered(&tools, &geometry),
            CallsIn::Own | CallsIn::Functions => tools,
        };
        let reply = ReplyForm {
            form,
            calls,
            most: settings.protocol.calls,
            modes: settings.pace.modes,
            tools: &offered,
            geometry: &geometry,
        };
        let grammar = reply.grammar().ok_or(Unbound::Unmeasured)?;
        match language {
            BindingLanguage::Gbnf => Ok(Bound::Grammar(grammar)),
            BindingLanguage::JsonSchema => reply.schema().map(Bound::Schema).ok_or(Unbound::Words),
        }
    }
}

#[cfg(test)]
mod tests {
    use franz_action::Outcome;
    use franz_dialect::{Family, Intent, ReplyText, Space};
    use serde_json::Value;

    use super::*;
    use crate::config::settings::ToolOffer;
    use crate::idiom::Measured;
    use crate::idiom::snapshots::settings;

    const SCREEN: (u32, u32) = (1920, 1080);

    fn idiom(family: &str, space: Option<Space>) -> Idiom {
        let family = Family::named(family).unwrap();
        let geometry = family.geometry(Some((1344, 756)), Some(SCREEN));
        let measured = space.map(|space| Measured {
            geometry: geometry.counting(space),
            sent: None,
        });
        Idiom {
            family,
            measured,
            screen: SCREEN,
            pointer: None,
        }
    }

    /// Writes random text that the grammar allows.
    fn written(grammar: &Grammar, rng: &mut fastrand::Rng, into: &mut String) {
        match grammar {
            Grammar::Text(text) => into.push_str(text),
            Grammar::Char(set) => loop {
                let odd = [
                    '\u{201c}', '\u{2019}', '"', '\'', '\\', '(', ')', '#', ':', '|', '*', ',', ';', '\u{e9}',
                    '\u{4e2d}', ' ',
                ];
                let c = match rng.u8(..10) {
                    0 | 1 => odd[rng.usize(..odd.len())],
                    2 => rng.char(..),
                    _ => rng.char(' '..='~'),
                };
                if set.holds(c) {
                    into.push(c);
                    return;
                }
            },
            Grammar::Sequence(parts) => parts.iter().for_each(|part| written(part, rng, into)),
            Grammar::Choice(parts) => written(&parts[rng.usize(..parts.len())], rng, into),
            Grammar::Repeat(part, least, most) => {
                let most = if *most > 8 && rng.u8(..8) > 0 {
                    (*least).max(8)
                } else {
                    *most
                };
                (0..rng.u16(least..=&most)).for_each(|_| written(part, rng, into));
            }
        }
    }

    /// Returns a random value that a schema allows.
    fn value(schema: &Schema, rng: &mut fastrand::Rng) -> String {
        let listed = |parts: Vec<String>| parts.join(",");
        match schema {
            Schema::OneOf(values) => values[rng.usize(..values.len())].to_string(),
            Schema::Text(least, most) => {
                let most = if rng.u8(..8) > 0 { (*least).max(8) } else { *most };
                let text: String = (0..rng.u16(least..=&most))
                    .map(|_| match rng.u8(..4) {
                        0 => rng.char(..),
                        1 => rng.char('\0'..=' '),
                        _ => rng.char(' '..='~'),
                    })
                    .collect();
                Value::from(text).to_string()
            }
            Schema::Whole(low, high) => rng.i64(low..=high).to_string(),
            Schema::Number(low, high) => (low + rng.f64() * (high - low)).to_string(),
            Schema::List(parts) => format!("[{}]", listed(parts.iter().map(|part| value(part, rng)).collect())),
            Schema::Members(members) => {
                let members = members
                    .iter()
                    .map(|(name, part)| format!("{:?}:{}", name, value(part, rng)));
                format!("{{{}}}", listed(members.collect()))
            }
            Schema::AnyOf(parts) => value(&parts[rng.usize(..parts.len())], rng),
        }
    }

    /// Reads a random reply that the bound allows. If the reply is not performed, the error shows it.
    fn read(idiom: &Idiom, settings: &Settings, bound: &Bound, rng: &mut fastrand::Rng) -> Result<(), String> {
        let text = match bound {
            Bound::Grammar(grammar) => {
                let mut text = String::new();
                written(grammar, rng, &mut text);
                text
            }
            Bound::Schema(schema) => value(schema, rng),
        };
        let plan = idiom.protocol(settings).read(&ReplyText::of(&text));
        // Three identical actions in a row are ignored, whoever writes them.
        let fine = |outcome: &Outcome| *outcome == Outcome::IGNORED || outcome.to_string().contains("in a row");
        let faults: Vec<String> = plan
            .steps
            .iter()
            .filter_map(|step| match &step.intent {
                Intent::Leave(outcome) if !fine(outcome) => Some(outcome.to_string()),
                Intent::Leave(_) | Intent::Perform(_) => None,
            })
            .chain(
                plan.notices
                    .iter()
                    .filter(|notice| !notice.contains("in a row"))
                    .cloned(),
            )
            .collect();
        let rests = settings.own_form() == OwnForm::Lines && plan.steps.is_empty();
        let does = !plan.steps.is_empty() || plan.finish.is_some() || rests;
        let has = bound.has(&text);
        if !faults.is_empty() || !does || !has {
            return Err(format!("{text}\n{faults:?}, does: {does}, keeps to it: {has}"));
        }
        Ok(())
    }

    #[test]
    fn every_text_of_a_grammar_is_done() {
        assert!(all_done(BindingLanguage::Gbnf) > 1000);
    }

    #[test]
    fn every_value_of_a_schema_is_done() {
        assert!(all_done(BindingLanguage::JsonSchema) > 100);
    }

    /// Reads replies for every family, profile and space, and returns how many were read.
    fn all_done(language: BindingLanguage) -> usize {
        let mut rng = fastrand::Rng::with_seed(7);
        let (mut read_so_far, times) = (0, if language == BindingLanguage::Gbnf { 6 } else { 100 });
        for profile in ["sketch", "companion", "operator"] {
            for family in Family::names() {
                for space in [
                    None,
                    Some(Space::Thousandths),
                    Some(Space::Fractions),
                    Some(Space::Percent),
                    Some(Space::Pixels),
                    Some(Space::Letterboxed),
                ] {
                    for in_text in [false, true] {
                        let mut settings = settings(profile);
                        if in_text {
                            settings.model.calls = ToolOffer::Text;
                        }
                        let idiom = idiom(family, space);
                        let Ok(bound) = idiom.bound(&settings, language) else {
                            continue;
                        };
                        for _ in 0..times {
                            if let Err(why) = read(&idiom, &settings, &bound, &mut rng) {
                                panic!("{profile} {family} {space:?}:\n{why}");
                            }
                            read_so_far += 1;
                        }
                    }
                }
            }
        }
        read_so_far
    }

    #[test]
    fn with_a_grounder_every_text_of_a_grammar_names_targets() {
        let mut rng = fastrand::Rng::with_seed(7);
        for profile in ["sketch", "companion", "operator"] {
            let mut settings = settings(profile);
            settings.model.calls = ToolOffer::Text;
            settings.grounder.upstream = Some("demo".to_owned());
            let idiom = idiom("franz", None);
            let bound = idiom.bound(&settings, BindingLanguage::Gbnf).unwrap();
            for _ in 0..200 {
                if let Err(why) = read(&idiom, &settings, &bound, &mut rng) {
                    panic!("{profile}:\n{why}");
                }
            }
            let gbnf = bound.written();
            let named = if profile == "operator" {
                "label"
            } else {
                "left_click(target="
            };
            assert!(gbnf.contains(named) && !gbnf.contains("\"left_click(\""), "{gbnf}");
        }
    }

    /// Returns a table that shows in which profiles a family can be bound, and why it cannot be in the others.
    fn table(language: BindingLanguage) -> String {
        let rows = Family::names().into_iter().map(|family| {
            let said = ["draw", "sketch", "companion", "operator", "operator in text"].map(|profile| {
                let mut settings = settings(profile.split(' ').next().unwrap());
                if profile.ends_with("text") {
                    settings.model.calls = ToolOffer::Text;
                }
                let bound = idiom(family, None).bound(&settings, language);
                bound.map_or_else(|why| why.to_string(), |_| "bound".to_owned())
            });
            format!("{family}: {}", said.join(", "))
        });
        rows.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn every_family_is_bound_in_every_profile_or_says_why_not() {
        let [grammar, schema] = [BindingLanguage::Gbnf, BindingLanguage::JsonSchema].map(table);
        insta::assert_snapshot!(format!("BY A GRAMMAR\n{grammar}\n\nBY A SCHEMA\n{schema}"));
    }

    /// Shows the schema that a server without grammars gets. The members have the order in which the model writes them.
    #[test]
    fn a_schema_offers_each_call_once() {
        let schemas = ["holo1", "holo2"].map(|family| {
            let bound = idiom(family, None).bound(&settings("operator"), BindingLanguage::JsonSchema);
            format!("{family}\n{}", bound.unwrap().written().replace("},{", "},\n{"))
        });
        insta::assert_snapshot!(schemas.join("\n\n"));
    }
}
