//! Keeps updates short: a text too long for an event has the secret removed and is then cut.

use crate::update::{Summary, Update};
use franz_secret::Secret;

/// Cuts the texts of `update` so that it fits into [`Update::BYTES`] as JSON, whatever they hold.
pub(super) fn shorten(update: &mut Update, secret: Option<&Secret>) {
    for (text, bytes) in texts(update) {
        if let Some(secret) = secret {
            *text = secret.text(text).into_owned();
        }
        cut(text, bytes);
    }
}

/// Returns every text with the most bytes it may take as a JSON string.
fn texts(update: &mut Update) -> Vec<(&mut String, usize)> {
    match update {
        Update::Run(facts) => {
            let texts = [
                &mut facts.name,
                &mut facts.profile,
                &mut facts.upstream,
                &mut facts.model,
                &mut facts.screen,
            ];
            texts.map(|text| (text, 360)).into()
        }
        Update::Agent(agent) => vec![(&mut agent.detail, 1600)],
        Update::Retry { error, .. } => vec![(error, 1600)],
        Update::Shown(summary) | Update::Turn(summary) => summary_texts(summary),
        Update::Verdict(judged) => {
            let why = judged.why.as_mut().map(|why| (why, 1200));
            why.into_iter().chain([(&mut judged.agent, 300)]).collect()
        }
        Update::Notice { text } | Update::Answered { text, .. } => vec![(text, 1800)],
        Update::Settings { hash } => vec![(hash, 200)],
        Update::Upstream { detail, .. } => vec![(detail, 1600)],
        Update::Acting { .. } | Update::Asking { .. } | Update::Runs { .. } | Update::Resync => Vec::new(),
    }
}

fn summary_texts(summary: &mut Summary) -> Vec<(&mut String, usize)> {
    let optional = [
        (&mut summary.mode, 100),
        (&mut summary.finish, 200),
        (&mut summary.model, 300),
    ];
    let optional = optional
        .into_iter()
        .filter_map(|(text, bytes)| text.as_mut().map(|text| (text, bytes)));
    let image = summary.image.iter_mut();
    let image = image.flat_map(|image| [(&mut image.file, 80), (&mut image.sha256, 80)]);
    optional.chain(image).chain([(&mut summary.started, 80)]).collect()
}

/// Cuts `text` so that it takes at most `bytes` inside the quotes of a JSON string.
pub(crate) fn cut(text: &mut String, bytes: usize) {
    const ELLIPSIS: char = '…';
    let mut taken = 0;
    let mut keep = 0;
    for (at, character) in text.char_indices() {
        if taken + ELLIPSIS.len_utf8() <= bytes {
            keep = at;
        }
        taken += written(character);
        if taken > bytes {
            text.truncate(keep);
            text.push(ELLIPSIS);
            return;
        }
    }
}

/// Returns the most bytes that a character takes in a JSON string.
fn written(character: char) -> usize {
    match character {
        '"' | '\\' => 2,
        '\0'..'\x20' => 6,
        _ => character.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use franz_record::{Image, Status, Timings, Tokens};
    use proptest::prelude::*;

    use super::*;
    use crate::update::{AgentState, Doing, RunFacts, VerdictSummary};
    use crate::verdict::VerdictKind;

    fn with(text: &str) -> Vec<Update> {
        let text = || text.to_owned();
        let facts = RunFacts {
            name: text(),
            profile: text(),
            upstream: text(),
            model: text(),
            screen: text(),
        };
        let summary = Summary {
            turn: u64::MAX,
            started: text(),
            status: Status::Failed,
            mode: Some(text()),
            ms: serde_json::from_str::<Timings>(r#"{"act":1.7976931348623157e308,"model":0.00000012345678901234}"#)
                .unwrap(),
            actions: [usize::MAX; 2],
            image: Some(Image {
                file: text(),
                sha256: text(),
                width: u32::MAX,
                height: u32::MAX,
                bytes: u64::MAX,
            }),
            reply_bytes: usize::MAX,
            finish: Some(text()),
            model: Some(text()),
            tokens: Tokens {
                prompt: u64::MAX,
                completion: u64::MAX,
                total: u64::MAX,
            },
            errors: usize::MAX,
            verdict: Some(VerdictKind::Unverifiable),
        };
        let judged = VerdictSummary {
            turn: Some(u64::MAX),
            agent: text(),
            verdict: VerdictKind::Unverifiable,
            why: Some(text()),
            position: Some(u64::MAX),
        };
        let agent = AgentState {
            state: Doing::Restarting,
            detail: text(),
            since: i64::MIN,
        };
        let (turn, up) = (u64::MAX, true);
        vec![
            Update::Run(facts),
            Update::Agent(agent),
            Update::Retry {
                turn,
                attempt: u32::MAX,
                error: text(),
                since: i64::MIN,
                until: i64::MIN,
            },
            Update::Shown(Box::new(summary.clone())),
            Update::Turn(Box::new(summary)),
            Update::Verdict(Box::new(judged)),
            Update::Notice { text: text() },
            Update::Answered { turn, text: text() },
            Update::Settings { hash: text() },
            Update::Upstream { up, detail: text() },
        ]
    }

    #[test]
    fn short_texts_stay() {
        for update in with("short \" text\n") {
            let mut shortened = update.clone();
            shorten(&mut shortened, None);
            assert_eq!(shortened, update);
        }
    }

    #[test]
    fn the_secret_goes_before_the_cut() {
        let secret = Secret::new(["sk-0123456789"]);
        for lead in 0..2000 {
            let mut update = Update::Notice {
                text: format!("{}sk-0123456789", ".".repeat(lead)),
            };
            shorten(&mut update, Some(&secret));
            assert!(!format!("{update:?}").contains("sk-"), "{lead}");
        }
    }

    #[test]
    fn texts_are_cut_between_characters() {
        for (text, bytes, expected) in [
            ("abcdef", 6, "abcdef"),
            ("abcdefg", 6, "abc…"),
            ("äöüä", 7, "äö…"),
            ("\0\0", 11, "\0…"),
            ("\"\"\"\"", 7, "\"\"…"),
            ("", 0, ""),
        ] {
            let mut text = text.to_owned();
            cut(&mut text, bytes);
            assert_eq!(text, expected);
        }
    }

    proptest! {
        #[test]
        fn every_update_fits(unit in ".", times in 0_usize..3000) {
            for mut update in with(&unit.repeat(times)) {
                shorten(&mut update, None);
                let bytes = serde_json::to_vec(&update).unwrap().len();
                prop_assert!(bytes <= Update::BYTES, "{} bytes: {:?}", bytes, update);
            }
        }
    }
}
