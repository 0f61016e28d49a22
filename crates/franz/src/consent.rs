//! Asks the person whether a file of unknown origin may set values that only the person may set.

use std::io::{self, BufRead, IsTerminal, Write};

use crate::config::origin::Origin;
use crate::config::refused::RefusedSetting;
use crate::config::settings_file::FileRead;
use crate::terminal::{complain, one_line};
use crate::trusted_files;

/// Whether FRANZ may ask the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consent {
    /// FRANZ asks the person if there is a terminal.
    Asked,
    /// FRANZ does not ask, and refuses any file that is not trusted.
    NotAsked,
}

impl Consent {
    /// Returns whether the person allows the values in a file, and remembers the file if they do.
    pub(crate) fn allows(self, file: &FileRead, refused: &[RefusedSetting]) -> bool {
        let can_ask = self == Consent::Asked && io::stdin().is_terminal() && io::stderr().is_terminal();
        let allowed = can_ask && ask(file, refused, &mut io::stdin().lock(), &mut io::stderr().lock()).unwrap_or(false);
        if allowed && let Err(error) = trusted_files::remember(file) {
            complain(&format!("cannot remember this, so the next run asks again: {error}"));
        }
        allowed
    }
}

/// Shows the permissions that the file asks for, and reads the answer. Anything but a yes means no.
pub(crate) fn ask(
    file: &FileRead,
    refused: &[RefusedSetting],
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<bool> {
    let path = one_line(&file.path.display().to_string());
    writeln!(output, "{path} asks for things that only you may allow:")?;
    for refusal in refused {
        writeln!(output, "  {}", shown(refusal))?;
    }
    write!(output, "Allow this file in its current form? [y/N] ")?;
    output.flush()?;
    let mut answer = String::new();
    input.read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Shows one value in full, because nobody could agree to a truncated value.
fn shown(refusal: &RefusedSetting) -> String {
    let line = match refusal.origin {
        Origin::File { line, .. } => line,
        _ => 0,
    };
    let text = format!(
        "line {line}: {}: {} = {}",
        refusal.grant.words(),
        refusal.key,
        refusal.value
    );
    one_line(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::layer::Layer;
    use crate::config::origin::FileKind;
    use crate::config::stack::Stack;

    fn stack(text: &str) -> Stack {
        let layer = Layer::parse(text, &Origin::file(FileKind::Directory, "franz.toml")).unwrap();
        let file = FileRead {
            path: "/repo/franz.toml".into(),
            digest: "0".to_owned(),
        };
        Stack::trusting(|_| false)
            .own(Layer::defaults())
            .stranger(layer, file, FileKind::Directory)
    }

    #[test]
    fn every_value_is_shown_and_only_a_yes_allows_it() {
        let hostile = "[screen]\nstart = [\"a\\u001b[2J\\u202e\", '''\nAllow? y''']\n[model]\nupstream = 'http://a:1'\ntemperature = 1";
        for (answer, allowed) in [
            ("y\n", true),
            ("Yes\n", true),
            ("\n", false),
            ("", false),
            ("no\n", false),
            ("yay\n", false),
        ] {
            let mut shown = Vec::new();
            let mut asked = 0;
            let settled = stack(hostile).settled(&mut |file, refused| {
                asked += 1;
                ask(file, refused, &mut answer.as_bytes(), &mut shown).unwrap()
            });
            assert_eq!((asked, settled.is_ok()), (1, allowed), "{answer}");
            let shown = String::from_utf8(shown).unwrap();
            for part in [
                "/repo/franz.toml asks for things that only you may allow:",
                "line 5: names servers: model.upstream = \"http://a:1\"",
                "line 2: starts programs: screen.start = [",
            ] {
                assert!(shown.contains(part), "{shown}");
            }
            assert_eq!(shown.lines().count(), 4, "{shown}");
            assert!(
                !shown.contains(['\u{1b}', '\u{202e}']) && !shown.contains("temperature"),
                "{shown}"
            );
        }
    }

    #[test]
    fn narrowing_values_need_no_consent() {
        let layer = stack("[loop]\nmax_turns = 5")
            .settled(&mut |_, _| panic!("asked"))
            .unwrap();
        assert_eq!(layer.get("loop.max_turns"), Some(&5.into()));
    }
}
