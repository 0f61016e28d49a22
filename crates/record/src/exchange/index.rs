//! The positions of each turn's exchanges in the logs, for callers that read all of them.

use std::collections::HashMap;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};

use franz_home::{DiskError, View};
use franz_json::{count, members, text};

use super::read::{LoggedExchange, MOST_LINE, OpenLog, open_all};

/// The exchanges of a run by turn, found without reading the logs again. Does not include exchanges that are logged
/// later.
#[derive(Debug, Default)]
pub struct ExchangeIndex {
    logs: Vec<OpenLog>,
    /// The exchanges of each turn, in the order of their requests.
    turns: HashMap<u64, Vec<Lines>>,
}

/// The lines of one exchange, each with its log and its offset in that log.
#[derive(Debug, Default)]
struct Lines {
    id: String,
    places: Vec<(usize, u64)>,
}

impl ExchangeIndex {
    /// Reads the logs of the run in `view`. If the run has no logs, the index is empty.
    pub fn of(view: &View) -> Result<ExchangeIndex, DiskError> {
        let unpacked = |log: OpenLog| {
            let unreadable = DiskError::when("read", &view.path_of(&log.name));
            log.unpacked().map_err(unreadable)
        };
        let logs: Vec<OpenLog> = open_all(view)?.into_iter().map(unpacked).collect::<Result<_, _>>()?;
        let mut asked: Vec<(Option<u64>, Lines)> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for (number, log) in logs.iter().enumerate() {
            let mut note = |place, line: &str| {
                let Some([Some(id), turn]) = members(line, ["id", "turn"]) else {
                    return;
                };
                let Some(id) = text(id) else { return };
                let at = *known.entry(id.clone()).or_insert_with(|| {
                    asked.push((None, Lines { id, places: Vec::new() }));
                    asked.len() - 1
                });
                let (its, lines) = &mut asked[at];
                *its = turn.and_then(count).or(*its);
                lines.places.push((number, place));
            };
            log.each_line(&mut note)
                .map_err(DiskError::when("read", &view.path_of(&log.name)))?;
        }
        let mut turns: HashMap<u64, Vec<Lines>> = HashMap::new();
        for (turn, lines) in asked {
            if let Some(turn) = turn {
                turns.entry(turn).or_default().push(lines);
            }
        }
        Ok(ExchangeIndex { logs, turns })
    }

    /// Returns a turn's exchanges in the order of their requests. Empty if they are not in the logs.
    pub fn exchanges(&self, turn: u64) -> io::Result<Vec<LoggedExchange>> {
        let of_turn = self.turns.get(&turn).map(Vec::as_slice).unwrap_or_default();
        of_turn.iter().map(|lines| self.read(lines)).collect()
    }

    fn read(&self, lines: &Lines) -> io::Result<LoggedExchange> {
        let mut exchange = LoggedExchange::of(&lines.id);
        for &(number, place) in &lines.places {
            let Some(log) = self.logs.get(number) else { continue };
            let mut log = BufReader::new(&log.file);
            log.seek(SeekFrom::Start(place))?;
            let mut line = String::new();
            log.take(MOST_LINE).read_line(&mut line)?;
            exchange.take(line.trim_end_matches('\n'));
        }
        Ok(exchange)
    }
}
