//! Waits for what a window manager reports: that it runs, and how many windows it has (EWMH).

use std::time::{Duration, Instant};

use x11rb::protocol::xproto::{AtomEnum, ChangeWindowAttributesAux, CloseDown, ConnectionExt as _, EventMask};

use super::server::{Address, Answer, Server, While};
use super::wm_sync::WmSync;
use crate::desktop::display::{DisplayError, IsOver};

/// How long to wait for an answer from a manager that claims to be running. Without an answer, the manager is used
/// anyway.
const ANSWER: Duration = Duration::from_secs(5);

/// The pause before asking the manager again.
const ASK_AGAIN: Duration = Duration::from_millis(100);

/// Waits until windows are managed. Returns `false` when the time is up or the started manager has ended.
///
/// A manager names its window when it starts. Only window managers see the question asked here. Once the manager has
/// answered it, the manager handles every window that a program maps.
pub(crate) fn managed(
    address: Address,
    is_over: IsOver,
    time: Duration,
    is_running: &mut dyn FnMut() -> bool,
) -> Result<bool, DisplayError> {
    const DOING: &str = "waiting for a window manager";
    let server = Server::connect(address, is_over).during(DOING)?;
    let deadline = Instant::now() + time;
    let is_named = has(&server, "_NET_SUPPORTING_WM_CHECK", 1, deadline, is_running).during(DOING)?;
    let soon = deadline.min(Instant::now() + ANSWER);
    if !is_named || !has(&server, "_NET_SUPPORTED", 1, soon, is_running).during(DOING)? {
        return Ok(is_named && is_running());
    }
    // A late answer changes the window that the question names (openbox gives it the size of a new window). That window
    // outlives this connection, so no program's window can get its number.
    let retained = server.connection.set_close_down_mode(CloseDown::RETAIN_PERMANENT);
    retained.map_err(x11rb::errors::ReplyError::from).during(DOING)?;
    if let Some(question) = WmSync::of(&server).during(DOING)? {
        let deadline = deadline.min(Instant::now() + ANSWER);
        // A manager that is not listening yet misses the question, so ask repeatedly.
        while Instant::now() < deadline
            && is_running()
            && !question
                .wait(&server, deadline.min(Instant::now() + ASK_AGAIN), is_running)
                .during(DOING)?
        {}
    }
    Ok(is_running())
}

/// Waits until there are at least `least` windows; returns `false` if there are not within this time, or if the run is
/// over first.
pub(crate) fn windows(address: Address, is_over: &IsOver, least: u32, time: Duration) -> Result<bool, DisplayError> {
    const DOING: &str = "waiting for windows";
    let server = Server::connect(address, is_over.clone()).during(DOING)?;
    let deadline = Instant::now() + time;
    has(&server, "_NET_CLIENT_LIST", least, deadline, &mut || !is_over()).during(DOING)
}

/// Waits until a property of the root window names at least `least` windows or other items, as long as `goes_on` returns
/// `true`.
fn has(
    server: &Server,
    property: &str,
    least: u32,
    deadline: Instant,
    goes_on: &mut dyn FnMut() -> bool,
) -> Answer<bool> {
    let property = server.atom(property)?;
    let connection = &server.connection;
    let aux = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    connection.change_window_attributes(server.root, &aux)?.check()?;
    loop {
        let said = connection
            .get_property(false, server.root, property, AtomEnum::ANY, 0, least)?
            .reply()?;
        if said.value_len >= least {
            return Ok(true);
        }
        if server.event_while(deadline, goes_on)?.is_none() {
            return Ok(false);
        }
    }
}
