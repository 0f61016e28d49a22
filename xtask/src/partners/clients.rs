//! Lets third-party agents and libraries ask a model through `franz panel`.

use std::path::Path;

use super::environment::Environment;
use super::file;
use crate::panel_clients::harness;
use crate::process::run;

/// The name for all of them on the command line.
const ALL: &str = "clients";

/// A program that asks, in an environment with its library.
struct Client {
    environment: Environment,
    script: &'static str,
}

const CLIENTS: [Client; 4] = [
    Client {
        environment: Environment::LANGCHAIN,
        script: "langchain_client.py",
    },
    Client {
        environment: Environment::SMOLAGENTS,
        script: "smolagents_client.py",
    },
    Client {
        environment: Environment::LITELLM,
        script: "litellm_client.py",
    },
    Client {
        environment: Environment::MINI_SWE_AGENT,
        script: "mini_swe_client.py",
    },
];

/// Returns whether one of these words names the clients, or there are none.
pub(super) fn are_named(words: &[String]) -> bool {
    words.is_empty() || words.iter().any(|word| ALL.contains(word.as_str()))
}

/// Prints a row for each client. Returns how many got other answers than from the server itself, or were not recorded.
pub(super) fn check(franz: &Path, place: &Path) -> usize {
    println!("| client | version | through a panel |\n|---|---|---|");
    let mut bad = 0;
    for client in &CLIENTS {
        let (name, version) = (client.environment.name(), client.environment.version());
        let version = version.unwrap_or_else(|why| format!("{why:#}"));
        match client.asks(franz, place) {
            Ok(()) => println!("| {name} | {version} | the same answers, all recorded |"),
            Err(why) => {
                bad += 1;
                println!(
                    "| {name} | {version} | **badly**: {} |",
                    format!("{why:#}").replace('\n', " ")
                );
            }
        }
    }
    bad
}

impl Client {
    fn asks(&self, franz: &Path, place: &Path) -> anyhow::Result<()> {
        let python = self.environment.provide(place)?.join("python");
        let script = file("clients").join(self.script);
        run(&mut harness(
            &python,
            franz,
            [python.as_os_str(), "-B".as_ref(), script.as_os_str()],
        ))
    }
}
