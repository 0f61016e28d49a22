//! Counts the windows of programs. Compositors report no places, so windows are neither listed nor brought to the front.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::connection::Connection;
use super::socket;
use crate::desktop::display::{DisplayError, IsOver};

/// How often to count.
const PAUSE: Duration = Duration::from_millis(10);

/// Waits until at least `least` windows exist. Returns `false` if they do not appear within `time` and before the run is
/// over, or if the compositor does not report them.
pub(crate) fn count_windows(name: &str, is_over: &IsOver, least: u32, time: Duration) -> Result<bool, DisplayError> {
    const DOING: &str = "waiting for windows";
    let deadline = Instant::now() + time;
    let stream = socket::connect(Path::new(name))?;
    let is_over = Arc::clone(is_over);
    let ends: IsOver = Arc::new(move || is_over() || Instant::now() >= deadline);
    let mut connection = Connection::over(stream, Arc::clone(&ends))?;
    if !connection.hear_of_windows() {
        return Ok(false);
    }
    loop {
        connection.sync(DOING)?;
        if connection.events().windows.len() >= least as usize {
            return Ok(true);
        }
        if ends() {
            return Ok(false);
        }
        std::thread::sleep(PAUSE);
    }
}
