//! Keeps the text in a snapshot short. The secret is removed from text before it is cut.

use franz_secret::Secret;

use super::snapshot::Snapshot;

/// Shortens the strings in `after` that differ from `before`, so that each part fits into an event, whatever the
/// strings contain.
pub(super) fn shorten(before: &Snapshot, after: &mut Snapshot, secret: Option<&Secret>) {
    for (text, bytes) in texts(before, after) {
        if let Some(secret) = secret {
            *text = secret.text(text).into_owned();
        }
        cut(text, bytes);
    }
}

/// Returns every new string with the maximum number of bytes that it can take up as a JSON string.
fn texts<'a>(before: &Snapshot, after: &'a mut Snapshot) -> Vec<(&'a mut String, usize)> {
    let mut texts = Vec::new();
    if let Some(run) = after.run.as_mut().filter(|run| before.run.as_ref() != Some(run)) {
        let all = [
            &mut run.name,
            &mut run.profile,
            &mut run.upstream,
            &mut run.model,
            &mut run.screen,
        ];
        texts.extend(all.map(|text| (text, 360)));
    }
    if after.agent != before.agent {
        texts.push((&mut after.agent.detail, 1600));
    }
    if after.upstream != before.upstream {
        texts.push((&mut after.upstream.detail, 1600));
    }
    if after.answer != before.answer {
        texts.extend(after.answer.as_mut().map(|answer| (&mut answer.text, 1800)));
    }
    if after.newest != before.newest {
        texts.extend(after.newest.as_mut().map(|newest| (&mut newest.name, 200)));
    }
    if after.notices.count() != before.notices.count() {
        texts.extend(after.notices.newest_text().map(|text| (text, 1800)));
    }
    texts.extend(after.mode.as_mut().map(|mode| (mode, 100)));
    texts.extend(after.goal.as_mut().map(|goal| (goal, 1000)));
    texts.extend(after.config.as_mut().map(|hash| (hash, 200)));
    texts
}

/// Cuts `text` so that it takes up at most `bytes` between the quotes of a JSON string.
fn cut(text: &mut String, bytes: usize) {
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

/// Returns the maximum number of bytes that a character takes up in a JSON string.
fn written(character: char) -> usize {
    match character {
        '"' | '\\' => 2,
        '\0'..'\x20' => 6,
        _ => character.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_stay() {
        let mut after = Snapshot::default();
        after.notice("short \" text\n");
        let shown = after.notices.clone();
        shorten(&Snapshot::default(), &mut after, None);
        assert_eq!(after.notices, shown);
    }

    #[test]
    fn the_secret_goes_before_the_cut() {
        let secret = Secret::new(["sk-0123456789"]);
        for lead in 0..2000 {
            let mut after = Snapshot::default();
            after.notice(format!("{}sk-0123456789", ".".repeat(lead)));
            shorten(&Snapshot::default(), &mut after, Some(&secret));
            assert!(!format!("{after:?}").contains("sk-"), "{lead}");
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
}
