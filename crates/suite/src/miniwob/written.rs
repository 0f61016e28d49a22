//! The text of the suite's file.

use std::fmt::Write as _;

use super::MiniwobImport;
use super::package::task_name;

/// What the model is told. What each episode asks for stands on the page itself.
const GOAL: &str = "The screen shows a small web page with a yellow bar at its top. Do what the yellow bar says, and \
                    nothing else: the first answer counts. When the page says Done, finish.";

/// The same for the pages of airlines, which show a list of wishes instead.
const FLIGHT_GOAL: &str = "The screen shows the page of an airline, and beside it a list of wishes. Fill in the page's \
                           form as the list says, and search for the flight: the first search counts. When the page \
                           says Done, finish.";

impl MiniwobImport {
    /// Returns the text of `suite.toml`.
    pub(super) fn suite_file(&self, pages: &[&str]) -> String {
        let mut text = String::from(
            "# Made by `franz suite import miniwob`: a task for each page and seed.\nname = \"miniwob\"\n",
        );
        for page in pages {
            for seed in 1..=self.seeds {
                self.write_task(&mut text, page, seed);
            }
        }
        text
    }

    fn write_task(&self, text: &mut String, page: &str, seed: u32) {
        let tag = task_name(page);
        let name = format!("{tag}.{seed}");
        let mut goal = if page.starts_with("flight/") { FLIGHT_GOAL } else { GOAL }.to_owned();
        let mut start = format!("python3 serve.py {page} {seed}");
        if let Some(limit) = self.time_limit {
            let _ = write!(start, " --time-limit {limit}");
        }
        if let Some(oracle) = &self.oracle {
            let _ = write!(start, " --oracle {oracle}");
            // It does not look at pictures, so it has to be told which page a request is about.
            let _ = write!(goal, " [{name}]");
        }
        let quoted = |value: &str| toml::Value::from(value).to_string();
        let _ = write!(
            text,
            "\n[[task]]\nname = {}\ngoal = {}\nscreen = \"virtual\"\nstart = [{}]\nfiles = \"files\"\ncheck = \"check.sh\"\n\
             tags = [{}]\nneeds = [\"chromium\", \"python3\"]\n",
            quoted(&name),
            quoted(&goal),
            quoted(&start),
            quoted(&tag),
        );
    }
}
