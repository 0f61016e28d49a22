//! The options of `franz replay`.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::number;

#[derive(Args, Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct ReplayArgs {
    /// The run: its directory, its name, or `last`
    #[serde(skip)]
    #[arg(default_value = "last")]
    pub(crate) run: PathBuf,
    /// The dashboard's address [default: 127.0.0.1:7878, or a free port if that is taken]
    #[arg(long, value_name = "HOST:PORT")]
    dashboard: Option<String>,
    /// Show another run beside it, turn by turn: its directory, its name, or `last`
    #[arg(long, value_name = "RUN")]
    #[serde(skip)]
    pub(crate) compare: Option<PathBuf>,
    /// Do not open the dashboard in a browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Run it again without model, network or display, and compare each request with the record; exit with 1 if any
    /// differs, 3 if any is missing
    #[arg(long, conflicts_with_all = ["compare", "dashboard", "no_open"])]
    #[serde(skip)]
    pub(crate) offline: bool,
    /// Begin with this turn [default: the first one that the run made itself]
    #[arg(long, value_name = "TURN", requires = "offline", allow_negative_numbers = true, value_parser = number::from_one)]
    #[serde(skip)]
    pub(crate) from: Option<u64>,
    /// Record the new run in this directory, created if missing
    #[arg(long, value_name = "DIR", requires = "offline")]
    #[serde(skip)]
    pub(crate) run_dir: Option<PathBuf>,
}
