//! Opens a desktop, or explains why there is none to open.

use std::io::ErrorKind;

use x11rb::errors::ConnectError;
use x11rb::protocol::randr::ConnectionExt as _;
use x11rb::protocol::xtest::{self, ConnectionExt as _};

use super::buttons::Buttons;
use super::capture::{Capture, check_format};
use super::client_sync::ClientSync;
use super::cursor::Cursor;
use super::keyboard::Keyboard;
use super::monitors::Monitors;
use super::paths::Paths;
use super::server::{Address, Answer, Server, While, failed};
use super::window_list::WindowList;
use super::{X11, layout};
use crate::desktop::display::{Display, DisplayError, IsOver};
use crate::desktop::wayland::only_x_programs;

const DOING: &str = "opening the desktop";

/// What to use instead of a desktop.
const INSTEAD: &str = "use a private desktop with --screen virtual, or draw on the sandbox with --screen canvas";

/// Opens the display with this name, or the session's.
pub(in crate::desktop) fn open(name: Option<&str>, is_over: IsOver) -> Result<Box<dyn Display>, DisplayError> {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if name.is_none() && !set("DISPLAY") {
        return Err(DisplayError::Unavailable(format!(
            "there is no desktop: DISPLAY is not set; start FRANZ inside a graphical session, {INSTEAD}"
        )));
    }
    let address = Address {
        name: name.map(str::to_owned),
        cookie: None,
    };
    open_at(address, is_over)
}

/// Opens the display at this address.
pub(crate) fn open_at(address: Address, is_over: IsOver) -> Result<Box<dyn Display>, DisplayError> {
    let named = address.name.is_some();
    let server = connect(address, is_over)?;
    if !named && is_wayland(&server).during(DOING)? {
        return Err(only_x_programs());
    }
    check_format(&server)?;
    if !server.has(xtest::X11_EXTENSION_NAME).during(DOING)? {
        return Err(lacks(
            &server,
            "XTEST, which programs need to move the mouse and press keys, or denies it to untrusted programs, as with \
             ssh -X; connect with ssh -Y",
        ));
    }
    if !layout::turn_on(&server).during(DOING)? {
        return Err(lacks(&server, "XKB, which describes the keyboard"));
    }
    let attention = server.again().during(DOING)?;
    Ok(Box::new(start(server, attention).during(DOING)?))
}

fn start(server: Server, attention: Server) -> Answer<X11> {
    // Otherwise this connection would have to wait whenever another program grabs the server.
    server.connection.xtest_grab_control(true)?;
    Ok(X11 {
        monitors: Monitors::watch(&server)?,
        capture: Capture::of(&server)?,
        cursor: Cursor::watch(&server)?,
        buttons: Buttons::of(&server)?,
        keyboard: Keyboard::of(&server, ClientSync::of(attention)?)?,
        windows: WindowList::default(),
        paths: Paths::default(),
        offer: None,
        server,
    })
}

fn connect(address: Address, is_over: IsOver) -> Result<Server, DisplayError> {
    let name = address
        .name
        .clone()
        .or_else(|| std::env::var("DISPLAY").ok())
        .unwrap_or_default();
    Server::connect(address, is_over).map_err(|error| {
        let why = match error {
            // The server exists, and might answer later.
            ConnectError::IoError(ref silent) if silent.kind() == ErrorKind::TimedOut => return failed(DOING, error),
            ConnectError::SetupFailed(refused) => {
                format!(
                    "it refused the connection: {}; check XAUTHORITY",
                    String::from_utf8_lossy(&refused.reason).trim()
                )
            }
            ConnectError::SetupAuthenticate(_) => {
                "it requires another authentication method; check XAUTHORITY".to_owned()
            }
            ConnectError::DisplayParsingError(error) => format!("{error}; write a display like :0"),
            other => format!("{other}; check that it is running"),
        };
        DisplayError::Unavailable(format!("the X display {name} cannot be opened ({why}); {INSTEAD}"))
    })
}

fn lacks(server: &Server, what: &str) -> DisplayError {
    let name = server.name();
    DisplayError::Unavailable(format!("the X display {name} lacks {what}; {INSTEAD}"))
}

/// Returns whether the X server runs inside a Wayland compositor and shows only the windows of X programs.
fn is_wayland(server: &Server) -> Answer<bool> {
    if server.has("XWAYLAND")? {
        return Ok(true);
    }
    if !server.has(x11rb::protocol::randr::X11_EXTENSION_NAME)? {
        return Ok(false);
    }
    let connection = &server.connection;
    let outputs = connection
        .randr_get_screen_resources_current(server.root)?
        .reply()?
        .outputs;
    for output in outputs {
        let output = connection.randr_get_output_info(output, x11rb::CURRENT_TIME)?.reply()?;
        if output.name.starts_with(b"XWAYLAND") {
            return Ok(true);
        }
    }
    Ok(false)
}
