//! The clipboard, by wlr-data-control. Text that FRANZ puts there is handed out by a thread with its own connection.

use std::io::{self, ErrorKind, Read, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};

use wayland_client::{Connection as Client, Dispatch, Proxy as _, QueueHandle, delegate_noop, event_created_child};
use wayland_protocols_wlr::data_control::v1::client::{
    zwlr_data_control_device_v1, zwlr_data_control_manager_v1, zwlr_data_control_offer_v1, zwlr_data_control_source_v1,
};

use super::connection::Connection;
use super::events::Events;
use super::socket;
use crate::desktop::display::{DisplayError, IsOver};
use crate::desktop::pasting::TOO_LONG;

use zwlr_data_control_device_v1::ZwlrDataControlDeviceV1;
use zwlr_data_control_manager_v1::ZwlrDataControlManagerV1;
use zwlr_data_control_offer_v1::ZwlrDataControlOfferV1;
use zwlr_data_control_source_v1::ZwlrDataControlSourceV1;

/// The names of text, the most exact first.
const TEXTS: [&str; 4] = ["text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "TEXT"];

/// How long a program may take to hand over its text, or to take ours.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often a wait checks whether the run is over.
const SLICE: Duration = Duration::from_millis(20);

/// The longest text to accept, in bytes.
const LONGEST: usize = 16 << 20;

/// Text that FRANZ has put on the clipboard. It stays there until other text replaces it or this is dropped.
pub(in crate::desktop) struct Offered {
    is_over: Arc<AtomicBool>,
}

impl Drop for Offered {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Connects for the clipboard alone.
fn connect(socket: &Path, is_over: IsOver) -> Result<(Connection, ZwlrDataControlManagerV1), DisplayError> {
    let stream = socket::connect(socket)?;
    let connection = Connection::over(stream, is_over)?;
    let manager = connection.bind(1, 1).ok_or_else(|| {
        DisplayError::Refused(
            "this Wayland compositor lacks wlr-data-control, so FRANZ does not reach the clipboard; copy and paste with \
             the keyboard"
                .to_owned(),
        )
    })?;
    Ok((connection, manager))
}

/// Returns whether the compositor lets programs reach the clipboard in this way.
pub(in crate::desktop) fn is_there(socket: &Path, is_over: &IsOver) -> bool {
    connect(socket, Arc::clone(is_over)).is_ok()
}

fn device(
    connection: &mut Connection,
    manager: &ZwlrDataControlManagerV1,
) -> Result<ZwlrDataControlDeviceV1, DisplayError> {
    let seat = connection.bind(1, 1);
    let seat = seat.ok_or_else(|| DisplayError::Refused("the desktop has no clipboard".to_owned()))?;
    Ok(manager.get_data_device(&seat, &connection.handle(), ()))
}

/// Returns the text on the clipboard, if there is any.
pub(in crate::desktop) fn read(socket: &Path, is_over: &IsOver) -> Result<Option<String>, DisplayError> {
    const DOING: &str = "reading the clipboard";
    let failed = |error: io::Error| DisplayError::failed(DOING, error);
    let (mut connection, manager) = connect(socket, Arc::clone(is_over))?;
    device(&mut connection, &manager)?;
    connection.sync(DOING)?;
    let told = &connection.events().clipboard;
    let Some(selection) = told.selection.clone() else {
        return Ok(None);
    };
    let types = told.types.get(&selection.id());
    let text = TEXTS
        .iter()
        .find(|text| types.is_some_and(|types| types.iter().any(|one| one == *text)));
    let Some(text) = text else { return Ok(None) };
    let (reader, writer) = io::pipe().map_err(failed)?;
    selection.receive((*text).to_owned(), writer.as_fd());
    connection.sync(DOING)?;
    drop(writer);
    text_from(reader, is_over).map(Some)
}

/// Reads the text that a program hands over, up to its end.
pub(in crate::desktop) fn text_from(reader: impl Read + AsFd, is_over: &IsOver) -> Result<String, DisplayError> {
    match received(reader, is_over) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => Err(DisplayError::Refused(TOO_LONG.to_owned())),
        Err(error) => Err(DisplayError::failed("reading the clipboard", error)),
    }
}

fn received(mut reader: impl Read + AsFd, is_over: &IsOver) -> io::Result<Vec<u8>> {
    let deadline = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    loop {
        wait_for(&reader, PollFlags::IN, deadline, is_over)?;
        match reader.read(&mut part)? {
            0 => return Ok(bytes),
            count => bytes.extend_from_slice(&part[..count]),
        }
        if bytes.len() > LONGEST {
            return Err(ErrorKind::FileTooLarge.into());
        }
    }
}

fn wait_for(file: &impl AsFd, what: PollFlags, deadline: Instant, is_over: &IsOver) -> io::Result<()> {
    let slice = Timespec::try_from(SLICE).map_err(io::Error::other)?;
    // Check the time first: a program that hands over a byte at a time is always ready.
    while !is_over() && Instant::now() < deadline {
        match rustix::event::poll(&mut [PollFd::new(file, what)], Some(&slice)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
    Err(io::Error::new(
        ErrorKind::TimedOut,
        "a program does not hand over its text",
    ))
}

/// Puts text on the clipboard, unless the run ends before.
pub(in crate::desktop) fn offer(socket: &Path, text: &str, run_is_over: &IsOver) -> Result<Offered, DisplayError> {
    const DOING: &str = "writing to the clipboard";
    let offered = Offered {
        is_over: Arc::new(AtomicBool::new(false)),
    };
    let ended = Arc::clone(&offered.is_over);
    let is_offered = Arc::new(AtomicBool::new(false));
    let (is_set, run_is_over) = (Arc::clone(&is_offered), Arc::clone(run_is_over));
    let is_over: IsOver =
        Arc::new(move || ended.load(Ordering::Relaxed) || (!is_set.load(Ordering::Relaxed) && run_is_over()));
    let (mut connection, manager) = connect(socket, Arc::clone(&is_over))?;
    let device = device(&mut connection, &manager)?;
    let source = manager.create_data_source(&connection.handle(), ());
    for name in TEXTS {
        source.offer(name.to_owned());
    }
    device.set_selection(Some(&source));
    connection.sync(DOING)?;
    is_offered.store(true, Ordering::Relaxed);
    let text = text.to_owned();
    let serve = move || {
        while let Ok(takers) = connection.wait_on("handing out the clipboard", wanted) {
            if takers.is_empty() {
                return;
            }
            for taker in takers {
                // A program that does not take the text gets none.
                let _ = hand_over(taker, text.as_bytes(), &is_over);
            }
        }
    };
    let started = std::thread::Builder::new().name("clipboard".to_owned()).spawn(serve);
    started.map_err(|error| DisplayError::failed(DOING, error))?;
    Ok(offered)
}

/// Returns the programs that want the text, or none once other text is on the clipboard.
fn wanted(events: &mut Events) -> Option<Vec<OwnedFd>> {
    let told = &mut events.clipboard;
    let is_known = !told.takers.is_empty() || told.is_replaced;
    is_known.then(|| std::mem::take(&mut told.takers))
}

/// Writes text for a program that pastes it, as far as the program takes it in time.
pub(in crate::desktop) fn hand_over(taker: OwnedFd, mut text: &[u8], is_over: &IsOver) -> io::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    rustix::io::ioctl_fionbio(&taker, true)?;
    let mut taker = std::fs::File::from(taker);
    while !text.is_empty() {
        wait_for(&taker, PollFlags::OUT, deadline, is_over)?;
        match taker.write(text) {
            Ok(count) => text = &text[count..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

impl Dispatch<ZwlrDataControlDeviceV1, ()> for Events {
    fn event(
        events: &mut Events,
        _: &ZwlrDataControlDeviceV1,
        event: zwlr_data_control_device_v1::Event,
        (): &(),
        _: &Client,
        _: &QueueHandle<Events>,
    ) {
        if let zwlr_data_control_device_v1::Event::Selection { id } = event {
            events.clipboard.selection = id;
        }
    }

    event_created_child!(Events, ZwlrDataControlDeviceV1, [
        zwlr_data_control_device_v1::EVT_DATA_OFFER_OPCODE => (ZwlrDataControlOfferV1, ()),
    ]);
}

impl Dispatch<ZwlrDataControlOfferV1, ()> for Events {
    fn event(
        events: &mut Events,
        offer: &ZwlrDataControlOfferV1,
        event: zwlr_data_control_offer_v1::Event,
        (): &(),
        _: &Client,
        _: &QueueHandle<Events>,
    ) {
        if let zwlr_data_control_offer_v1::Event::Offer { mime_type } = event {
            events.clipboard.types.entry(offer.id()).or_default().push(mime_type);
        }
    }
}

impl Dispatch<ZwlrDataControlSourceV1, ()> for Events {
    fn event(
        events: &mut Events,
        _: &ZwlrDataControlSourceV1,
        event: zwlr_data_control_source_v1::Event,
        (): &(),
        _: &Client,
        _: &QueueHandle<Events>,
    ) {
        match event {
            zwlr_data_control_source_v1::Event::Send { fd, .. } => events.clipboard.takers.push(fd),
            zwlr_data_control_source_v1::Event::Cancelled => events.clipboard.is_replaced = true,
            _ => {}
        }
    }
}

delegate_noop!(Events: ZwlrDataControlManagerV1);

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn a_program_that_never_ends_its_text_does_not_outlast_the_run() {
        let (reader, mut writer) = io::pipe().unwrap();
        let endless = std::thread::spawn(move || while writer.write_all(b"x").is_ok() {});
        let checks = AtomicUsize::new(0);
        let is_over: IsOver = Arc::new(move || checks.fetch_add(1, Ordering::Relaxed) > 100);
        let error = received(reader, &is_over).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        endless.join().unwrap();
    }

    #[test]
    fn a_text_that_is_too_long_is_refused_instead_of_cut() {
        for (length, is_read) in [(LONGEST, true), (LONGEST + 1, false)] {
            let (reader, mut writer) = io::pipe().unwrap();
            let writing = std::thread::spawn(move || drop(writer.write_all(&vec![b'x'; length])));
            let is_over: IsOver = Arc::new(|| false);
            match text_from(reader, &is_over) {
                Ok(text) => assert!(is_read && text.len() == length, "{length}"),
                Err(error) => {
                    assert!(!is_read, "{error}");
                    assert_eq!(error.to_string(), TOO_LONG);
                }
            }
            writing.join().unwrap();
        }
    }
}
