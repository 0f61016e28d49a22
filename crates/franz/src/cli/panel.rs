//! The arguments of `franz panel`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

#[derive(Args, Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct PanelArgs {
    /// The model server: a URL, `auto` to find one on this machine, or `demo` for the built-in model
    /// [default: 127.0.0.1:1235]
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<String>,
    /// The relay's address [default: 127.0.0.1:1234]
    #[arg(long, value_name = "HOST:PORT")]
    relay: Option<String>,
    /// The dashboard's address [default: 127.0.0.1:7878, or a free port if that is taken]
    #[arg(long, value_name = "HOST:PORT")]
    dashboard: Option<String>,
    /// Record in this directory, created if missing
    #[arg(long, value_name = "DIR")]
    #[serde(skip)]
    pub(crate) run_dir: Option<PathBuf>,
    /// Continue the record of an earlier panel: its directory, or `last`
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "last", conflicts_with = "run_dir")]
    #[serde(skip)]
    pub(crate) resume: Option<PathBuf>,
    /// Set any configuration key, for example `panel.restart_s=10` (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Do not open the dashboard in a browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Print nothing about the runs that this panel shows
    #[arg(short, long)]
    #[serde(skip)]
    pub(crate) quiet: bool,
    /// The agent to start and watch; it gets the run's directory in `FRANZ_RUN_DIR` and the relay in `OPENAI_BASE_URL`
    #[arg(last = true)]
    #[serde(skip)]
    pub(crate) command: Vec<OsString>,
}
