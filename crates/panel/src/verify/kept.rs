//! What survives a restart: the memories of all agents, in one file.

use std::io::ErrorKind;

use franz_home::{DiskError, Home, LARGEST};
use franz_secret::Secret;
use serde::{Deserialize, Serialize};

use super::agents::Agents;

/// The format version that is written and read.
const VERSION: u32 = 1;

/// The maximum size of the file, which contains the memories of many agents with one or two stories each.
const MOST: u64 = LARGEST;

#[derive(Serialize, Deserialize)]
struct Kept<A> {
    v: u32,
    memory: A,
}

/// Reads the saved memory of an earlier verifier. It is empty if there is none. Returns the reason if it cannot be
/// read.
pub(crate) fn read(home: &Home, name: &str) -> Result<Agents, String> {
    let path = home.path_of(name);
    let bytes = match home.read(name, MOST) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Agents::default()),
        Err(error) => return Err(format!("{} cannot be read ({error})", path.display())),
    };
    let kept = serde_json::from_slice::<Kept<Agents>>(&bytes);
    let kept = kept.map_err(|error| format!("{} is damaged ({error})", path.display()))?;
    if kept.v != VERSION {
        return Err(format!("{} has a different version ({})", path.display(), kept.v));
    }
    Ok(kept.memory)
}

/// Replaces the file atomically. If any story contains a key, saves an empty memory, so that a restarted verifier
/// begins without one.
pub(crate) fn write(home: &Home, name: &str, agents: &Agents, secret: &Secret) -> Result<(), DiskError> {
    let kept = Kept {
        v: VERSION,
        memory: agents,
    };
    let to_json = |kept: &Kept<&Agents>| {
        serde_json::to_vec(kept).map_err(|error| DiskError::when("write", &home.path_of(name))(error.into()))
    };
    let mut json = to_json(&kept)?;
    if secret.is_in(&json) {
        json = to_json(&Kept {
            v: VERSION,
            memory: &Agents::default(),
        })?;
    }
    home.replace(name, &json, false)
}
