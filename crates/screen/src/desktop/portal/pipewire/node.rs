//! Our end of a stream: a node with one input, into which the session manager leads the compositor's pictures.
//!
//! PipeWire calls this a client node. For each picture, the compositor wakes the node up; the node takes the picture,
//! gives the previous one back, and wakes up the nodes after it. Whose turn it is stands in shared memory, in the
//! *activation* of each node.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, PipeReader, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use franz_frame::Frame;
use rustix::event::{PollFd, PollFlags};

use super::memory::{Memory, Words};
use super::newest::{Newest, Picture};
use super::pod::{self, Pod, Pods, Writer};
use super::socket::{Message, Socket};

/// The objects of the connection: PipeWire itself, our connection, and our node.
const CORE: u32 = 0;
const CLIENT: u32 = 1;
const NODE: u32 = 2;

/// The requests to them.
mod method {
    pub(super) const CORE_HELLO: u32 = 1;
    pub(super) const CORE_SYNC: u32 = 2;
    pub(super) const CORE_PONG: u32 = 3;
    pub(super) const CORE_CREATE_OBJECT: u32 = 6;
    pub(super) const CLIENT_UPDATE_PROPERTIES: u32 = 2;
    pub(super) const NODE_UPDATE: u32 = 2;
    pub(super) const NODE_PORT_UPDATE: u32 = 3;
    pub(super) const NODE_SET_ACTIVE: u32 = 4;
}

/// The events from them.
mod event {
    use super::{CORE, NODE};

    pub(super) const DONE: (u32, u32) = (CORE, 1);
    pub(super) const PING: (u32, u32) = (CORE, 2);
    pub(super) const ERROR: (u32, u32) = (CORE, 3);
    pub(super) const ADD_MEMORY: (u32, u32) = (CORE, 6);
    pub(super) const REMOVE_MEMORY: (u32, u32) = (CORE, 7);
    pub(super) const TRANSPORT: (u32, u32) = (NODE, 0);
    pub(super) const SET_PARAMETER: (u32, u32) = (NODE, 7);
    pub(super) const USE_BUFFERS: (u32, u32) = (NODE, 8);
    pub(super) const SET_IO: (u32, u32) = (NODE, 9);
    pub(super) const SET_ACTIVATION: (u32, u32) = (NODE, 10);
}

/// The parameters of a port.
mod parameter {
    pub(super) const FORMATS: u32 = 3;
    pub(super) const FORMAT: u32 = 4;
    pub(super) const BUFFERS: u32 = 5;
    /// The types of the objects that describe them.
    pub(super) const FORMAT_OBJECT: u32 = 0x4_0003;
    pub(super) const BUFFERS_OBJECT: u32 = 0x4_0004;
    /// What a port does with a parameter.
    pub(super) const CHANGED: u32 = 1;
    pub(super) const READ: u32 = 2;
    pub(super) const WRITE: u32 = 4;
}

/// The properties of a video format.
mod format {
    pub(super) const MEDIA_TYPE: u32 = 1;
    pub(super) const VIDEO: u32 = 2;
    pub(super) const MEDIA_SUBTYPE: u32 = 2;
    pub(super) const RAW: u32 = 1;
    pub(super) const PIXELS: u32 = 0x2_0001;
    pub(super) const SIZE: u32 = 0x2_0003;
    pub(super) const RATE: u32 = 0x2_0004;
    pub(super) const RGBX: u32 = 7;
    pub(super) const BGRX: u32 = 8;
    pub(super) const RGBA: u32 = 11;
    pub(super) const BGRA: u32 = 12;
}

/// The version of PipeWire's protocol, and that of its client nodes.
const PROTOCOL: u32 = 3;
const NODE_VERSION: u32 = 4;

/// The number of our first question, which no program before has asked.
const GREETING: u32 = 0x6672_616e;

/// The number that stands for nothing.
const NOTHING: u32 = u32::MAX;

/// The numbers in an activation, by their positions.
const STATUS: usize = 0;
const RESULT: usize = 8;
const PENDING: usize = 16;
const VERSION: usize = 544;

/// The values of its status.
const NOT_TRIGGERED: u32 = 0;
const TRIGGERED: u32 = 1;
const AWAKE: u32 = 2;
const FINISHED: u32 = 3;

/// The numbers with which two ports exchange buffers, by their positions.
const EXCHANGE_STATUS: usize = 0;
const EXCHANGE_BUFFER: usize = 4;

/// The values of their status.
const NEED_DATA: u32 = 1;
const HAVE_DATA: u32 = 2;

/// The kind of memory exchange that consists of buffers.
const EXCHANGE: u32 = 1;

/// The kinds of memory that a picture can be in: the buffer's own, or that with a number.
const INSIDE: u32 = 1;
const NUMBERED: u32 = 4;

/// The kinds of memory to ask for: ordinary memory and files of it, but no memory of a graphics card.
const ORDINARY: u32 = 1 << 1 | 1 << 2;

/// The most that PipeWire itself accepts of these.
const MOST_BUFFERS: u32 = 64;
const MOST_PARTS: u32 = 256;

/// The flag of a picture that must not be shown.
const CORRUPTED: u32 = 1;

/// Our end of a stream.
pub(super) struct Node {
    socket: Socket,
    newest: Arc<Newest>,
    /// Whether PipeWire has answered the first question.
    is_answered: bool,
    memory: BTreeMap<u32, Memory>,
    /// What wakes this node up, and its activation.
    own: Option<Peer>,
    /// The nodes to wake up after this one.
    peers: BTreeMap<u32, Peer>,
    links: BTreeMap<u32, Link>,
    format: Option<Format>,
    changes: u32,
}

/// A node's activation, and the file that wakes it up.
struct Peer {
    wake: File,
    activation: Words,
}

/// What one link into the port exchanges.
#[derive(Default)]
struct Link {
    exchange: Option<Words>,
    buffers: Vec<Buffer>,
    /// The buffer with the newest picture, which the compositor must not overwrite.
    kept: Option<u32>,
}

/// Where a picture is.
struct Buffer {
    /// The memory that describes the part that is filled, and its position there.
    chunk: (u32, u64),
    /// The memory with the pixels, and their position there.
    pixels: (u32, u64),
    length: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Format {
    size: (u32, u32),
    is_red_first: bool,
}

impl Format {
    fn of(pod: Pod<'_>) -> Option<Format> {
        let (mut pixels, mut size) = (None, None);
        for property in pod.object()?.2 {
            match property.key {
                format::PIXELS => pixels = property.value.number(),
                format::SIZE => size = property.value.rectangle(),
                _ => {}
            }
        }
        let is_red_first = match pixels? {
            format::RGBX | format::RGBA => true,
            format::BGRX | format::BGRA => false,
            _ => return None,
        };
        let (width, height) = size?;
        let sides = 1..=Frame::MAX_SIDE;
        let is_possible = sides.contains(&width) && sides.contains(&height);
        is_possible.then_some(Format {
            size: (width, height),
            is_red_first,
        })
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("PipeWire sent {what}"))
}

impl Node {
    /// Creates the node, which the session manager links to the node with this number.
    pub(super) fn attach(remote: OwnedFd, target: u32, newest: Arc<Newest>) -> io::Result<Node> {
        let mut node = Node {
            socket: Socket::over(remote)?,
            newest,
            is_answered: false,
            memory: BTreeMap::new(),
            own: None,
            peers: BTreeMap::new(),
            links: BTreeMap::new(),
            format: None,
            changes: 0,
        };
        let socket = &mut node.socket;
        socket.send(CORE, method::CORE_HELLO, |to| to.int(PROTOCOL))?;
        socket.send(CORE, method::CORE_SYNC, |to| {
            to.int(CORE);
            to.int(GREETING);
        })?;
        socket.send(CLIENT, method::CLIENT_UPDATE_PROPERTIES, |to| {
            to.structure(|to| to.dictionary(&[("application.name", "FRANZ")]));
        })?;
        let target = target.to_string();
        let properties = [
            ("node.name", "franz"),
            ("media.name", "FRANZ"),
            ("media.class", "Stream/Input/Video"),
            ("media.type", "Video"),
            ("media.category", "Capture"),
            ("media.role", "Screen"),
            ("stream.is-live", "true"),
            ("node.autoconnect", "true"),
            ("node.dont-reconnect", "true"),
            ("node.want-driver", "true"),
            ("node.target", &*target),
        ];
        socket.send(CORE, method::CORE_CREATE_OBJECT, |to| {
            to.text("client-node");
            to.text("PipeWire:Interface:ClientNode");
            to.int(NODE_VERSION);
            to.structure(|to| to.dictionary(&properties));
            to.int(NODE);
        })?;
        socket.send(NODE, method::NODE_UPDATE, |to| {
            // Without parameters, but with a description: one input, no output, flags, no properties.
            to.int(1 << 1);
            to.int(0);
            to.structure(|to| {
                to.int(1);
                to.int(0);
                to.long(1);
                to.long(1);
                to.int(0);
                to.int(0);
            });
        })?;
        node.describe_port(None)?;
        node.socket.send(NODE, method::NODE_SET_ACTIVE, |to| to.bool(true))?;
        Ok(node)
    }

    /// Describes the port: the formats that it accepts, the one in use, and the buffers that it needs.
    fn describe_port(&mut self, used: Option<Pod<'_>>) -> io::Result<()> {
        self.changes += 1;
        let changed = if self.changes.is_multiple_of(2) {
            parameter::CHANGED
        } else {
            0
        };
        let in_use = if used.is_some() {
            parameter::READ | changed
        } else {
            changed
        };
        self.socket.send(NODE, method::NODE_PORT_UPDATE, |to| {
            for number in [0, 0, 0b11, if used.is_some() { 3 } else { 1 }] {
                to.int(number);
            }
            formats(to);
            if let Some(used) = used {
                used.write(to);
                buffers(to);
            }
            to.structure(|to| {
                to.long(0b1011);
                to.long(0);
                for number in [0, 1, 0, 3] {
                    to.int(number);
                }
                to.id(parameter::FORMATS);
                to.int(parameter::READ);
                to.id(parameter::FORMAT);
                to.int(parameter::WRITE | in_use);
                to.id(parameter::BUFFERS);
                to.int(in_use);
            });
        })
    }

    /// Receives pictures until the other end of `stopped` is closed.
    pub(super) fn run(&mut self, stopped: &PipeReader) -> io::Result<()> {
        loop {
            let is_awake = {
                let mut files = vec![
                    PollFd::new(stopped, PollFlags::IN),
                    PollFd::new(&self.socket, PollFlags::IN),
                ];
                if let Some(own) = &self.own {
                    files.push(PollFd::new(&own.wake, PollFlags::IN));
                }
                match rustix::event::poll(&mut files, None) {
                    Ok(_) | Err(rustix::io::Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
                if !files[0].revents().is_empty() {
                    return Ok(());
                }
                files.get(2).is_some_and(|file| file.revents().contains(PollFlags::IN))
            };
            if is_awake {
                self.wake_up()?;
            }
            self.catch_up()?;
        }
    }

    /// Processes the messages that have arrived.
    pub(super) fn catch_up(&mut self) -> io::Result<()> {
        while let Some(message) = self.socket.receive()? {
            self.hear(message)?;
        }
        Ok(())
    }

    /// Notes why the stream has ended.
    pub(super) fn end(&self, ended: io::Result<()>) {
        let why = ended.map_or_else(|error| error.to_string(), |()| "it was closed".to_owned());
        self.newest.replace(None, || ());
        self.newest.fail(why);
    }

    fn hear(&mut self, mut message: Message) -> io::Result<()> {
        let what = (message.object, message.event);
        let body = std::mem::take(&mut message.body);
        let Some(fields) = Pods::of_message(&body) else {
            return Err(invalid("something that is no message"));
        };
        if what == event::DONE {
            self.is_answered |= second(fields) == Some(GREETING);
        }
        // What comes before belongs to the portal, which had the connection before.
        if !self.is_answered {
            return Ok(());
        }
        match what {
            event::PING => self.answer(fields),
            event::ERROR => return Err(refused(fields)),
            event::ADD_MEMORY => self.add_memory(fields, &mut message),
            event::REMOVE_MEMORY => { fields }.number().map(|id| drop(self.memory.remove(&id))).map(Ok),
            event::TRANSPORT => self.set_transport(fields, &mut message),
            event::SET_PARAMETER => self.set_parameter(fields),
            event::USE_BUFFERS => self.use_buffers(fields),
            event::SET_IO => self.set_exchange(fields),
            event::SET_ACTIVATION => self.set_peer(fields, &mut message),
            _ => Some(Ok(())),
        }
        .unwrap_or_else(|| Err(invalid(&format!("an incomplete message {} of {}", what.1, what.0))))
    }

    fn answer(&mut self, mut fields: Pods<'_>) -> Option<io::Result<()>> {
        let (id, number) = (fields.number()?, fields.number()?);
        Some(self.socket.send(CORE, method::CORE_PONG, |to| {
            to.int(id);
            to.int(number);
        }))
    }

    fn add_memory(&mut self, mut fields: Pods<'_>, message: &mut Message) -> Option<io::Result<()>> {
        let (id, _kind) = (fields.number()?, fields.number()?);
        let file = message.take(fields.file()?)?;
        self.memory.insert(id, Memory::of(file));
        Some(Ok(()))
    }

    fn words(&mut self, id: u32, offset: u32, length: u32) -> io::Result<Words> {
        let memory = self.memory.get_mut(&id).ok_or_else(|| invalid("no such memory"))?;
        memory.words(offset, length)
    }

    fn set_transport(&mut self, mut fields: Pods<'_>, message: &mut Message) -> Option<io::Result<()>> {
        let (wake, _answer) = (message.take(fields.file()?)?, fields.file()?);
        let (memory, offset, length) = (fields.number()?, fields.number()?, fields.number()?);
        let own = self.words(memory, offset, length).and_then(|activation| {
            rustix::io::ioctl_fionbio(&wake, true)?;
            let wake = File::from(wake);
            Ok(Peer { wake, activation })
        });
        Some(own.map(|own| self.own = Some(own)))
    }

    fn set_peer(&mut self, mut fields: Pods<'_>, message: &mut Message) -> Option<io::Result<()>> {
        let (node, file) = (fields.number()?, fields.pod());
        let (memory, offset, length) = (fields.number()?, fields.number()?, fields.number()?);
        if memory == NOTHING {
            self.peers.remove(&node);
            return Some(Ok(()));
        }
        let wake = message.take(file?.file()?)?;
        let peer = self.words(memory, offset, length).and_then(|activation| {
            rustix::io::ioctl_fionbio(&wake, true)?;
            let wake = File::from(wake);
            Ok(Peer { wake, activation })
        });
        Some(peer.map(|peer| drop(self.peers.insert(node, peer))))
    }

    fn set_parameter(&mut self, mut fields: Pods<'_>) -> Option<io::Result<()>> {
        let (_direction, _port, id, _flags) = (fields.number()?, fields.number()?, fields.number()?, fields.number()?);
        if id != parameter::FORMAT {
            return Some(Ok(()));
        }
        let used = fields.pod().filter(|pod| !pod.is_none());
        self.format = used.and_then(Format::of);
        self.newest.replace(None, || ());
        for link in self.links.values_mut() {
            link.buffers.clear();
            link.kept = None;
        }
        if used.is_some() && self.format.is_none() {
            return Some(Err(invalid("pictures in a format that FRANZ does not know")));
        }
        Some(self.describe_port(used))
    }

    fn set_exchange(&mut self, mut fields: Pods<'_>) -> Option<io::Result<()>> {
        let (_direction, _port, link, kind) = (fields.number()?, fields.number()?, fields.number()?, fields.number()?);
        let (memory, offset, length) = (fields.number()?, fields.number()?, fields.number()?);
        if kind != EXCHANGE {
            return Some(Ok(()));
        }
        let exchange = if memory == NOTHING {
            Ok(None)
        } else {
            self.words(memory, offset, length).map(Some)
        };
        Some(exchange.map(|exchange| self.links.entry(link).or_default().exchange = exchange))
    }

    fn use_buffers(&mut self, mut fields: Pods<'_>) -> Option<io::Result<()>> {
        let (_direction, _port, link, _flags) =
            (fields.number()?, fields.number()?, fields.number()?, fields.number()?);
        let count = fields.number().filter(|count| *count <= MOST_BUFFERS)?;
        let buffers = (0..count).map(|_| Buffer::of(&mut fields)).collect::<Option<_>>()?;
        self.newest.replace(None, || ());
        let link = self.links.entry(link).or_default();
        link.buffers = buffers;
        link.kept = None;
        Some(Ok(()))
    }

    /// Takes a picture, if there is one, and lets the other nodes go on.
    pub(super) fn wake_up(&mut self) -> io::Result<()> {
        let Some(own) = &mut self.own else { return Ok(()) };
        let mut count = [0; 8];
        match own.wake.read(&mut count) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(error),
        }
        let activation = own.activation.clone();
        if !passes(&activation, TRIGGERED, AWAKE) {
            return Ok(());
        }
        for link in self.links.values_mut() {
            link.take(&self.memory, self.format, &self.newest);
        }
        if let Some(result) = activation.at(RESULT) {
            result.store(NEED_DATA, Ordering::Release);
        }
        if passes(&activation, AWAKE, FINISHED) {
            for peer in self.peers.values_mut() {
                peer.trigger();
            }
        }
        Ok(())
    }
}

/// Changes the status of an activation; returns `false` if it is not the expected one.
fn passes(activation: &Words, from: u32, to: u32) -> bool {
    activation.at(STATUS).is_some_and(|status| {
        status
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    })
}

impl Peer {
    /// Wakes the node up if it has waited only for this one.
    fn trigger(&mut self) {
        let Some(pending) = self.activation.at(PENDING) else {
            return;
        };
        if pending.fetch_sub(1, Ordering::AcqRel) != 1 {
            return;
        }
        // Older versions have no status that forbids it.
        let is_checked = self
            .activation
            .at(VERSION)
            .is_some_and(|version| version.load(Ordering::Relaxed) > 0);
        let is_due = if is_checked {
            passes(&self.activation, NOT_TRIGGERED, TRIGGERED)
        } else {
            let status = self.activation.at(STATUS);
            status
                .map(|status| status.store(TRIGGERED, Ordering::Release))
                .is_some()
        };
        if is_due {
            // A node that has been woken up so often that its counter is full is awake.
            let _ = self.wake.write(&1u64.to_ne_bytes());
        }
    }
}

impl Link {
    /// Takes the picture that the compositor offers, and gives the previous one back.
    fn take(&mut self, memory: &BTreeMap<u32, Memory>, format: Option<Format>, newest: &Newest) {
        let Some(exchange) = &self.exchange else { return };
        let (Some(status), Some(buffer)) = (exchange.at(EXCHANGE_STATUS), exchange.at(EXCHANGE_BUFFER)) else {
            return;
        };
        if status.load(Ordering::Acquire) != HAVE_DATA {
            status.store(NEED_DATA, Ordering::Release);
            return;
        }
        let offered = buffer.load(Ordering::Acquire);
        let picture = self
            .buffers
            .get(offered as usize)
            .zip(format)
            .and_then(|(buffer, format)| buffer.picture(memory, format));
        let give_back = |id: Option<u32>| {
            buffer.store(id.unwrap_or(NOTHING), Ordering::Release);
            status.store(NEED_DATA, Ordering::Release);
        };
        match picture {
            Some(picture) => newest.replace(Some(picture), || give_back(self.kept.replace(offered))),
            None => give_back(Some(offered)),
        }
    }
}

impl Buffer {
    fn of(fields: &mut Pods<'_>) -> Option<Buffer> {
        let (memory, offset, _length) = (fields.number()?, u64::from(fields.number()?), fields.number()?);
        let mut before: u64 = 0;
        let details = fields.number().filter(|count| *count <= MOST_PARTS)?;
        for _ in 0..details {
            let (_kind, length) = (fields.number()?, fields.number()?);
            before += u64::from(length).next_multiple_of(8);
        }
        let parts = fields.number().filter(|count| (1..=MOST_PARTS).contains(count))?;
        let mut first = None;
        for _ in 0..parts {
            let (kind, data, _flags) = (fields.number()?, fields.number()?, fields.number()?);
            let (start, length) = (u64::from(fields.number()?), fields.number()?);
            let pixels = match kind {
                INSIDE => Some((memory, offset + u64::from(data))),
                NUMBERED => Some((data, start)),
                _ => None,
            };
            // Pictures of these formats have one part.
            first.get_or_insert((pixels, length));
        }
        let (pixels, length) = first?;
        Some(Buffer {
            chunk: (memory, offset + before),
            pixels: pixels?,
            length,
        })
    }

    /// Returns the picture in the buffer, or `None` if it is not complete.
    fn picture(&self, memory: &BTreeMap<u32, Memory>, format: Format) -> Option<Picture> {
        let (id, position) = self.chunk;
        let mut chunk = [0; 16];
        memory.get(&id)?.read(position, &mut chunk).ok()?;
        let [offset, filled, stride, flags] =
            [0, 4, 8, 12].map(|at| u32::from_ne_bytes([chunk[at], chunk[at + 1], chunk[at + 2], chunk[at + 3]]));
        let (width, height) = format.size;
        let length = u64::from(stride) * u64::from(height);
        let is_whole = stride / 4 >= width
            && stride / 8 <= width
            && u64::from(offset) + length <= u64::from(self.length)
            && u64::from(filled) >= length;
        if !is_whole || flags & CORRUPTED != 0 {
            return None;
        }
        let (id, position) = self.pixels;
        Some(Picture {
            file: memory.get(&id)?.file(),
            offset: position + u64::from(offset),
            size: format.size,
            stride,
            is_red_first: format.is_red_first,
        })
    }
}

/// Writes the formats that the port accepts.
fn formats(to: &mut Writer) {
    to.object(parameter::FORMAT_OBJECT, parameter::FORMATS, |to| {
        to.key(format::MEDIA_TYPE).id(format::VIDEO);
        to.key(format::MEDIA_SUBTYPE).id(format::RAW);
        // The first is the preferred one, and also the default.
        let pixels = [format::BGRX, format::BGRX, format::BGRA, format::RGBX, format::RGBA].map(|pixels| [pixels]);
        to.key(format::PIXELS).choice(pod::ENUM, pod::ID, &pixels);
        let sides = [[1920, 1080], [1, 1], [Frame::MAX_SIDE; 2]];
        to.key(format::SIZE).choice(pod::RANGE, pod::RECTANGLE, &sides);
        let rates = [[0, 1], [0, 1], [1000, 1]];
        to.key(format::RATE).choice(pod::RANGE, pod::FRACTION, &rates);
    });
}

/// Writes the buffers that the port needs: one that it keeps, and others that the compositor fills meanwhile.
fn buffers(to: &mut Writer) {
    to.object(parameter::BUFFERS_OBJECT, parameter::BUFFERS, |to| {
        to.key(1).choice(pod::RANGE, pod::INT, &[[4], [3], [16]]);
        to.key(2).int(1);
        to.key(6).choice(pod::FLAGS, pod::INT, &[[ORDINARY]]);
    });
}

fn second(mut fields: Pods<'_>) -> Option<u32> {
    fields.number()?;
    fields.number()
}

/// Returns the error that PipeWire reports.
fn refused(mut fields: Pods<'_>) -> io::Error {
    let why = (|| {
        let (_object, _request, _code) = (fields.number()?, fields.number()?, fields.number()?);
        fields.text()
    })();
    io::Error::other(format!(
        "PipeWire refused a request: {}",
        why.as_deref().unwrap_or("it does not say why")
    ))
}
