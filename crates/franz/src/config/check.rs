//! Checks settings against each other.

use franz_rfb::{VncAddress, VncAddressError};

use super::mask;
use super::screen_kind::ScreenKind;
use super::settings::{MemoryKind, Settings};

/// A contradiction between settings, and how to resolve it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Mismatch {
    #[error(
        "protocol.kind = \"{0}\" needs memory.kind = \"conversation\": set both or neither; the operator profile has both"
    )]
    CallsWithoutConversation(String),
    #[error(
        "memory.kind = \"conversation\" needs protocol.kind = \"tools\": set both or neither; the operator profile has both"
    )]
    ConversationWithoutCalls,
    #[error(
        "loop.modes = true needs protocol.kind = \"sections\", where the model states its mode: set that too, or loop.modes = false"
    )]
    ModesWithoutStatus,
    #[error(
        "protocol.kind = \"{0}\" needs a goal: put it after the command, franz run \"GOAL\", or choose one with --scenario N"
    )]
    NoGoal(String),
    #[error(
        "screen.mask: the masks of all files and flags add up to {0}, but a run can have at most {most}: remove some, for example from your own franz.toml, or replace several with one for a larger area",
        most = mask::MOST
    )]
    TooManyMasks(usize),
    #[error("screen.kind = \"vnc\" needs a server: --screen vnc://HOST, or set screen.vnc too")]
    NoVncServer,
    #[error("the address of the VNC server: {0}")]
    VncServer(#[from] VncAddressError),
}

impl Settings {
    /// Refuses settings that contradict each other.
    pub(crate) fn check(&self) -> Result<(), Mismatch> {
        self.mismatches().into_iter().next().map_or(Ok(()), Err)
    }

    /// Returns the address of the run's VNC server; `None` if the run has another kind of screen.
    pub(crate) fn vnc_address(&self) -> Result<Option<VncAddress>, Mismatch> {
        match (self.screen.kind, &self.screen.vnc) {
            (ScreenKind::Vnc, Some(address)) => Ok(Some(address.parse()?)),
            (ScreenKind::Vnc, None) => Err(Mismatch::NoVncServer),
            _ => Ok(None),
        }
    }

    /// Returns every contradiction.
    pub(crate) fn mismatches(&self) -> Vec<Mismatch> {
        let kind = self.protocol_kind();
        let conversation = self.memory.kind == MemoryKind::Conversation;
        let named = || kind.name.to_owned();
        let lacks_goal = kind.has_calls && self.prompt.goal.trim().is_empty();
        let masks = self.screen.mask.len();
        let found = [
            (kind.has_calls && !conversation).then(|| Mismatch::CallsWithoutConversation(named())),
            (conversation && !kind.has_calls).then_some(Mismatch::ConversationWithoutCalls),
            (self.pace.modes && !kind.has_modes).then_some(Mismatch::ModesWithoutStatus),
            lacks_goal.then(|| Mismatch::NoGoal(named())),
            (masks > mask::MOST).then_some(Mismatch::TooManyMasks(masks)),
            self.vnc_address().err(),
        ];
        found.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::flags::set_flags;
    use crate::config::layer::Layer;

    #[test]
    fn settings_that_contradict_each_other_are_refused() {
        let cases: [(&[&str], Option<Mismatch>); 14] = [
            (&[], None),
            (&["protocol.kind=lines"], None),
            (&["protocol.kind=sections"], None),
            (&["protocol.kind=sections", "loop.modes=true"], None),
            (&["loop.modes=true"], Some(Mismatch::ModesWithoutStatus)),
            (
                &["protocol.kind=tools", "prompt.goal=g"],
                Some(Mismatch::CallsWithoutConversation("tools".to_owned())),
            ),
            (&["memory.kind=conversation"], Some(Mismatch::ConversationWithoutCalls)),
            (
                &["protocol.kind=tools", "memory.kind=conversation", "prompt.goal= "],
                Some(Mismatch::NoGoal("tools".to_owned())),
            ),
            (&["screen.mask=[{area=[0,0,9,9]}]"], None),
            (&["screen.mask=[{area=[0,0,9,9]},{window='a*'}]"], None),
            (&["screen.mask=[{window='a'}]", "screen.kind=virtual"], None),
            (&["screen.kind=vnc", "screen.vnc=vnc://host"], None),
            (&["screen.kind=vnc"], Some(Mismatch::NoVncServer)),
            (
                &["screen.kind=vnc", "screen.vnc=me:secret12@host"],
                Some(Mismatch::VncServer(VncAddressError::Password)),
            ),
        ];
        for (flags, mismatch) in cases {
            let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
            let settings = Settings::resolve(&Layer::defaults().over(set_flags(&flags).unwrap()));
            assert_eq!(settings.check().err(), mismatch, "{flags:?}");
        }
    }
}
