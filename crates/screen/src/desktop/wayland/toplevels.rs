//! Counts the windows of programs. Compositors report no places, so windows are neither listed nor brought to the front.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::connection::Connection;
use super::socket;
use crate::desktop::display::DisplayError;

/// How often to count.
const PAUSE: Duration = Duration::from_millis(10);

/// Waits until at least `least` windows exist. Returns `false` if they do not appear within `time`, or if the
/// compositor does not report them.
pub(crate) fn count_windows(name: &str, least: u32, time: Duration) -> Result<bool, DisplayError> {
    const DOING: &str = "waiting for windows";
    let deadline = Instant::now() + time;
    let stream = socket::connect(Path::new(name))?;
    let mut connection = Connection::over(stream, Arc::new(move || Instant::now() >= deadline))?;
    if !connection.hear_of_windows() {
        return Ok(false);
    }
    loop {
        connection.sync(DOING)?;
        if connection.events().windows.len() >= least as usize {
            return Ok(true);
        }
        if Instant::now() >= deadline {
            return Ok(false);
        }
        std::thread::sleep(PAUSE);
    }
}
