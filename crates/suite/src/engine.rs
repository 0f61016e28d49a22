//! Jobs for the engines that start shards on a cluster, as text: a script for Slurm, a manifest for Kubernetes.
//!
//! FRANZ schedules nothing itself. A job contains the results folder, the digest of the plan that it may play, and the
//! paths of the key files on a node, but never a key.

mod kubernetes;
mod slurm;

use std::path::PathBuf;

use crate::folder::SuiteDigest;
use crate::suite::Name;

/// The most parts of an array job, which Slurm's default `MaxArraySize` of 1001 allows.
pub const MOST_SHARDS: u32 = 1001;

/// A job that plays a whole plan in parts.
#[derive(Clone, Debug)]
pub struct SuiteJob {
    /// The suite's name.
    pub suite: Name,
    /// The folder of the results, as every node sees it, or the address of an object store.
    pub results: PathBuf,
    /// The digest of the plan.
    pub digest: SuiteDigest,
    /// The number of parts.
    pub shards: u32,
    /// How many attempts a part plays at the same time.
    pub jobs: u32,
    /// The attempts that keep their record and home: the value of `--keep`.
    pub keep: String,
    /// The FRANZ executable on the nodes.
    pub program: String,
    /// The files with keys on the nodes, by the variable that would hold the key.
    pub key_files: Vec<(String, PathBuf)>,
}

/// The additional parameters of a Kubernetes job.
#[derive(Clone, Debug)]
pub struct KubernetesOptions {
    /// The container image with FRANZ.
    pub image: String,
    /// Where the results are.
    pub place: KubernetesPlace,
    /// The secret with a key for each variable; `None` if no model needs one.
    pub secret: Option<String>,
    /// How many parts run at the same time.
    pub parallel: u32,
    /// The variables whose keys the secret holds.
    pub variables: Vec<String>,
}

/// Where the parts of a Kubernetes job find the results.
#[derive(Clone, Debug)]
pub enum KubernetesPlace {
    /// On the volume of this claim, mounted at [`SuiteJob::results`].
    Claim(String),
    /// In an object store. This secret holds the variables with its address and credentials, such as
    /// `AWS_ACCESS_KEY_ID`.
    StoreSecret(String),
}

impl SuiteJob {
    /// Returns the words of the command that plays one part.
    fn words(&self) -> Vec<String> {
        let results = self.results.to_string_lossy().into_owned();
        let (of, jobs) = (self.shards.to_string(), self.jobs.to_string());
        let words = [
            "suite",
            "shard",
            &results,
            "--of",
            &of,
            "--jobs",
            &jobs,
            "--keep",
            &self.keep,
            "--digest",
            self.digest.as_str(),
        ];
        std::iter::once(self.program.clone())
            .chain(words.map(str::to_owned))
            .collect()
    }
}

#[cfg(test)]
mod tests;
