//! Builds clients and lays out requests according to the settings.

use std::time::Duration;

use anyhow::Result;
use franz_chat::{CallForm, Client, ClientSettings, Endpoint, Expect, Form, Grant, MessageShape};

use crate::config::settings::{MemoryKind, MemoryShape, Settings};
use crate::exit::Unusable;

pub(super) fn client(
    endpoint: Endpoint,
    behind: Option<Endpoint>,
    grant: Grant,
    settings: &Settings,
) -> Result<Client> {
    Ok(Client::new(endpoint, client_settings(settings, grant, behind)).map_err(Unusable::server)?)
}

fn client_settings(settings: &Settings, grant: Grant, behind: Option<Endpoint>) -> ClientSettings {
    ClientSettings {
        behind,
        grant,
        timeout: Duration::from_secs_f64(settings.model.timeout_s),
        expect: match settings.memory.kind {
            MemoryKind::Story => Expect::Story,
            MemoryKind::Conversation => Expect::StoryOrToolCalls,
        },
    }
}

impl Settings {
    /// Returns the form in which a conversation shows past calls.
    pub(crate) fn call_form(&self) -> CallForm {
        if self.calls_in_text() {
            CallForm::Text
        } else {
            CallForm::Native
        }
    }

    /// Returns the layout of requests.
    pub(crate) fn form(&self) -> Form {
        Form {
            shape: match self.memory.shape {
                MemoryShape::Seeds => MessageShape::Separate,
                MemoryShape::Merged => MessageShape::Merged,
            },
            empty_story: self.memory.empty_story.clone(),
        }
    }
}
