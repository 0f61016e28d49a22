//! One agent per display: the agent that owns the selection with this name has the display, and the server releases it
//! when the connection ends.

use std::time::Instant;

use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{Atom, ConnectionExt as _, CreateWindowAux, Window, WindowClass};
use x11rb::{COPY_DEPTH_FROM_PARENT, COPY_FROM_PARENT, CURRENT_TIME, NONE};

use super::server::{Answer, LINGERING, Server, While};
use crate::desktop::display::DisplayError;

const SELECTION: &str = "_FRANZ_AGENT";

/// Claims the display, unless another agent has it.
pub(super) fn claim(server: &Server) -> Result<(), DisplayError> {
    if try_to(server).during("claiming the desktop for this agent")? {
        return Ok(());
    }
    let name = server.name();
    Err(DisplayError::Refused(format!(
        "another FRANZ is using the X display {name}; stop it first, or use a private desktop with --screen virtual"
    )))
}

fn try_to(server: &Server) -> Answer<bool> {
    let selection = server.atom(SELECTION)?;
    let window = own_window(server)?;
    let deadline = Instant::now() + LINGERING;
    loop {
        if take(server, window, selection)? {
            return Ok(true);
        }
        if Instant::now() >= deadline {
            return Ok(false);
        }
        std::thread::sleep(LINGERING / 20);
    }
}

/// Creates an invisible window, because only a window can own a selection.
fn own_window(server: &Server) -> Answer<Window> {
    let window = server.connection.generate_id()?;
    server.connection.create_window(
        COPY_DEPTH_FROM_PARENT,
        window,
        server.root,
        0,
        0,
        1,
        1,
        0,
        WindowClass::INPUT_ONLY,
        COPY_FROM_PARENT,
        &CreateWindowAux::new(),
    )?;
    Ok(window)
}

fn take(server: &Server, window: Window, selection: Atom) -> Answer<bool> {
    let connection = &server.connection;
    // The server handles no other client's requests between the check and the claim.
    connection.grab_server()?;
    let owner = connection.get_selection_owner(selection)?.reply()?.owner;
    if owner == NONE {
        connection.set_selection_owner(window, selection, CURRENT_TIME)?;
    }
    connection.ungrab_server()?;
    connection.flush()?;
    Ok(owner == NONE)
}
