//! Settings that only make sense together.

use super::settings::Settings;

/// Settings that contradict each other, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Mismatch {
    #[error(
        "protocol.kind = \"tools\" needs memory.kind = \"conversation\": set both or neither; the profile operator has both"
    )]
    ToolsWithoutConversation,
    #[error(
        "memory.kind = \"conversation\" needs protocol.kind = \"tools\": set both or neither; the profile operator has both"
    )]
    ConversationWithoutTools,
    #[error(
        "loop.modes = true needs protocol.kind = \"sections\", in which the model says its mode: set that too, or loop.modes = false"
    )]
    ModesWithoutSections,
    #[error(
        "protocol.kind = \"tools\" needs a goal: give it behind the command, franz run \"GOAL\", or choose one with --scenario N"
    )]
    NoGoal,
}

impl Settings {
    /// Refuses settings that contradict each other.
    pub(crate) fn check(&self) -> Result<(), Mismatch> {
        let tools = self.protocol.kind == "tools";
        let conversation = self.memory.kind == "conversation";
        if tools && !conversation {
            return Err(Mismatch::ToolsWithoutConversation);
        }
        if conversation && !tools {
            return Err(Mismatch::ConversationWithoutTools);
        }
        if self.pace.modes && self.protocol.kind != "sections" {
            return Err(Mismatch::ModesWithoutSections);
        }
        if tools && self.prompt.goal.trim().is_empty() {
            return Err(Mismatch::NoGoal);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{defaults, set_flags};

    #[test]
    fn what_belongs_together_is_set_together() {
        let cases: [(&[&str], Option<Mismatch>); 8] = [
            (&[], None),
            (&["protocol.kind=lines"], None),
            (&["protocol.kind=sections"], None),
            (&["protocol.kind=sections", "loop.modes=true"], None),
            (&["loop.modes=true"], Some(Mismatch::ModesWithoutSections)),
            (
                &["protocol.kind=tools", "prompt.goal=g"],
                Some(Mismatch::ToolsWithoutConversation),
            ),
            (&["memory.kind=conversation"], Some(Mismatch::ConversationWithoutTools)),
            (
                &["protocol.kind=tools", "memory.kind=conversation", "prompt.goal= "],
                Some(Mismatch::NoGoal),
            ),
        ];
        for (flags, mismatch) in cases {
            let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
            let settings = Settings::resolve(&defaults().over(set_flags(&flags).unwrap()));
            assert_eq!(settings.check().err(), mismatch, "{flags:?}");
        }
    }
}
