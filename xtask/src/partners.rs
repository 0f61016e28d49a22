//! Tests runs with the servers of Transformers, vLLM and mlx-vlm, each with a made-up model that always gives the same
//! reply. The built `franz` must find out on its own what each server refuses. Also tests screens of VNC servers, the
//! desktop portal on GNOME and KDE, the dashboard in Firefox, a panel with third-party agents, a suite on a real Slurm, results
//! of suites in an object store, and FRANZ's hands on the pages of MiniWoB++.

mod clients;
mod course;
mod environment;
mod firefox;
mod gnome;
mod guarded;
mod kde;
mod object_store;
mod screens;
mod server;
mod slurm;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::miniwob;
use crate::process::{cargo, run, target};
use course::Course;
use environment::Environment;
use server::Server;

/// A model server, started as people start it.
struct Partner {
    /// The name that distinguishes this server from the others.
    name: &'static str,
    environment: Environment,
    /// The model in `target/partners/models` that the server loads.
    model: &'static str,
    /// The field with which FRANZ binds a model to a grammar on this server, if there is one.
    bound_by: Option<&'static str>,
    /// The program in the server's environment, with its arguments separated by spaces. `MODEL` and `PORT` are
    /// placeholders.
    command: &'static str,
    /// Further arguments.
    more: &'static str,
}

const VLLM: &str =
    "vllm serve MODEL --host 127.0.0.1 --port PORT --enforce-eager --dtype float32 --max-model-len 32768";

const PARTNERS: [Partner; 4] = [
    Partner {
        name: "transformers serve",
        environment: Environment::TRANSFORMERS,
        model: "model",
        bound_by: None,
        command: "transformers serve MODEL --device cpu --host 127.0.0.1 --port PORT",
        more: "",
    },
    Partner {
        name: "vLLM with a tool parser",
        environment: Environment::VLLM,
        model: "model",
        bound_by: Some("structured_outputs"),
        command: VLLM,
        more: "--enable-auto-tool-choice --tool-call-parser hermes",
    },
    Partner {
        name: "vLLM without, one image a request",
        environment: Environment::VLLM,
        model: "model",
        bound_by: Some("structured_outputs"),
        command: VLLM,
        more: "--limit-mm-per-prompt {\"image\":1}",
    },
    Partner {
        name: "mlx-vlm",
        environment: Environment::MLX,
        model: "mlx",
        bound_by: None,
        command: "python -m mlx_vlm.server --model MODEL --host 127.0.0.1 --port PORT",
        more: "",
    },
];

const PROFILES: [&str; 3] = ["draw", "operator", "companion"];

/// Runs every profile against every server, or against those with one of these words in their names, and prints a row
/// for each. Fails if a run ended badly.
pub(crate) fn check(words: &[String]) -> Result<()> {
    let named = |partner: &&Partner| words.is_empty() || words.iter().any(|word| partner.name.contains(word));
    let partners: Vec<_> = PARTNERS.iter().filter(named).collect();
    let screens = screens::named(words);
    let firefox = firefox::is_named(words);
    let gnome = gnome::is_named(words);
    let kde = kde::is_named(words);
    let clients = clients::are_named(words);
    let slurm = slurm::is_named(words);
    let store = object_store::is_named(words);
    let miniwob = words.is_empty() || words.iter().any(|word| miniwob::NAME.contains(word.as_str()));
    ensure!(
        !partners.is_empty() || !screens.is_empty() || firefox || gnome || kde || clients || slurm || store || miniwob,
        "no partner has such a name"
    );
    let place = target()?.join("partners");
    let needs_franz = |word: &String| ![object_store::NAME, gnome::NAME, kde::NAME].contains(&word.as_str());
    if words.is_empty() || words.iter().any(needs_franz) {
        run(&mut cargo(&["build", "--package", "franz-agent"]))?;
    }
    let franz = target()?.join("debug/franz");
    let mut bad = 0;
    if !screens.is_empty() {
        bad += screens::check(&franz, &place, &screens)?;
    }
    if clients {
        bad += clients::check(&franz, &place);
    }
    if gnome {
        bad += gnome::check()?;
    }
    if kde {
        bad += kde::check(&place)?;
    }
    if firefox {
        bad += firefox::check(&franz)?;
    }
    if slurm && let Err(why) = slurm::check(&franz, &place) {
        eprintln!("Slurm: {why:#}");
        bad += 1;
    }
    if miniwob && let Err(why) = miniwob::play_with(&franz, miniwob::SEEDS, miniwob::JOBS, None) {
        eprintln!("MiniWoB++: {why:#}");
        bad += 1;
    }
    if store {
        bad += object_store::check(&place);
    }
    if !partners.is_empty() {
        bad += check_models(&franz, &place, &partners)?;
    }
    ensure!(
        bad == 0,
        "{bad} of these tests ended badly; logs and records are in {}",
        place.display()
    );
    Ok(())
}

/// Returns how many runs with these servers ended badly.
fn check_models(franz: &Path, place: &Path, partners: &[&Partner]) -> Result<usize> {
    let models = environment::models(place);
    println!("| server | version | profile | ended | learned |\n|---|---|---|---|---|");
    let mut bad = 0;
    for partner in partners {
        let fared = models.as_ref().map_err(|why| format!("{why:#}"));
        let fared = fared.and_then(|models| partner.fared(franz, place, models).map_err(|why| format!("{why:#}")));
        let courses = fared.unwrap_or_else(|why| vec![("all", Course::failed(&why))]);
        for (profile, course) in courses {
            bad += usize::from(!course.is_good());
            println!(
                "| {} | {} | {profile} | {course} |",
                partner.name,
                partner.environment.version()?
            );
        }
    }
    Ok(bad)
}

impl Partner {
    /// Returns the result for each profile, or the reason why the server is not available.
    fn fared(&self, franz: &Path, place: &Path, models: &Path) -> Result<Vec<(&'static str, Course)>> {
        let installed = self.environment.provide(place)?;
        let own = place.join("runs").join(self.name.replace([' ', ','], "-"));
        let _ = std::fs::remove_dir_all(&own);
        std::fs::create_dir_all(&own).with_context(|| format!("cannot create {}", own.display()))?;
        let model = models.join(self.model);
        let command: Vec<_> = [self.command, self.more]
            .into_iter()
            .flat_map(str::split_whitespace)
            .collect();
        let server = Server::start(franz, &installed, &command, &model, &own)?;
        let course =
            |profile: &str| Course::of(franz, &server.url(), &model, profile, self.bound_by, &own.join(profile));
        Ok(PROFILES.map(|profile| (profile, course(profile))).into())
    }
}

/// The model's reply, which contains the same action in the form of every profile.
const REPLY: &str = include_str!("partners/reply.txt");

/// Returns the path of one of this task's files.
fn file(name: &str) -> PathBuf {
    crate::process::root().join("xtask/src/partners").join(name)
}
