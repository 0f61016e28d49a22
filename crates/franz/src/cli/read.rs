//! The options of `franz read`.

use std::path::PathBuf;

use clap::Args;

use super::Size;

#[derive(Args, Clone, Debug)]
pub(crate) struct ReadArgs {
    /// The reply, or `-` for stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The model's family: a name from `franz models`, or a TOML file [default: FRANZ's own forms]
    #[arg(long, value_name = "NAME or FILE")]
    pub(crate) family: Option<String>,
    /// Read only the form of this profile [default: every form]
    #[arg(long, value_name = "NAME or FILE")]
    pub(crate) profile: Option<String>,
    /// The size of the picture as the model saw it
    #[arg(long, value_name = "WxH")]
    pub(crate) picture: Option<Size>,
    /// The size of the screen [default: the picture's]
    #[arg(long, value_name = "WxH")]
    pub(crate) screen: Option<Size>,
    /// The array of tool calls that the server reported
    #[arg(long, value_name = "FILE")]
    pub(crate) calls: Option<PathBuf>,
    /// Treat the reply as cut off at the token limit
    #[arg(long)]
    pub(crate) cut: bool,
    /// Read a JSON Lines file: objects with id and text, and tool calls, family and picture if they differ
    #[arg(long)]
    pub(crate) lines: bool,
    /// Print one JSON object for each reply
    #[arg(long)]
    pub(crate) json: bool,
}
