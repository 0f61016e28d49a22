//! Finds mistakes in a system prompt: missing placeholders and unknown ones.

use crate::config::settings::{MemoryKind, Settings};

use super::{part, prompt};

/// How similar to a placeholder a word must be to count as a misspelling of it.
const LIKE: f64 = 0.6;

/// Returns the mistakes in the system prompt of these settings, one sentence for each.
pub(crate) fn prompt_mistakes(settings: &Settings) -> Vec<String> {
    let text = &settings.prompt.system;
    let has = |place: &str| text.contains(&format!("{{{place}}}"));
    let kind = settings.protocol_kind();
    // A conversation begins with the task even without this placeholder.
    let lacks_goal = !has("goal") && settings.memory.kind != MemoryKind::Conversation;
    let lacks_tools = kind.has_calls && !has("functions") && !has("tools");
    let found = [
        lacks_goal.then(|| "prompt.system has no {goal}: the model never learns its task".to_owned()),
        lacks_tools.then(|| {
            "prompt.system has no {functions}: a model on a server without function calling never learns the calls"
                .to_owned()
        }),
    ];
    let slips = slips(text);
    found.into_iter().flatten().chain(slips).collect()
}

/// Returns all placeholders of a prompt: those that depend on the screen, and those that depend on the run and the
/// model.
fn places() -> impl Iterator<Item = &'static str> {
    part::PLACES.into_iter().chain(prompt::PLACES)
}

/// Returns words in braces that are similar to a placeholder but are not one.
fn slips(text: &str) -> Vec<String> {
    let inside = text.split('{').skip(1).filter_map(|piece| piece.split_once('}'));
    let names = inside.map(|(place, _)| place.split(' ').next().unwrap_or_default());
    let words = names.filter(|name| !name.is_empty() && name.chars().all(|letter| letter.is_ascii_lowercase()));
    let mut slips: Vec<String> = words
        .filter(|name| !places().any(|place| place == *name))
        .filter_map(|name| {
            let like = |place: &&str| strsim::normalized_damerau_levenshtein(place, name);
            let nearest = places().max_by(|one, other| like(one).total_cmp(&like(other)))?;
            (like(&nearest) >= LIKE)
                .then(|| format!("prompt.system: {{{name}}} is not a placeholder; did you mean {{{nearest}}}?"))
        })
        .collect();
    slips.dedup();
    slips
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::flags::set_flags;
    use crate::config::layer::Layer;
    use crate::config::profile::BUILT_IN;

    fn mistakes(system: &str) -> Vec<String> {
        let mut layer = Layer::defaults().over(set_flags(&[]).unwrap());
        let origin = crate::config::origin::Origin::Default;
        layer.insert("prompt.system", system.into(), origin);
        prompt_mistakes(&Settings::resolve(&layer))
    }

    #[test]
    fn nothing_is_wrong_with_the_built_in_profiles() {
        for profile in &BUILT_IN {
            let settings = Settings::resolve(&Layer::defaults().over(profile.layer()));
            assert_eq!(prompt_mistakes(&settings), Vec::<String>::new(), "{}", profile.name);
        }
    }

    #[test]
    fn a_prompt_without_its_task_and_a_slip_are_told() {
        assert_eq!(mistakes("{goal} {\"a\": 1} {x} {call observe()}"), Vec::<String>::new());
        assert_eq!(
            mistakes("Draw. {gaol}"),
            [
                "prompt.system has no {goal}: the model never learns its task",
                "prompt.system: {gaol} is not a placeholder; did you mean {goal}?"
            ]
        );
    }
}
