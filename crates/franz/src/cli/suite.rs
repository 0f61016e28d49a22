//! The arguments of `franz suite`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{help, number};

#[derive(Args, Clone, Debug)]
pub(crate) struct SuiteArgs {
    #[command(subcommand)]
    pub(crate) command: SuiteCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum SuiteCommand {
    /// Check a suite without a model: each task must be solved by its `solve` script, and not by doing nothing
    #[command(after_help = help::SUITE_TEST)]
    Test(SuiteTestArgs),
    /// Build a suite from a benchmark's tasks
    #[command(after_help = help::SUITE_IMPORT)]
    Import(SuiteImportArgs),
    /// Plan which model attempts which task, and how often
    #[command(after_help = help::SUITE_PLAN)]
    Plan(SuitePlanArgs),
    /// Run the planned attempts that have no result yet, on this machine
    #[command(after_help = help::SUITE_RUN)]
    Run(SuiteRunArgs),
    /// Run one part of the plan, as a job of a cluster
    #[command(after_help = help::SUITE_SHARD)]
    Shard(SuiteShardArgs),
    /// Hand the plan to a cluster: as an array job to Slurm, or as an indexed job to Kubernetes
    #[command(after_help = help::SUITE_SUBMIT)]
    Submit(SuiteSubmitArgs),
    /// List the planned attempts that have no result yet
    #[command(after_help = help::SUITE_MISSING)]
    Missing(ResultsArgs),
    /// Collect the results of all attempts in results.jsonl
    #[command(after_help = help::SUITE_GATHER)]
    Gather(SuiteGatherArgs),
    /// Show how well each model did, with confidence intervals
    #[command(after_help = help::SUITE_REPORT)]
    Report(SuiteReportArgs),
    /// Run the checks again on the kept homes
    #[command(after_help = help::SUITE_RESCORE)]
    Rescore(SuiteRescoreArgs),
    /// Measure how often models click the right place in the pictures of ScreenSpot and sets like it
    #[command(after_help = help::SUITE_GROUNDING)]
    Grounding(SuiteGroundingArgs),
    /// Unpack an attempt's record and home into a folder
    #[command(after_help = help::SUITE_UNPACK)]
    Unpack(SuiteUnpackArgs),
}

#[derive(Args, Clone, Debug)]
pub(crate) struct SuiteTestArgs {
    /// The suite: a folder with a suite.toml, or `basics`, which comes with FRANZ
    pub(crate) suite: PathBuf,
    /// Test only these tasks
    #[arg(long, value_name = "NAME")]
    pub(crate) task: Vec<String>,
    /// Place windows and choose values by this seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u32,
    /// Test up to N tasks at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) jobs: u32,
    /// Keep a picture of each task's start and end in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) pictures: Option<PathBuf>,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct SuiteImportArgs {
    #[command(subcommand)]
    pub(crate) kind: SuiteImportKind,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum SuiteImportKind {
    /// Build a suite from MiniWoB++, small web pages that grade themselves: one task per page and seed
    #[command(after_help = help::SUITE_IMPORT_MINIWOB)]
    Miniwob(MiniwobArgs),
}

#[derive(Args, Clone, Debug)]
pub(crate) struct MiniwobArgs {
    /// The wheel of the Python package `miniwob` (`pip download --no-deps miniwob`), or its unpacked folder
    #[arg(value_name = "WHEEL|DIR")]
    pub(crate) package: PathBuf,
    /// Import only these pages, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) tasks: Vec<String>,
    /// Make N tasks from each page, with the seeds 1 to N
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seeds: u32,
    /// End an episode after this time; without it, a page waits as long as the run lasts
    #[arg(long, value_name = "SECONDS")]
    pub(crate) time_limit: Option<f64>,
    /// Let each page report its elements to this server on this machine, for tests of FRANZ itself
    #[arg(long, value_name = "URL")]
    pub(crate) oracle: Option<String>,
    /// The new folder for the suite
    #[arg(short, long, value_name = "DIR", default_value = "miniwob")]
    pub(crate) output: PathBuf,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct SuitePlanArgs {
    /// The suite: a folder with a suite.toml, or `basics`, which comes with FRANZ
    pub(crate) suite: PathBuf,
    /// The models, separated by commas: names from suite.toml or `--models-from` [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) models: Vec<String>,
    /// Read `[[model]]` tables from this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) models_from: Option<PathBuf>,
    /// Add a model: its name and server, as `NAME=URL`
    #[arg(long, value_name = "NAME=URL")]
    pub(crate) upstream: Vec<String>,
    /// The profiles, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "operator")]
    pub(crate) profiles: Vec<String>,
    /// How often each model tries each task
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) repeat: u32,
    /// Plan only tasks with this tag (repeatable)
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Plan at most this many attempts
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// The folder for the plan and its results, or `s3://BUCKET/PREFIX`
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct SuiteRunArgs {
    /// The folder with the plan, or `s3://BUCKET/PREFIX`
    pub(crate) results: PathBuf,
    /// Run up to N attempts at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) jobs: u32,
    /// Keep the record and the home of these attempts
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = KeptAttempts::Failed)]
    pub(crate) keep: KeptAttempts,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct SuiteShardArgs {
    #[command(flatten)]
    pub(crate) run: SuiteRunArgs,
    /// The part to run, from 0 [default: `SLURM_ARRAY_TASK_ID` or `JOB_COMPLETION_INDEX`]
    #[arg(long, value_name = "I")]
    pub(crate) index: Option<u32>,
    /// The number of parts [default: `SLURM_ARRAY_TASK_COUNT`]
    #[arg(long, value_name = "N")]
    pub(crate) of: Option<u32>,
    /// The digest of the plan that may be played here; `franz suite plan` prints it
    #[arg(long, value_name = "SHA256")]
    pub(crate) digest: String,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct SuiteSubmitArgs {
    /// The folder with the plan, on a disk that all nodes share; for Kubernetes, also `s3://BUCKET/PREFIX`
    pub(crate) results: PathBuf,
    /// The engine
    #[arg(long, value_enum, value_name = "ENGINE")]
    pub(crate) engine: SuiteEngine,
    /// Divide the plan into this many parts
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) shards: u32,
    /// Run up to N attempts of a part at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) jobs: u32,
    /// Keep the record and the home of these attempts
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = KeptAttempts::Failed)]
    pub(crate) keep: KeptAttempts,
    /// FRANZ on the nodes
    #[arg(long, value_name = "PATH", default_value = "franz")]
    pub(crate) program: String,
    /// Slurm: the file on the nodes that holds the key of the variable NAME (repeatable)
    #[arg(long, value_name = "NAME=FILE")]
    pub(crate) key_file: Vec<String>,
    /// Kubernetes: the container image with FRANZ
    #[arg(long)]
    pub(crate) image: Option<String>,
    /// Kubernetes: the claim of the volume that holds the folder
    #[arg(long)]
    pub(crate) claim: Option<String>,
    /// Kubernetes: the secret that holds the object store's variables, such as `AWS_ACCESS_KEY_ID`, for `s3://`
    #[arg(long, value_name = "SECRET")]
    pub(crate) store_secret: Option<String>,
    /// Kubernetes: the secret with a key for each variable that a model names
    #[arg(long)]
    pub(crate) secret: Option<String>,
    /// Print the job instead
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// What starts the parts of a plan on a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SuiteEngine {
    Slurm,
    Kubernetes,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct ResultsArgs {
    /// The folder with the plan, or `s3://BUCKET/PREFIX`
    pub(crate) results: PathBuf,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct SuiteRescoreArgs {
    /// The folder with the plan, or `s3://BUCKET/PREFIX`
    pub(crate) results: PathBuf,
    /// Run the checks of the suite in this folder, for example after fixing one [default: those of the plan]
    #[arg(long, value_name = "DIR")]
    pub(crate) suite: Option<PathBuf>,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct SuiteGatherArgs {
    /// The folder with the plan, or `s3://BUCKET/PREFIX`
    pub(crate) results: PathBuf,
    /// Take results from these places with the same plan, such as folders on nodes' disks
    pub(crate) from: Vec<PathBuf>,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct SuiteReportArgs {
    /// The folder with the plan, or `s3://BUCKET/PREFIX`
    pub(crate) results: PathBuf,
    /// Print the report as JSON
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print the attempts as CSV
    #[arg(long)]
    pub(crate) csv: bool,
    /// Also write a log for Inspect's viewer for each model, in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) inspect: Option<PathBuf>,
    /// Write the page to this file [default: report.html in the folder; for an object store, here]
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct SuiteUnpackArgs {
    /// The folder with the plan, or `s3://BUCKET/PREFIX`
    pub(crate) results: PathBuf,
    /// The attempt's number, as in `franz suite missing` and in folder names
    #[arg(value_name = "N")]
    pub(crate) attempt: u32,
    /// The new folder [default: `attempt_N`]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

/// The attempts that keep their record and home.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeptAttempts {
    /// All
    All,
    /// Those that did not solve their task
    Failed,
    /// All, but only the first and the last picture of each
    Ends,
    /// None
    None,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct RehearseArgs {
    /// A command to start on the desktop (repeatable)
    #[arg(long, value_name = "COMMAND")]
    pub(crate) start: Vec<String>,
    /// The script to run then
    #[arg(long, value_name = "FILE")]
    pub(crate) solve: Option<PathBuf>,
    /// Save a screenshot of the final state to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) picture: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) live: LiveCheckArgs,
}

/// How a run keeps a task's programs out of its record, and checks the task at its end.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LiveCheckArgs {
    /// Run a script from standard input before the private desktop ends, and write what it found here
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) check_live: Option<PathBuf>,
    /// Time limit in seconds
    #[arg(long, value_name = "SECONDS", requires = "check_live", hide = true)]
    pub(crate) check_live_s: Option<u64>,
    /// Keep the programs on the private desktop out of this folder below `/`
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) keep_out_of: Option<PathBuf>,
}

#[expect(clippy::struct_excessive_bools, reason = "independent flags")]
#[derive(Args, Clone, Debug)]
pub(crate) struct SuiteGroundingArgs {
    /// The set: JSON files of ScreenSpot, ScreenSpot-v2 or ScreenSpot-Pro
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The folder of the pictures [default: that of the first file]
    #[arg(long, value_name = "DIR")]
    pub(crate) pictures: Option<PathBuf>,
    /// Ask this model: its name and server, as `NAME=URL` (repeatable)
    #[arg(long, value_name = "NAME=URL")]
    pub(crate) upstream: Vec<String>,
    /// Read `[[model]]` tables from this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) models_from: Option<PathBuf>,
    /// Ask only these models, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) models: Vec<String>,
    /// Ask as a run asks its grounder; without a model, ask the grounder in the settings
    #[arg(long)]
    pub(crate) grounder: bool,
    /// Ask as in the first turn of a run with this profile
    #[arg(long, value_name = "NAME or FILE", default_value = "operator")]
    pub(crate) profile: String,
    /// Set any configuration key (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Send the API key to this server too, given as `https://host` or `http://host:port` (repeatable)
    #[arg(long, value_name = "SERVER")]
    pub(crate) key_for: Vec<String>,
    /// Ask about a random choice of N items
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::limit)]
    pub(crate) limit: Option<u64>,
    /// The seed of that choice; the same seed chooses the same items
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Leave out items that cannot be used
    #[arg(long)]
    pub(crate) skip_bad: bool,
    /// Ask about up to N items at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) jobs: u32,
    /// The folder for the answers; run the same command again to continue
    #[arg(short, long, value_name = "DIR", default_value = "grounding")]
    pub(crate) output: PathBuf,
    /// Print the report as JSON
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print the answers as CSV
    #[arg(long)]
    pub(crate) csv: bool,
}
