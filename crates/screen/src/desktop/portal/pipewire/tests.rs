//! A scripted PipeWire at the other end of the socket, which keeps to the protocol or does not.

use std::fs::File;
use std::io::{self, IoSlice, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use super::newest::Newest;
use super::node::Node;
use super::pod::{ENUM, ID, Writer};

const WIDTH: u32 = 4;
const HEIGHT: u32 = 3;

/// The parts of the memory that the script shares: two activations, the numbers of the link, a description of a picture
/// in each of two buffers, and its pixels.
const OWN: u32 = 0;
const PEER: u32 = 1024;
const LINK: u32 = 2048;
const CHUNKS: [u32; 2] = [2064, 2096];
const PIXELS: [u32; 2] = [4096, 8192];
const LENGTH: u64 = 12288;

/// A message of the script: its object, its event, its files and its body.
type Line = (u32, u32, Vec<usize>, Vec<u8>);

fn line(object: u32, event: u32, files: &[usize], fields: impl FnOnce(&mut Writer)) -> Line {
    let mut body = Writer::default();
    body.structure(fields);
    (object, event, files.to_vec(), body.into_bytes())
}

fn ints(to: &mut Writer, numbers: &[u32]) {
    for number in numbers {
        to.int(*number);
    }
}

/// What PipeWire sends until the stream runs. The files are the memory, what wakes the node up, and what wakes its peer
/// up.
fn script() -> Vec<Line> {
    vec![
        // What the portal left behind.
        line(2, 0, &[], |to| to.text("PipeWire:Interface:Client")),
        line(0, 1, &[], |to| ints(to, &[0, 0x6672_616e])),
        line(0, 2, &[], |to| ints(to, &[0, 7])),
        line(0, 6, &[0], |to| {
            to.int(5);
            to.id(2);
            to.file(0);
            to.int(3);
        }),
        line(2, 0, &[1, 2], |to| {
            to.file(0);
            to.file(1);
            ints(to, &[5, OWN, 1024]);
        }),
        line(2, 7, &[], |to| {
            ints(to, &[0, 0]);
            to.id(4);
            to.int(0);
            to.object(0x4_0003, 4, |to| {
                to.key(0x2_0001).choice(ENUM, ID, &[[8], [8]]);
                to.key(0x2_0003).rectangle((WIDTH, HEIGHT));
            });
        }),
        line(2, 8, &[], |to| {
            ints(to, &[0, 0, 1, 0, 2]);
            for (chunk, pixels) in CHUNKS.into_iter().zip(PIXELS) {
                // One detail of 12 bytes comes before the description.
                ints(to, &[5, chunk - 16, 32, 1]);
                to.id(1);
                ints(to, &[12, 1]);
                to.id(4);
                ints(to, &[5, 0, pixels, 4096]);
            }
        }),
        line(2, 9, &[], |to| {
            ints(to, &[0, 0, 1]);
            to.id(1);
            ints(to, &[5, LINK, 8]);
        }),
        line(2, 10, &[2], |to| {
            to.int(77);
            to.file(0);
            ints(to, &[5, PEER, 1024]);
        }),
    ]
}

struct Stage {
    node: Node,
    newest: Arc<Newest>,
    server: UnixStream,
    memory: File,
    /// What wakes up the node, and its peer: the ends of this side.
    wake: File,
    woken: io::PipeReader,
    files: Vec<OwnedFd>,
}

impl Stage {
    fn new() -> Stage {
        let (ours, server) = UnixStream::pair().unwrap();
        let newest = Arc::new(Newest::default());
        let node = Node::attach(ours.into(), 40, Arc::clone(&newest)).unwrap();
        let memory = memfd_create("test", MemfdFlags::CLOEXEC).unwrap();
        ftruncate(&memory, LENGTH).unwrap();
        let (slept, wake) = io::pipe().unwrap();
        let (woken, waker) = io::pipe().unwrap();
        Stage {
            node,
            newest,
            server,
            memory: File::from(memory.try_clone().unwrap()),
            wake: File::from(OwnedFd::from(wake)),
            woken,
            files: vec![memory, slept.into(), waker.into()],
        }
    }

    fn say(&self, (object, event, files, body): &Line) {
        let head = [*object, event << 24 | body.len() as u32, 0, files.len() as u32];
        let head: Vec<u8> = head.into_iter().flat_map(u32::to_ne_bytes).collect();
        let files: Vec<BorrowedFd<'_>> = files.iter().map(|file| self.files[*file].as_fd()).collect();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut beside = SendAncillaryBuffer::new(&mut space);
        if !files.is_empty() {
            assert!(beside.push(SendAncillaryMessage::ScmRights(&files)));
        }
        let bytes = [IoSlice::new(&head), IoSlice::new(body)];
        sendmsg(&self.server, &bytes, &mut beside, SendFlags::empty()).unwrap();
    }

    fn put(&self, at: u32, numbers: &[u32]) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        self.memory.write_all_at(&bytes, at.into()).unwrap();
    }

    fn get(&self, at: u32) -> u32 {
        let mut bytes = [0; 4];
        self.memory.read_exact_at(&mut bytes, at.into()).unwrap();
        u32::from_ne_bytes(bytes)
    }

    /// Offers the picture in this buffer, whose pixels all have this number, and wakes the node up.
    fn offer(&mut self, buffer: usize, pixel: u32) {
        self.put(PIXELS[buffer], &[pixel; (WIDTH * HEIGHT) as usize]);
        self.put(CHUNKS[buffer], &[0, 4 * WIDTH * HEIGHT, 4 * WIDTH, 0]);
        self.put(LINK, &[2, buffer as u32]);
        // Triggered, and the peer waits for one.
        self.put(OWN, &[1]);
        self.put(PEER + 16, &[1]);
        self.wake.write_all(&1u64.to_ne_bytes()).unwrap();
    }

    /// Runs the node until it has processed everything.
    fn run(&mut self) -> io::Result<()> {
        self.node.catch_up()?;
        self.node.wake_up()
    }
}

#[test]
fn pictures_are_taken_and_given_back_in_turn() {
    let mut stage = Stage::new();
    for line in script() {
        stage.say(&line);
    }
    stage.run().unwrap();
    assert_eq!(stage.newest.size(Duration::ZERO).unwrap(), None);
    stage.offer(1, 0x0030_2010);
    stage.run().unwrap();
    let rows = stage.newest.since(0).unwrap().unwrap();
    assert_eq!((rows.size, rows.stride, rows.count), ((WIDTH, HEIGHT), 16, 1));
    assert_eq!(rows.bytes[..4], [0x10, 0x20, 0x30, 0]);
    // The buffer stays here, the node is done, and its peer is awake.
    assert_eq!((stage.get(LINK), stage.get(LINK + 4)), (1, u32::MAX));
    assert_eq!((stage.get(OWN), stage.get(PEER)), (3, 1));
    let mut woken = [0; 8];
    stage.woken.read_exact(&mut woken).unwrap();
    assert_eq!(u64::from_ne_bytes(woken), 1);
    assert!(stage.newest.since(1).unwrap().is_none(), "nothing is new");
    stage.offer(0, 7);
    stage.run().unwrap();
    assert_eq!(stage.newest.since(1).unwrap().unwrap().bytes[0], 7);
    assert_eq!(stage.get(LINK + 4), 1, "the first buffer is given back");
    // A picture that is not complete changes nothing.
    stage.offer(1, 9);
    stage.put(CHUNKS[1], &[0, 0, 4 * WIDTH, 1]);
    stage.run().unwrap();
    assert!(stage.newest.since(2).unwrap().is_none());
    assert_eq!(stage.get(LINK + 4), 1);
}

#[test]
fn an_error_and_the_end_are_named() {
    let mut stage = Stage::new();
    stage.say(&line(0, 1, &[], |to| ints(to, &[0, 0x6672_616e])));
    stage.say(&line(0, 3, &[], |to| {
        ints(to, &[2, 9, 13]);
        to.text("no such target");
    }));
    let refused = stage.run();
    assert!(refused.as_ref().unwrap_err().to_string().contains("no such target"));
    stage.node.end(refused);
    let gone = stage.newest.since(0).map(|_| ()).unwrap_err();
    assert!(gone.to_string().contains("no such target"), "{gone}");
    let mut stage = Stage::new();
    let (nobody, _) = UnixStream::pair().unwrap();
    drop(std::mem::replace(&mut stage.server, nobody));
    assert!(stage.run().is_err(), "it is gone");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_message_panics(changes in prop::collection::vec((0usize..9, 0usize..300, any::<u8>()), 0..6), skipped in 0usize..20) {
        let mut stage = Stage::new();
        let mut lines = script();
        for (index, at, byte) in changes {
            let body = &mut lines[index].3;
            let at = at % body.len();
            body[at] = byte;
        }
        for (index, line) in lines.iter().enumerate() {
            if index != skipped {
                stage.say(line);
            }
        }
        let _ = stage.run();
        stage.offer(1, 5);
        let _ = stage.run();
        if let Ok(Some(rows)) = stage.newest.since(0) {
            prop_assert!(rows.bytes.len() >= rows.size.0 as usize * rows.size.1 as usize * 4);
        }
    }
}
