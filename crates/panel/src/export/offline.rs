//! The dashboard's own page as a file that needs no panel. Its modules are bundled into one script, and recorded
//! answers replace the server.

use base64_simd::STANDARD;
use franz_record::ExchangeIndex;
use serde::Serialize;

use crate::history::{Detail, History, HistoryError, MarkedTurns, Summary};
use crate::web::{Page, RecordedState, ShownExchange, bundle, page_part, source};

/// Modules that replace some of the page's own. They read the file instead of asking a panel.
const OWN: [(&str, &str); 4] = [
    ("feed.js", include_str!("../../offline/feed.js")),
    ("pictures.js", include_str!("../../offline/pictures.js")),
    ("place.js", include_str!("../../offline/place.js")),
    ("server.js", include_str!("../../offline/server.js")),
];

/// The parts of the file that come before and after its data. The data goes between them, in elements such as `<script
/// type="text/plain" id="ID">`. Each of these contains base64, which the browser neither runs nor shows.
#[derive(Debug)]
pub struct OfflinePage {
    /// The page without its script.
    pub head: String,
    /// The script.
    pub tail: String,
}

/// The answers to everything that the page can ask about a turn.
#[derive(Serialize)]
pub struct OfflineTurn {
    /// All details of the turn.
    pub detail: Detail,
    /// The logged exchanges of all attempts.
    exchanges: Vec<ShownExchange>,
}

/// The answers to everything that the page can ask about the run.
#[derive(Serialize)]
pub struct OfflineRun {
    state: RecordedState,
    marks: MarkedTurns,
}

impl OfflinePage {
    /// Assembles the page.
    pub fn new() -> OfflinePage {
        let script = bundle("main.js", &module);
        let page = Page::new();
        let policy = format!(
            "default-src 'none'; script-src {} {}; style-src {}; img-src blob: data:; base-uri 'none'; form-action 'none'",
            page.script,
            source(&script),
            page.style
        );
        let icon = STANDARD.encode_to_string(page_part("icon.svg"));
        let mut head = String::new();
        for line in page.text.lines() {
            let own = match line {
                "<meta charset=\"utf-8\">" => {
                    format!("{line}\n<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">")
                }
                "<link id=\"icon\" rel=\"icon\" href=\"/assets/icon.svg\">" => {
                    format!("<link id=\"icon\" rel=\"icon\" href=\"data:image/svg+xml;base64,{icon}\">")
                }
                "<script type=\"module\" src=\"/assets/main.js\"></script>" | "</html>" => continue,
                // Leave out the links for saving the run, because it is already in this file.
                _ if line.contains("href=\"/export/") => continue,
                _ => line.to_owned(),
            };
            head.push_str(&own);
            head.push('\n');
        }
        OfflinePage {
            head,
            tail: format!("<script type=\"module\">{script}</script>\n</html>\n"),
        }
    }
}

impl Default for OfflinePage {
    fn default() -> Self {
        Self::new()
    }
}

impl OfflineRun {
    /// Reads the data of a run that has ended.
    pub fn of(history: &History) -> OfflineRun {
        OfflineRun {
            state: RecordedState::of(history),
            marks: history.marks(0),
        }
    }

    /// Keeps only these turns.
    pub fn keep(&mut self, turns: &[u64]) {
        self.state.keep(turns);
    }
}

impl OfflineTurn {
    /// Reads a turn; `None` if there is no such turn.
    pub fn of(history: &History, exchanges: &ExchangeIndex, turn: u64) -> Result<Option<OfflineTurn>, HistoryError> {
        let Some(detail) = history.turn(turn)? else {
            return Ok(None);
        };
        let logged = exchanges.exchanges(turn).unwrap_or_default();
        Ok(Some(OfflineTurn {
            detail,
            exchanges: logged
                .into_iter()
                .map(|exchange| ShownExchange::of(exchange, history, None))
                .collect(),
        }))
    }

    /// Leaves out the bytes of streamed responses, in which a word can be split into pieces that no search finds.
    pub fn leave_out_streams(&mut self) {
        for exchange in &mut self.exchanges {
            exchange.leave_out_stream();
        }
    }

    /// Returns the summary for lists.
    pub fn summary(&self) -> &Summary {
        &self.detail.summary
    }
}

fn module(name: &str) -> &'static str {
    let own = OWN.iter().find(|(own, _)| *own == name);
    own.map_or_else(|| page_part(name), |(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_closed_and_complete() {
        let OfflinePage { head, tail } = OfflinePage::new();
        assert!(
            !head.contains("/assets/") && !head.contains("/export/"),
            "nothing is loaded"
        );
        assert_eq!(tail.matches("</script>").count(), 1, "no text ends the script");
        for line in tail.lines() {
            assert!(!line.starts_with("import ") && !line.starts_with("export "), "{line}");
        }
        let script = tail.strip_prefix("<script type=\"module\">").unwrap();
        let script = script.strip_suffix("</script>\n</html>\n").unwrap();
        assert!(head.contains(&source(script)), "the policy allows the script");
        // Each module must come after the modules that it imports.
        for (at, _) in script.match_indices("} = $") {
            let name: String = script[at + 4..].chars().take_while(|c| *c != ';').collect();
            let made = script.find(&format!("const {name} = (() =>"));
            assert!(made.is_some_and(|made| made < at), "{name} comes too late");
        }
    }
}
