//! One agent to a display: whoever owns a selection of that name has it, and the server takes it back when the connection ends.

use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, WindowClass};
use x11rb::{COPY_DEPTH_FROM_PARENT, COPY_FROM_PARENT, CURRENT_TIME, NONE};

use super::server::{Answer, Server, While};
use crate::desktop::display::DisplayError;

const SELECTION: &str = "_FRANZ_AGENT";

/// Takes the display, unless another agent has it.
pub(super) fn claim(server: &Server) -> Result<(), DisplayError> {
    if try_to(server).during("taking the desktop for this agent")? {
        return Ok(());
    }
    let name = server.name();
    Err(DisplayError::Refused(format!(
        "another FRANZ acts on the X display {name}; stop it first, or use a desktop of FRANZ's own with --screen virtual"
    )))
}

fn try_to(server: &Server) -> Answer<bool> {
    let connection = &server.connection;
    let selection = server.atom(SELECTION)?;
    let window = connection.generate_id()?;
    connection.create_window(
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
    // Between looking and taking nobody else is served.
    connection.grab_server()?;
    let owner = connection.get_selection_owner(selection)?.reply()?.owner;
    if owner == NONE {
        connection.set_selection_owner(window, selection, CURRENT_TIME)?;
    }
    connection.ungrab_server()?;
    connection.flush()?;
    Ok(owner == NONE)
}
