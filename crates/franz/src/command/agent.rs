//! `franz agent`: the agent as the panel starts it. It reads orders on stdin and reports events on stdout.

use std::io::BufRead;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use franz_home::View;
use franz_record::{JsonLines, Outputs};
use tokio::runtime::Builder;

use super::run::queued;
use crate::agent::{ModelServers, Waits};
use crate::agent_builder::{AgentBuilder, Start};
use crate::closed;
use crate::config::layer::Layer;
use crate::config::live::Granted;
use crate::config::resolve::{self, Resolved};
use crate::exit::Unusable;
use crate::keys::HeldPassword;
use crate::offline::RecordedFacts;
use crate::own_settings;
use crate::presence::Presence;
use crate::run_location::{self, Opened, RunLocation};
use crate::screen::Prepared;
use crate::stop::{Ending, Stop};
use crate::upstream::ServerAddress;
use crate::watch::assignment::{Assignment, Order};

/// How long an agent may take to end after its panel has gone.
const GRACE: Duration = Duration::from_secs(2);

pub(super) fn run(directory: &Path) -> Result<u8> {
    let stop = Stop::default();
    stop.listen().context("cannot listen for signals")?;
    let assignment = assignment()?;
    let password = assignment.vnc_password.as_ref().and_then(HeldPassword::password);
    if !assignment.keys.is_empty() || password.is_some() {
        closed::close();
    }
    if assignment.paused {
        stop.pause();
    }
    let granted = Granted::default();
    let presence = Presence::new(assignment.attended, assignment.page);
    obey(stop.clone(), granted.clone(), presence.clone())?;

    let home = run_location::claimed(directory)?;
    let resolved = resolved(&home, &assignment)?;
    let settings = &resolved.settings;
    let opened = open(&RunLocation::Resumed(home), &resolved)?;
    let start = Start::of(&opened);
    let keyring = start.noting(assignment.keyring().map_err(Unusable::usage))?;
    let addresses = assignment.servers.into_iter().map(ServerAddress::Relayed).collect();
    let runtime = start.noting(Builder::new_current_thread().enable_all().build())?;
    let waits = if assignment.wait || assignment.answered {
        Waits::Absent
    } else {
        Waits::Busy
    };
    let server = ModelServers::first_of(addresses, runtime, settings, keyring, &stop, waits);
    let Some(server) = start.noting(server)? else {
        return Ok(stop.ending().map_or(0, |ending| ending.exit_code()));
    };
    let grounder = match (assignment.grounder, settings.of_grounder()) {
        (Some(grounder), Some(settings)) => {
            let runtime = start.noting(Builder::new_current_thread().enable_all().build())?;
            let addresses = vec![ServerAddress::Relayed(grounder)];
            let keyring = server.keyring().clone();
            let grounder = ModelServers::first_of(addresses, runtime, &settings, keyring, &stop, waits);
            start.noting(grounder)?
        }
        _ => None,
    };
    let mut outputs = Outputs::default();
    outputs.add("the panel", start.noting(queued(JsonLines::new(std::io::stdout())))?);
    let builder = AgentBuilder {
        resolved,
        opened,
        server,
        grounder,
        outputs,
        stop,
        profile: assignment.profile,
        logs_exchanges: false,
        prepared: password
            .map(Prepared::Password)
            .or(assignment.display.map(Prepared::Panels)),
        resumable: true,
        presence,
        first: assignment.first,
        granted,
        key: Some(assignment.key),
        facts: RecordedFacts::default(),
    };
    builder.run()
}

/// Opens the run. If the panel was killed, its agent might need a moment to end and release the run.
fn open(place: &RunLocation, resolved: &Resolved) -> Result<Opened> {
    let deadline = Instant::now() + run_location::RELEASE;
    loop {
        // Look at the clock first, so that a pause of the whole machine does not take the last attempt.
        let is_last = Instant::now() >= deadline;
        match place.open(resolved) {
            Err(error) if !is_last && run_location::is_in_use(&error) => {
                std::thread::sleep(Duration::from_millis(20));
            }
            opened => return opened,
        }
    }
}

/// Reads the assignment, the first line on stdin.
fn assignment() -> Result<Assignment> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let read = serde_json::from_str(&line);
    Ok(read.map_err(|_| Unusable::usage("only the panel starts the agent: use franz run, or franz run --no-panel"))?)
}

/// Returns the settings in the run's `config.toml`, limited to the bounds that the person has set, according to the
/// panel.
fn resolved(run: &View, assignment: &Assignment) -> Result<Resolved> {
    let kept = own_settings::read(&assignment.own);
    let kept = kept.ok_or_else(|| Unusable::usage("the panel's assignment has no settings; start the run again"))?;
    Ok(resolve::of_agent(run, kept, assignment.goal.clone()).map_err(Unusable::usage)?)
}

/// Follows the orders on stdin. If stdin closes, the panel has gone, which counts as an order to stop.
fn obey(stop: Stop, granted: Granted, presence: Presence) -> Result<()> {
    let thread = std::thread::Builder::new().name("orders".to_owned());
    thread.spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            match serde_json::from_str(&line) {
                Ok(Order::Pause) => stop.pause(),
                Ok(Order::Resume) => stop.resume(),
                Ok(Order::Step) => stop.step(),
                Ok(Order::Decide { nonce, by, decision }) => stop.decide(&nonce, &by, decision),
                Ok(Order::Reply { text }) => stop.put_reply(text),
                Ok(Order::TakeOver) => stop.take_over(),
                Ok(Order::GiveBack) => stop.give_back(),
                Ok(Order::Input { inputs }) => stop.put_inputs(inputs),
                Ok(Order::Page { open }) => presence.set_page(open, Instant::now()),
                Ok(Order::Stop { by }) => stop.end(by.ending()),
                Ok(Order::Allow { own }) => {
                    let own = own_settings::read(&own).unwrap_or_default();
                    granted.give(resolve::bounds(&Layer::defaults().over(own)));
                }
                Err(error) => tracing::warn!("not a valid order: {error}"),
            }
        }
        stop.end(Ending::Terminated);
        std::thread::sleep(GRACE);
        // Without a panel, the agent must end even if its loop is blocked.
        std::process::exit(i32::from(Ending::Terminated.exit_code()));
    })?;
    Ok(())
}
