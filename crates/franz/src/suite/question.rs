//! The question whether a suite or a plan may run here.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};

use franz_suite::{AttemptPlan, Suite, SuiteDigest, SuiteModel};

use crate::quantity::counted;
use crate::terminal::one_line;

/// The suite or plan that the person is asked to allow.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TrustQuestion<'a> {
    /// A suite with this digest.
    Suite(&'a Suite, &'a SuiteDigest),
    /// A plan with this digest; and its suite, unless the person trusts it already.
    Plan(&'a AttemptPlan, &'a SuiteDigest, Option<&'a Suite>),
}

impl TrustQuestion<'_> {
    /// Shows everything that the person allows, and reads the answer. Anything but a yes means no.
    pub(crate) fn ask(self, input: &mut impl BufRead, output: &mut impl Write) -> io::Result<bool> {
        for line in self.lines() {
            writeln!(output, "{}", one_line(&line))?;
        }
        let word = match self {
            TrustQuestion::Suite(..) => "suite",
            TrustQuestion::Plan(..) => "plan",
        };
        write!(output, "Allow this {word} in its current form? [y/N] ")?;
        output.flush()?;
        let mut answer = String::new();
        input.read_line(&mut answer)?;
        Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }

    fn lines(self) -> Vec<String> {
        match self {
            TrustQuestion::Suite(suite, digest) => {
                let mut lines = code(suite);
                lines.extend(models(&suite.models));
                lines.push(format!("Digest over its files: {digest}"));
                lines
            }
            TrustQuestion::Plan(plan, digest, suite) => {
                let mut lines = suite.map_or_else(Vec::new, code);
                let header = &plan.header;
                lines.push(format!(
                    "The plan of the suite {} lets models play it on your machine, with {} in all and the profile {}:",
                    header.suite,
                    counted(plan.attempts.len(), "attempt"),
                    header.profiles.join(" or "),
                ));
                lines.extend(models(&header.models));
                lines.push(format!("Digest of the plan: {digest}"));
                lines
            }
        }
    }
}

/// Returns what a suite starts, and the settings of its tasks.
fn code(suite: &Suite) -> Vec<String> {
    let mut lines = vec![format!("The suite {} runs this code on your machine:", suite.name)];
    for task in &suite.tasks {
        for command in &task.start {
            lines.push(format!("  {}: starts {command}", task.name));
        }
        let live = task.check_live.iter();
        let live = live.map(|live| format!(", and on its desktop by {live}"));
        let solve = task.solve.iter().map(|solve| format!(", solved by {solve}"));
        let more: String = live.chain(solve).collect();
        lines.push(format!("  {}: checked by {}{more}", task.name, task.check));
    }
    // Hundreds of tasks may have the same settings.
    let settings: BTreeSet<String> = suite.tasks.iter().flat_map(|task| settings(&task.set)).collect();
    lines.extend(settings.iter().map(|setting| format!("  it sets {setting}")));
    lines
}

/// Returns where each model gets its pictures and its key, and its settings.
fn models(models: &[SuiteModel]) -> Vec<String> {
    let mut lines = Vec::new();
    for model in models {
        let file = model.upstream_file.as_ref();
        let file = file.map(|file| format!("the address in {}", file.display()));
        let server = model.upstream.clone().or(file).unwrap_or_default();
        let key = model.key_env.as_ref();
        let key = key.map_or_else(String::new, |name| format!(" with the key in {name}"));
        lines.push(format!("  {} sends pictures to {server}{key}", model.name));
        let own = settings(&model.set);
        lines.extend(
            own.into_iter()
                .map(|setting| format!("  {} sets {setting}", model.name)),
        );
    }
    lines
}

/// Returns settings with their whole values, because nobody can agree to a part of one.
fn settings(set: &toml::Table) -> Vec<String> {
    set.iter().map(|(key, value)| format!("{key} = {value}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use franz_suite::SuiteRules;

    fn asked(question: TrustQuestion<'_>, answer: &str) -> (bool, String) {
        let mut shown = Vec::new();
        let allowed = question.ask(&mut answer.as_bytes(), &mut shown).unwrap();
        (allowed, String::from_utf8(shown).unwrap())
    }

    #[test]
    fn everything_that_a_suite_runs_and_sets_is_shown_with_its_value() {
        let folder = tempfile::tempdir().unwrap();
        for script in ["check.sh", "live.sh", "solve.sh"] {
            std::fs::write(folder.path().join(script), "").unwrap();
        }
        let text = r#"
            name = "shop"
            [[task]]
            name = "a"
            goal = "g"
            screen = "virtual"
            start = ["xterm -e 'cat\u001b[2J'"]
            check = "check.sh"
            check_live = "live.sh"
            solve = "solve.sh"
            set = { "model.fallback" = ["http://other:1"] }
            [[model]]
            name = "m"
            upstream = "http://server:1"
            key_env = "OUR_KEY"
            set = { "model.temperature" = 0.5 }
        "#;
        std::fs::write(folder.path().join("suite.toml"), text).unwrap();
        let suite = Suite::load(folder.path(), &SuiteRules::NONE).unwrap();
        let digest = franz_suite::folder::digest(folder.path(), &[]).unwrap();
        let (allowed, shown) = asked(TrustQuestion::Suite(&suite, &digest), "\n");
        assert!(!allowed);
        for line in [
            "  a: starts xterm -e 'cat\u{fffd}[2J'\n",
            "  a: checked by check.sh, and on its desktop by live.sh, solved by solve.sh\n",
            "  it sets model.fallback = [\"http://other:1\"]\n",
            "  m sends pictures to http://server:1 with the key in OUR_KEY\n",
            "  m sets model.temperature = 0.5\n",
        ] {
            assert!(shown.contains(line), "{line}: {shown}");
        }
        assert!(asked(TrustQuestion::Suite(&suite, &digest), "y\n").0);
    }
}
