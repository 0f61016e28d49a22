//! The newest picture of a stream. It stays in the memory that the compositor shares until somebody looks.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The newest picture of a stream, shared with the thread that receives it.
#[derive(Default)]
pub(in super::super) struct Newest {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    picture: Option<Picture>,
    /// How many pictures have arrived.
    count: u64,
    failure: Option<String>,
}

/// A picture in shared memory.
pub(super) struct Picture {
    pub(super) file: Arc<File>,
    pub(super) offset: u64,
    pub(super) size: (u32, u32),
    pub(super) stride: u32,
    /// Whether red comes before blue.
    pub(super) is_red_first: bool,
}

/// The pixels of a picture, in the format of a frame.
pub(in super::super) struct Rows {
    pub(in super::super) size: (u32, u32),
    pub(in super::super) stride: usize,
    pub(in super::super) bytes: Vec<u8>,
    /// The number of the picture.
    pub(in super::super) count: u64,
}

impl Newest {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the picture, while `swap` exchanges the buffers. Nobody reads a picture in the meantime.
    pub(super) fn replace(&self, picture: Option<Picture>, swap: impl FnOnce()) {
        let mut state = self.state();
        swap();
        state.count += u64::from(picture.is_some());
        state.picture = picture;
        drop(state);
        self.changed.notify_all();
    }

    /// Notes why there will be no more pictures.
    pub(super) fn fail(&self, why: String) {
        self.state().failure.get_or_insert(why);
        self.changed.notify_all();
    }

    /// Returns the picture's size, or `None` if there is no picture within this time.
    pub(in super::super) fn size(&self, within: Duration) -> io::Result<Option<(u32, u32)>> {
        let state = self.state();
        let is_missing = |state: &mut State| state.picture.is_none() && state.failure.is_none();
        let waited = self.changed.wait_timeout_while(state, within, is_missing);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.check()?;
        Ok(state.picture.as_ref().map(|picture| picture.size))
    }

    /// Returns the newest picture, or `None` if it is the one with this number, or if there is none.
    pub(in super::super) fn since(&self, count: u64) -> io::Result<Option<Rows>> {
        let state = self.state();
        state.check()?;
        match &state.picture {
            Some(picture) if state.count != count => picture.rows(state.count).map(Some),
            _ => Ok(None),
        }
    }
}

impl State {
    fn check(&self) -> io::Result<()> {
        match &self.failure {
            Some(why) => Err(io::Error::new(ErrorKind::BrokenPipe, why.clone())),
            None => Ok(()),
        }
    }
}

impl Picture {
    fn rows(&self, count: u64) -> io::Result<Rows> {
        let stride = self.stride as usize;
        let mut bytes = vec![0; stride * self.size.1 as usize];
        self.file.read_exact_at(&mut bytes, self.offset)?;
        if self.is_red_first {
            for pixel in bytes.as_chunks_mut::<4>().0 {
                pixel.swap(0, 2);
            }
        }
        Ok(Rows {
            size: self.size,
            stride,
            bytes,
            count,
        })
    }
}
