//! A sign that the model is still thinking.

use std::io::{self, Write as _};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A sign on stderr that the model is still thinking. On a terminal, it is a line that counts the seconds; elsewhere,
/// it is a plain line now and then.
pub(super) struct Spinner {
    on_terminal: bool,
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Spinner {
    const SIGNS: [char; 4] = ['|', '/', '-', '\\'];
    const EVERY: Duration = Duration::from_millis(120);
    const EVERY_PLAIN: Duration = Duration::from_secs(30);

    pub(super) fn new(on_terminal: bool) -> Spinner {
        Spinner {
            on_terminal,
            running: None,
        }
    }

    pub(super) fn start(&mut self, turn: u64) {
        self.stop();
        let (stop, stopped) = mpsc::channel();
        let on_terminal = self.on_terminal;
        let thread = std::thread::spawn(move || spin(turn, on_terminal, &stopped));
        self.running = Some((stop, thread));
    }

    pub(super) fn stop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}

/// Counts until the other end of `stopped` has been dropped. If the terminal disappears, the output simply ends.
fn spin(turn: u64, on_terminal: bool, stopped: &Receiver<()>) {
    let began = Instant::now();
    let every = if on_terminal {
        Spinner::EVERY
    } else {
        Spinner::EVERY_PLAIN
    };
    for sign in Spinner::SIGNS.iter().cycle() {
        if stopped.recv_timeout(every) != Err(RecvTimeoutError::Timeout) {
            break;
        }
        let seconds = began.elapsed().as_secs_f32();
        let _ = if on_terminal {
            write!(
                io::stderr(),
                "\r{sign} turn {turn}: the model is thinking, {seconds:.1} s "
            )
        } else {
            writeln!(io::stderr(), "turn {turn}: the model is thinking, {seconds:.0} s")
        };
    }
    if on_terminal {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.stop();
    }
}
