//! `franz mcp`: a run in which an MCP host calls the tools instead of a model.

use std::io::IsTerminal as _;

use anyhow::{Context as _, Result};
use franz_chat::NamedBy;
use franz_record::Outputs;
use tokio::runtime::Builder;
use toml::Value;

use super::run::queued;
use crate::agent::{ModelServers, Waits};
use crate::cli::McpArgs;
use crate::config::flags::Flags;
use crate::config::origin::Origin;
use crate::config::profile;
use crate::config::resolve::Resolved;
use crate::consent::Consent;
use crate::console::Console;
use crate::event_log::EventLog;
use crate::mcp::McpHost;
use crate::run_location::RunLocation;
use crate::stop::Stop;
use crate::terminal::complain;
use crate::watch::{PanelChoice, Stays, Watch, WatchOptions};
use crate::{exit, idiom, keys, screen, state_folder};

/// The folder for the runs of hosts in the state folder.
const RUNS: &str = "mcp";

/// The tools that only look.
const LOOKING: [&str; 5] = ["wait", "observe", "watch", "zoom", "windows"];

pub(super) fn run(arguments: &McpArgs) -> Result<u8> {
    let flags = Flags::of(arguments).with_profile(profile::HOST.name);
    let place = RunLocation::of(None, arguments.run_dir.as_deref(), &flags)?;
    let mut resolved = place.resolve(&flags, Consent::NotAsked)?;
    keep_at_home(&mut resolved);
    if arguments.read_only {
        only_look(&mut resolved);
    }
    let stop = Stop::default();
    stop.listen().context("cannot listen for Ctrl+C")?;
    if std::io::stdin().is_terminal() {
        complain("an MCP host starts this command and talks to it over stdin; docs/mcp.md says how to set it up");
    }
    let Some(host) = McpHost::meet(&stop)? else {
        return Ok(stop.ending().map_or(0, |ending| ending.exit_code()));
    };
    let (code, why) = match serve(place, resolved, &host, arguments.open, &stop) {
        Ok(code) => (code, "the run is over".to_owned()),
        Err(error) => {
            let why = exit::describe(&error, false);
            complain(&why);
            (exit::code(&error), why)
        }
    };
    host.dismiss(&why, &stop);
    Ok(code)
}

/// Runs the agent for the host until the run ends. Returns its exit code.
fn serve(place: RunLocation, mut resolved: Resolved, host: &McpHost, opens: bool, stop: &Stop) -> Result<u8> {
    ask_only_stand_in(&mut resolved, host);
    let vnc_password = screen::check(&resolved.settings)?;
    let keyring = host.keyring(keys::keyring(&[])?);
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let settings = &resolved.settings;
    // The person's keys are for model servers, and the stand-in is not one.
    let connected = ModelServers::connect(runtime, settings, NamedBy::Others, keyring, stop, Waits::Never)?;
    let Some(server) = connected else {
        return Ok(stop.ending().map_or(0, |ending| ending.exit_code()));
    };
    let grounder = ModelServers::connect_grounder(settings, server.keyring(), stop, Waits::Busy)?;
    let picture = idiom::picture(settings, server.upstream())?;
    resolved.settle_screen_size(picture);
    let private = screen::private(&resolved.settings, server.keyring(), stop);
    if let Some(ending) = stop.ending() {
        return Ok(ending.exit_code());
    }
    let private = private?;
    let watch = Watch {
        place,
        resolved,
        profile: profile::HOST.name.to_owned(),
        private,
        vnc_password,
        stop: stop.clone(),
    };
    let watching = WatchOptions {
        outputs: outputs(host)?,
        is_typed: false,
        opens,
        wait: false,
        panel: PanelChoice::Found,
        stays: Stays::Never,
    };
    watch.run(server, grounder, watching)
}

/// Makes the run ask only the stand-in. What the person has set for their model servers does not suit it: a fallback
/// would get pictures of the screen, and its answers would act, once the host is idle for longer than a model may think.
fn ask_only_stand_in(resolved: &mut Resolved, host: &McpHost) {
    let of_profile = profile::HOST.layer();
    for (key, value) in of_profile.iter().filter(|(key, _)| key.starts_with("model.")) {
        if !matches!(resolved.origin(key), Origin::CommandLine { .. }) {
            resolved.set_default(key, value.clone());
        }
    }
    resolved.set_default("model.fallback", Vec::<Value>::new());
    resolved.set_default("model.upstream", host.endpoint.to_string());
    resolved.set_default("model.name", host.name.clone());
}

/// Reports events to the host and on stderr. Stdout carries only the host's protocol.
fn outputs(host: &McpHost) -> Result<Outputs> {
    let mut outputs = Outputs::default();
    outputs.add("host", host.output());
    if tracing::enabled!(tracing::Level::INFO) {
        outputs.add("log", queued(EventLog::new())?);
    }
    outputs.add("console", queued(Console::beside_protocol())?);
    Ok(outputs)
}

/// Records the run in the state folder unless the person chose another directory, because hosts start their servers in
/// arbitrary working directories.
fn keep_at_home(resolved: &mut Resolved) {
    if !matches!(resolved.origin("record.dir"), Origin::Default) {
        return;
    }
    match state_folder::make(RUNS) {
        Ok(folder) => resolved.set_default("record.dir", folder.path().display().to_string()),
        Err(error) => complain(&format!(
            "the run is recorded in {}, not in FRANZ's state folder: {error}",
            resolved.settings.record.dir
        )),
    }
}

/// Switches off all tools except those that only look.
fn only_look(resolved: &mut Resolved) {
    let tools: Vec<String> = resolved.settings.protocol.tools.keys().cloned().collect();
    for tool in tools.iter().filter(|tool| !LOOKING.contains(&tool.as_str())) {
        resolved.set_default(&format!("protocol.tools.{tool}"), false);
    }
}
