//! Our end of a stream: a node with one input, into which the session manager leads the compositor's pictures.
//!
//! PipeWire calls this a client node. For each picture, the compositor wakes the node up; the node takes the picture,
//! gives the previous one back, and wakes up the nodes after it. Whose turn it is stands in shared memory, in the
//! *activation* of each node.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, PipeReader, Read as _};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::event::{PollFd, PollFlags};

use super::activation::{AWAKE, FINISHED, Peer, RESULT, TRIGGERED, passes};
use super::link::{Buffer, Link, MOST_BUFFERS, NEED_DATA};
use super::memory::{Memory, NOTHING, Words};
use super::newest::Newest;
use super::pod::{Pod, Pods};
use super::port::{Format, buffers, formats, parameter};
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

/// The version of PipeWire's protocol, and that of its client nodes.
const PROTOCOL: u32 = 3;
const NODE_VERSION: u32 = 4;

/// The number of our first question, which no program before has asked.
const GREETING: u32 = 0x6672_616e;

/// The kind of memory exchange that consists of buffers.
const EXCHANGE: u32 = 1;

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

    /// Returns the node that this file wakes up, with its activation in a part of shared memory.
    fn peer(&mut self, wake: OwnedFd, memory: u32, offset: u32, length: u32) -> io::Result<Peer> {
        let activation = self.words(memory, offset, length)?;
        rustix::io::ioctl_fionbio(&wake, true)?;
        let wake = File::from(wake);
        Ok(Peer { wake, activation })
    }

    fn set_transport(&mut self, mut fields: Pods<'_>, message: &mut Message) -> Option<io::Result<()>> {
        let (wake, _answer) = (message.take(fields.file()?)?, fields.file()?);
        let (memory, offset, length) = (fields.number()?, fields.number()?, fields.number()?);
        let own = self.peer(wake, memory, offset, length);
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
        let peer = self.peer(wake, memory, offset, length);
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
