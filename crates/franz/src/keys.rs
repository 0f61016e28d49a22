//! The API keys of this process: where they come from, and which servers the person gives them to.

mod entries;
mod file;
mod vnc_password;

use anyhow::Result;
use franz_chat::{ApiKey, Keyring, NamedBy, ServerOrigin};
use franz_secret::SHORTEST;

use crate::config::origin::Origin;
use crate::exit::Unusable;
use crate::terminal::complain;
use crate::{closed, config};

pub(crate) use vnc_password::{HeldPassword, ask_for_vnc_password, vnc_password};

/// The variable that holds the key for the person's model server, and the variable that names a file with the key.
const OWN: &str = "FRANZ_API_KEY";
const OWN_FILE: &str = "FRANZ_API_KEY_FILE";

/// The variable in which shells commonly hold a cloud service's key.
const CUSTOMARY: &str = "OPENAI_API_KEY";

/// Returns every key and the servers it may be sent to. The command line also gives the person's key to the servers in
/// `also`. After this call, the person's other programs cannot read this process.
pub(crate) fn keyring(also: &[String]) -> Result<Keyring> {
    let mut keyring = Keyring::default();
    let customary = variable(CUSTOMARY).map(|text| key(&text, CUSTOMARY));
    match (own()?, customary) {
        (Some(own), customary) => {
            keyring = keyring.with_upstream_key(own, false);
            // FRANZ does not send this key anywhere, but must not show it either if a server repeats it.
            if let Some(Ok(key)) = customary {
                keyring = keyring.with_held_key(key);
            }
        }
        (None, Some(Ok(customary))) => keyring = keyring.with_upstream_key(customary, true),
        // It was not set for FRANZ, so it must not stop FRANZ either.
        (None, Some(Err(error))) => complain(&format!("ignoring {error}")),
        (None, None) => {}
    }
    for (server, key) in entries::read(config::folder::own().as_deref())? {
        keyring = keyring.with_server_key(server, key);
    }
    for server in also {
        let server: ServerOrigin = server.parse().map_err(Unusable::usage)?;
        keyring = keyring.with_key_for(server);
    }
    if keyring.keys().next().is_some() {
        closed::close();
    }
    if keyring.keys().any(|key| key.text().len() < SHORTEST) {
        complain(&format!(
            "an API key of fewer than {SHORTEST} characters is not treated as a secret: it is sent, but FRANZ does not look for it in responses and records"
        ));
    }
    Ok(keyring)
}

/// Returns the text of every key; none of them may reach a program on a desktop.
pub(crate) fn texts(keyring: &Keyring) -> Vec<String> {
    keyring.keys().map(|key| key.text().to_owned()).collect()
}

/// Returns who chose the model server, judging by the origin of its address.
pub(crate) fn named_by(origin: &Origin) -> NamedBy {
    match origin {
        Origin::CommandLine { .. } => NamedBy::CommandLine,
        origin if origin.is_persons_own() => NamedBy::Person,
        _ => NamedBy::Others,
    }
}

fn own() -> Result<Option<ApiKey>> {
    match (variable(OWN), variable(OWN_FILE)) {
        (Some(_), Some(_)) => {
            Err(Unusable::usage(format!("{OWN} and {OWN_FILE} are both set; unset one of them")).into())
        }
        (Some(text), None) => key(&text, OWN).map(Some),
        (None, Some(path)) => key(&file::read("the API key", path.as_ref())?, OWN_FILE).map(Some),
        (None, None) => Ok(None),
    }
}

/// Returns the key in this text. The error names the `source` of the text.
fn key(text: &str, source: &str) -> Result<ApiKey> {
    let key = ApiKey::new(text);
    Ok(key.map_err(|error| Unusable::server(format!("{source}: {error}")))?)
}

/// Returns the variable's value unless it is blank.
fn variable(name: &str) -> Option<String> {
    let text = std::env::var(name).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}
