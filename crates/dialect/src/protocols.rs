//! All protocols, by name. To add a protocol, add an entry here; to add a family's dialect, add an entry in
//! [`DIALECTS`](crate::dialects::DIALECTS).

use crate::lines::LinesProtocol;
use crate::own_form::OwnForm;
use crate::protocol::{Protocol, ReadingSettings};
use crate::python::PythonProtocol;
use crate::sections::SectionsProtocol;
use crate::tools::ToolsProtocol;

/// A protocol and its properties.
pub struct ProtocolKind {
    /// The name used in profiles.
    pub name: &'static str,
    /// How the protocol writes calls.
    pub form: OwnForm,
    /// Whether models call functions. If so, the memory is a conversation.
    pub has_calls: bool,
    /// Whether replies declare a mode.
    pub has_modes: bool,
    /// Creates the protocol.
    pub new: fn(ReadingSettings) -> Box<dyn Protocol>,
}

/// All protocols.
pub const KINDS: [ProtocolKind; 4] = [
    ProtocolKind {
        name: "lines",
        form: OwnForm::Lines,
        has_calls: false,
        has_modes: false,
        new: |settings| Box::new(LinesProtocol::from(settings)),
    },
    ProtocolKind {
        name: "python",
        form: OwnForm::Python,
        has_calls: false,
        has_modes: false,
        new: |settings| Box::new(PythonProtocol::from(settings)),
    },
    ProtocolKind {
        name: "sections",
        form: OwnForm::Sections,
        has_calls: false,
        has_modes: true,
        new: |settings| Box::new(SectionsProtocol::from(settings)),
    },
    ProtocolKind {
        name: "tools",
        form: OwnForm::Tools,
        has_calls: true,
        has_modes: false,
        new: |settings| Box::new(ToolsProtocol::from(settings)),
    },
];

/// The names of the protocols.
pub const NAMES: [&str; KINDS.len()] = {
    let mut names = [""; KINDS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = KINDS[at].name;
        at += 1;
    }
    names
};

/// Returns the protocol with this name.
pub fn kind(name: &str) -> Option<ProtocolKind> {
    KINDS.into_iter().find(|kind| kind.name == name)
}
