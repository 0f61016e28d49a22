//! Configuration. [`settings`] declares the settings, and [`resolve`] decides which source each value comes from.

pub(crate) mod check;
pub(crate) mod desktop_tools;
pub(crate) mod edit;
pub(crate) mod environment;
pub(crate) mod flags;
pub(crate) mod folder;
pub(crate) mod gate;
pub(crate) mod key;
mod keys;
pub(crate) mod kind;
pub(crate) mod layer;
pub(crate) mod live;
pub(crate) mod mask;
pub(crate) mod origin;
pub(crate) mod profile;
pub(crate) mod refused;
pub(crate) mod resolve;
pub(crate) mod scenario;
pub(crate) mod schema;
pub(crate) mod screen_kind;
pub(crate) mod screen_size;
pub(crate) mod settings;
pub(crate) mod settings_file;
pub(crate) mod stack;
pub(crate) mod today;
pub(crate) mod trust;

use check::Mismatch;
use layer::LayerError;
use profile::ProfileError;
use refused::RefusedSettings;
use scenario::ScenarioError;
use today::ApartRegions;

/// The reason why no configuration could be built.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error(transparent)]
    Layer(#[from] LayerError),
    #[error(transparent)]
    Profile(#[from] ProfileError),
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    #[error(transparent)]
    Refused(#[from] RefusedSettings),
    #[error(transparent)]
    ApartRegions(#[from] ApartRegions),
    #[error("--screen: {0}")]
    VncAddress(#[from] franz_rfb::VncAddressError),
    #[error("--set {0}: write it as KEY=VALUE, for example --set loop.executing_delay_s=0")]
    Set(String),
    #[error("{0} is missing; this run cannot be resumed without its settings")]
    NoSettings(String),
    #[error("{path} lacks {key}: it was truncated or emptied; restore the settings of this run, or start a new one")]
    Incomplete { path: String, key: &'static str },
}

impl ConfigError {
    /// Returns whether the message consists of several errors, one per line.
    pub(crate) fn has_lines(&self) -> bool {
        matches!(
            self,
            ConfigError::Refused(_)
                | ConfigError::Layer(LayerError::Several(_))
                | ConfigError::Profile(ProfileError::Layer(LayerError::Several(_)))
        )
    }
}
