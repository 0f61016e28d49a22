//! A program that does one thing per request: it reads one line and writes one line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};

pub(crate) struct Worker {
    child: Child,
    /// The program's input. Closing it ends the program.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// The program's first line.
    pub(crate) greeting: String,
}

impl Worker {
    /// Starts a program, and waits for its first line.
    pub(crate) fn start(command: &mut Command) -> Result<Worker> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("stdout is piped")?);
        let mut worker = Worker {
            child,
            input,
            output,
            greeting: String::new(),
        };
        worker.greeting = worker.line()?;
        Ok(worker)
    }

    /// Sends a line and returns the answer.
    pub(crate) fn ask(&mut self, line: &str) -> Result<String> {
        let input = self.input.as_mut().context("the program was already asked to end")?;
        writeln!(input, "{line}").with_context(|| format!("the program no longer accepts input such as {line:?}"))?;
        self.line()
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        ensure!(line.ends_with('\n'), "the program ended without an answer");
        Ok(line.trim_end().to_owned())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.input = None;
        // The exit code is ignored, because the answers have already shown whether the program worked.
        let _ = self.child.wait();
    }
}
