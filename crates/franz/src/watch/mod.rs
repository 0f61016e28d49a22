//! The panel's process: relay, verifier and dashboard around an agent, which is a process of its own.

mod access;
pub(crate) mod assignment;
pub(crate) mod browser;
mod charge;
mod desk;
mod edit;
mod foreign;
mod narrowing;
mod routes;
mod station;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use franz_panel::Hub;
use franz_panel::relay::Gate;
use franz_panel::supervisor::{self, Outcome, supervise};
use franz_record::resume::CONFIG_FILE;
use tokio::sync::mpsc::unbounded_channel;

use crate::agent::Server;
use crate::cli::RunOptions;
use crate::command::outputs;
use crate::config::settings::Settings;
use crate::place::{Layers, Place};
use crate::stop::Stop;
use crate::upstream::{Address, Upstream};
use assignment::{Assignment, write_layer};
use charge::Charge;
use desk::{Desk, Reins};
use station::{Station, Wanted, loopback};

pub(crate) use foreign::{Panel, guard, panel};
pub(crate) use station::{Shown, runtime};

/// How long an agent may take to end when it is told to.
const GRACE: Duration = Duration::from_secs(2);

/// A run that is watched.
pub(crate) struct Watch {
    pub(crate) place: Place,
    pub(crate) layers: Layers,
    pub(crate) settings: Settings,
    /// The profile's name, for people.
    pub(crate) profile: String,
    pub(crate) stop: Stop,
}

impl Watch {
    /// Starts the agent and stays until it has ended for good. Gives the exit code.
    pub(crate) fn run(self, server: Server, options: &RunOptions) -> Result<u8> {
        // The server's own runtime must not end inside of another one.
        let servers = server.into_order();
        runtime()?.block_on(self.watch(servers, options))
    }

    async fn watch(self, servers: Vec<(Address, Option<Upstream>)>, options: &RunOptions) -> Result<u8> {
        let Watch {
            place,
            layers,
            settings,
            profile,
            stop,
        } = self;
        let routes = routes::of(servers).await;
        let directory = place.prepare(&settings)?;
        let (sender, orders) = unbounded_channel();
        let reins = Reins::of_agent(sender, stop.is_paused());
        let desk = Desk::new(reins.clone(), Some(directory.join(CONFIG_FILE)));
        let wanted = Wanted {
            directory: directory.clone(),
            panel: settings.panel.clone(),
            relay: loopback(0),
            relays: routes.iter().map(|route| route.endpoint.clone()).collect(),
            hub: Hub::default(),
            gate: Gate::default(),
            foreign: false,
            exchange_log: settings.record.exchange_log,
            controls: Arc::new(desk),
        };
        let station = Station::open(wanted).await?;
        let ward = Charge::new(
            directory,
            Assignment {
                servers: routes::relayed(&routes, &station.relays),
                flags: layers
                    .own
                    .as_ref()
                    .map(|_| write_layer(&layers.flags))
                    .unwrap_or_default(),
                goal: layers.given_goal,
                first: None,
                paused: false,
                profile,
            },
            outputs(options.json)?,
            reins.clone(),
            &station,
        )?;
        if !options.no_open && !options.json {
            browser::open(&station.access.link());
        }
        let watched = supervisor::Options {
            restart: Duration::from_secs_f64(settings.panel.restart_s),
            grace: GRACE,
            hub: station.hub.clone(),
        };
        let ending = stop_with(&stop, reins.clone());
        let outcome = supervise(ward, orders, watched).await;
        ending.abort();
        station.close().await;
        drop(routes);
        code_of(outcome, &stop)
    }
}

/// Passes the signals of the system on to the agent.
fn stop_with(stop: &Stop, reins: Reins) -> tokio::task::JoinHandle<()> {
    let stop = stop.clone();
    tokio::spawn(async move {
        stop.given().await;
        reins.end(stop.ending() == Some(crate::stop::Ending::Interrupted));
    })
}

/// The exit code that an agent's end means for its panel.
fn code_of(outcome: Outcome, stop: &Stop) -> Result<u8> {
    match (outcome, stop.ending()) {
        // An agent that had no time to say so was stopped all the same.
        (_, Some(ending)) => Ok(ending.exit_code()),
        (Outcome::Exited(code), None) => Ok(code),
        (Outcome::GivenUp(how), None) => Err(anyhow!(
            "{how}, again and again before a turn was done; its last words are above, RUST_LOG=debug tells more"
        ))
        .context("the agent cannot be kept running"),
    }
}
