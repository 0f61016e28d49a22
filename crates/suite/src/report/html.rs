//! The report as a page: one file that loads nothing, runs no script, and links only to the players of its runs.

mod grid;
mod page;
mod tables;

use super::summary::SuiteReport;
use super::words::{count, grouped};
use page::Page;

const STYLE: &str = include_str!("html/style.css");

/// A policy that lets the file load nothing but what it contains.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

impl SuiteReport<'_> {
    /// Returns the report as an HTML file that opens offline. Links to players are relative to its folder.
    pub fn html(&self) -> String {
        let mut page = Page::default();
        self.head(&mut page);
        self.sentences(&mut page);
        tables::models(&mut page, self);
        tables::pairs(&mut page, self);
        tables::per_attempt(&mut page, self);
        grid::write(&mut page, self);
        tables::errors(&mut page, self);
        self.reading(&mut page);
        page.markup("</main>\n</body>\n</html>\n");
        page.finish()
    }

    fn head(&self, page: &mut Page) {
        page.markup("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.markup("<meta http-equiv=\"Content-Security-Policy\" content=\"");
        page.markup(POLICY);
        page.markup("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Suite ");
        page.text(&self.facts.suite);
        page.markup("</title>\n<style>\n");
        page.markup(STYLE);
        page.markup("</style>\n</head>\n<body>\n<header>\n<h1>Suite <span dir=\"auto\">");
        page.text(&self.facts.suite);
        page.markup("</span></h1>\n<dl>\n");
        page.fact("Tasks", &grouped(self.tasks as u64));
        page.fact("Models", &grouped(self.models.len() as u64));
        let (attempts, planned) = (grouped(self.attempts), grouped(self.planned));
        page.fact("Attempts with results", &format!("{attempts} of {planned}"));
        if let Some(jobs) = self.facts.jobs {
            page.fact("At once", &count(jobs, "attempt", "attempts"));
        }
        page.fact("Isolated", if self.facts.isolated { "yes" } else { "no" });
        for ran in &self.facts.versions {
            page.fact(&ran.name, &ran.version);
        }
        if !self.facts.digest.is_empty() {
            page.fact("Digest", &self.facts.digest);
        }
        page.markup("</dl>\n</header>\n<main>\n");
    }

    /// Writes the warnings and the results of pairs. With many pairs, only differences that are more than luck.
    fn sentences(&self, page: &mut Page) {
        const MOST: usize = 15;
        if !self.warnings.is_empty() {
            page.markup("<section class=\"warnings\">\n<h2>Limits of these results</h2>\n<ul>\n");
            for warning in &self.warnings {
                page.item(warning);
            }
            page.markup("</ul>\n</section>\n");
        }
        if self.pairs.is_empty() {
            return;
        }
        page.markup("<section>\n<h2>Findings</h2>\n<ul class=\"findings\">\n");
        let all = self.pairs.len() <= MOST;
        let mut shown = self.pairs.iter().filter(|pair| all || pair.told_apart);
        for pair in shown.by_ref().take(MOST) {
            page.item(&format!("{}.", pair.sentence));
        }
        let more = shown.count();
        if more > 0 {
            page.item(&format!("The table of pairs shows {more} more differences."));
        }
        if !all {
            let same = self.pairs.iter().filter(|pair| !pair.told_apart).count();
            page.item(&format!("{same} of {} pairs cannot be told apart.", self.pairs.len()));
        }
        page.markup("</ul>\n</section>\n");
    }

    fn reading(&self, page: &mut Page) {
        page.markup("<section>\n<h2>How to read this</h2>\n<ul>\n");
        for note in &self.notes {
            page.item(note);
        }
        page.markup("</ul>\n</section>\n");
    }
}
