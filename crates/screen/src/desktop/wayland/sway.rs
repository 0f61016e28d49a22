//! The windows on sway, by its interface for programs, [sway-ipc(7)]: the Wayland protocols report no places.
//!
//! [sway-ipc(7)]: https://man.archlinux.org/man/sway-ipc.7.en

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::outputs::{self, Placed, Rectangle};
use crate::desktop::display::{DisplayError, IsOver};
use crate::window::{Window, WindowId};

/// The prefix of every message.
const MAGIC: &[u8; 6] = b"i3-ipc";

/// The length of a message's head: the magic, the length of its content, and its kind.
const HEAD: usize = MAGIC.len() + 8;

/// The kinds of messages.
const RUN_COMMAND: u32 = 0;
const GET_TREE: u32 = 4;

/// The longest answer to accept, in bytes.
const LONGEST: usize = 8 << 20;

/// How long to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often a wait checks whether the run is over.
const SLICE: Duration = Duration::from_millis(20);

/// A running sway.
pub(super) struct Sway {
    socket: PathBuf,
}

/// A part of the tree that sway reports: a monitor, a workspace, a group of windows, or a window.
#[derive(Debug, Deserialize)]
struct Node {
    id: u64,
    name: Option<String>,
    /// The process of a window; other nodes have none.
    pid: Option<i64>,
    app_id: Option<String>,
    window_properties: Option<Properties>,
    visible: Option<bool>,
    #[serde(default)]
    focused: bool,
    #[serde(default)]
    rect: Rectangle,
    /// The title bar, which `rect` leaves out.
    #[serde(default)]
    deco_rect: Rectangle,
    #[serde(default)]
    nodes: Vec<Node>,
    #[serde(default)]
    floating_nodes: Vec<Node>,
    /// The identifiers of its parts, the one that was last in front first.
    #[serde(default)]
    focus: Vec<u64>,
}

/// What an X program says about its window.
#[derive(Debug, Deserialize)]
struct Properties {
    class: Option<String>,
}

#[derive(Deserialize)]
struct Done {
    success: bool,
}

impl Sway {
    /// Returns the sway that listens at this compositor's socket, or `None` if it is another compositor.
    pub(super) fn behind(stream: &UnixStream, socket: &Path) -> Option<Sway> {
        let process = rustix::net::sockopt::socket_peercred(stream).ok()?;
        let (user, process) = (process.uid.as_raw(), process.pid.as_raw_pid());
        let socket = socket.with_file_name(format!("sway-ipc.{user}.{process}.sock"));
        socket.exists().then_some(Sway { socket })
    }

    /// Returns the windows of programs, the topmost first.
    pub(super) fn windows(&self, placed: &[Placed], is_over: &IsOver) -> Result<Vec<Window>, DisplayError> {
        let failed = |error: io::Error| DisplayError::failed("listing the windows", error);
        let answer = self.ask(GET_TREE, "", is_over).map_err(failed)?;
        let root: Node = serde_json::from_slice(&answer).map_err(|error| failed(error.into()))?;
        let mut windows = Vec::new();
        list(root, placed, &mut windows);
        Ok(windows)
    }

    /// Brings a window to the front and gives it the keyboard focus. Returns `false` if it no longer exists.
    pub(super) fn focus(&self, window: WindowId, is_over: &IsOver) -> Result<bool, DisplayError> {
        let failed = |error: io::Error| DisplayError::failed("bringing a window to the front", error);
        let command = format!("[con_id={}] focus", window.0);
        let answer = self.ask(RUN_COMMAND, &command, is_over).map_err(failed)?;
        let done: Vec<Done> = serde_json::from_slice(&answer).map_err(|error| failed(error.into()))?;
        Ok(done.iter().any(|done| done.success))
    }

    /// Sends one message and returns the content of the answer.
    fn ask(&self, kind: u32, content: &str, is_over: &IsOver) -> io::Result<Vec<u8>> {
        let mut stream = UnixStream::connect(&self.socket)?;
        stream.set_read_timeout(Some(SLICE))?;
        let length = u32::try_from(content.len()).map_err(io::Error::other)?;
        let message = [
            MAGIC.as_slice(),
            &length.to_ne_bytes(),
            &kind.to_ne_bytes(),
            content.as_bytes(),
        ];
        stream.write_all(&message.concat())?;
        let deadline = Instant::now() + PATIENCE;
        let mut head = [0; HEAD];
        read(&mut stream, &mut head, deadline, is_over)?;
        let mut content = vec![0; length_of(&head)?];
        read(&mut stream, &mut content, deadline, is_over)?;
        Ok(content)
    }
}

/// Counts the windows in a tree that sway reports.
#[cfg(fuzzing)]
pub(in crate::desktop) fn windows_in(tree: &[u8]) -> Option<usize> {
    let root = serde_json::from_slice(tree).ok()?;
    let mut windows = Vec::new();
    list(root, &[], &mut windows);
    Some(windows.len())
}

/// Returns the length of the content that a head announces.
fn length_of(head: &[u8; HEAD]) -> io::Result<usize> {
    let (magic, [a, b, c, d, ..]) = head.split_at(MAGIC.len()) else {
        return Err(ErrorKind::InvalidData.into());
    };
    let length = u32::from_ne_bytes([*a, *b, *c, *d]) as usize;
    if magic != MAGIC || length > LONGEST {
        return Err(io::Error::new(ErrorKind::InvalidData, "sway's answer cannot be parsed"));
    }
    Ok(length)
}

/// Fills a buffer, unless it takes too long or the run is over.
fn read(stream: &mut UnixStream, buffer: &mut [u8], deadline: Instant, is_over: &IsOver) -> io::Result<()> {
    let mut filled = 0;
    while filled < buffer.len() {
        match stream.read(&mut buffer[filled..]) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if Instant::now() >= deadline || is_over() {
                    return Err(ErrorKind::TimedOut.into());
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Adds the windows in this part of the tree, the topmost first.
fn list(node: Node, placed: &[Placed], windows: &mut Vec<Window>) {
    if node.pid.is_some() {
        windows.push(window(node, placed));
        return;
    }
    let order = |child: &Node| node.focus.iter().position(|id| *id == child.id);
    let by_focus = |mut children: Vec<Node>| {
        children.sort_by_key(|child| order(child).unwrap_or(usize::MAX));
        children
    };
    let floating = by_focus(node.floating_nodes);
    for child in floating.into_iter().chain(by_focus(node.nodes)) {
        list(child, placed, windows);
    }
}

fn window(node: Node, placed: &[Placed]) -> Window {
    let title_bar = node.deco_rect.height.max(0);
    let frame = Rectangle {
        y: node.rect.y.saturating_sub(title_bar),
        height: node.rect.height.saturating_add(title_bar),
        ..node.rect
    };
    let class = node.app_id.or(node.window_properties.and_then(|own| own.class));
    Window {
        id: WindowId(node.id),
        title: node.name.unwrap_or_default(),
        class: class.unwrap_or_default(),
        place: outputs::visible(placed, frame).filter(|_| node.visible != Some(false)),
        is_active: node.focused,
        dialog_of: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(tree: &str) -> Vec<(u64, String, String, bool)> {
        let mut windows = Vec::new();
        list(serde_json::from_str(tree).unwrap(), &[], &mut windows);
        let told = |window: Window| (window.id.0, window.title, window.class, window.is_active);
        windows.into_iter().map(told).collect()
    }

    #[test]
    fn floating_windows_come_first_and_then_the_last_in_front() {
        let tree = r#"{"id": 1, "focus": [2], "nodes": [{"id": 2, "focus": [5, 3, 4],
            "nodes": [{"id": 3, "pid": 7, "name": "a", "app_id": "foot"},
                      {"id": 4, "pid": 7, "name": null, "app_id": null, "window_properties": {"class": "XTerm"}}],
            "floating_nodes": [{"id": 5, "pid": 8, "name": "b", "focused": true}]}]}"#;
        let expected = [(5, "b", "", true), (3, "a", "foot", false), (4, "", "XTerm", false)];
        let expected = expected.map(|(id, title, class, front)| (id, title.to_owned(), class.to_owned(), front));
        assert_eq!(windows(tree), expected);
        assert_eq!(windows(r#"{"id": 1}"#), []);
    }

    #[test]
    fn a_head_that_makes_no_sense_is_an_error() {
        let head = |magic: &[u8], length: u32| {
            let bytes = [magic, &length.to_ne_bytes(), &[0; 4]].concat();
            length_of(&bytes.try_into().unwrap()).ok()
        };
        assert_eq!(head(MAGIC, 12), Some(12));
        assert_eq!(head(MAGIC, u32::MAX), None);
        assert_eq!(head(b"HTTP/1", 12), None);
    }
}
