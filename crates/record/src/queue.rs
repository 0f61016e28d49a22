//! A queue in front of an output that might be slow. If the queue is full, it drops events instead of waiting.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel};
use std::time::Duration;

use crate::event::Event;
use crate::output::Output;

/// The maximum number of waiting events. A turn produces five to ten.
const LENGTH: usize = 256;

/// How long to wait for the last events to be written after the run has ended.
const PATIENCE: Duration = Duration::from_secs(1);

/// An output on its own thread. When its queue is full, events are dropped, and a notice says how many.
pub struct Queue {
    /// `None` only while this value is being dropped.
    sender: Option<SyncSender<Event>>,
    /// Receives the error if the output fails. Closed when the thread ends.
    ended: Receiver<io::Error>,
    dropped: u64,
}

impl Queue {
    /// Starts the thread of `output`.
    pub fn new(output: impl Output + Send + 'static) -> io::Result<Queue> {
        let (sender, events) = sync_channel(LENGTH);
        let (failed, ended) = channel();
        std::thread::Builder::new().name("output".to_owned()).spawn(move || {
            let mut output = output;
            for event in events {
                if let Err(error) = output.event(&event) {
                    let _ = failed.send(error);
                    break;
                }
            }
        })?;
        Ok(Queue {
            sender: Some(sender),
            ended,
            dropped: 0,
        })
    }

    fn try_send(&mut self, event: Event) -> io::Result<bool> {
        let Some(sender) = &self.sender else { return Ok(false) };
        match sender.try_send(event) {
            Ok(()) => Ok(true),
            Err(TrySendError::Full(_)) => Ok(false),
            Err(TrySendError::Disconnected(_)) => {
                Err(self.ended.recv().unwrap_or_else(|_| io::ErrorKind::BrokenPipe.into()))
            }
        }
    }
}

impl Output for Queue {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        if self.dropped > 0 {
            let text = format!("{} events were dropped: they were not read fast enough", self.dropped);
            if self.try_send(Event::Notice { text })? {
                self.dropped = 0;
            }
        }
        if self.dropped > 0 || !self.try_send(event.clone())? {
            self.dropped += 1;
        }
        Ok(())
    }
}

impl Drop for Queue {
    /// Waits for the last events to be written, unless nobody reads them.
    fn drop(&mut self) {
        self.sender = None;
        let _ = self.ended.recv_timeout(PATIENCE);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Sender;

    use super::*;

    /// An output that forwards each event only when the test allows it.
    struct Slow(Receiver<()>, Sender<String>);

    impl Output for Slow {
        fn event(&mut self, event: &Event) -> io::Result<()> {
            let Event::Notice { text } = event else { return Ok(()) };
            if text == "break" {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.0.recv().map_err(io::Error::other)?;
            self.1.send(text.clone()).map_err(io::Error::other)
        }
    }

    fn notice<T: ToString + ?Sized>(text: &T) -> Event {
        Event::Notice { text: text.to_string() }
    }

    #[test]
    fn a_stalled_reader_does_not_block_the_queue() {
        let (go, may) = channel();
        let (told, heard) = channel();
        let mut queue = Queue::new(Slow(may, told)).unwrap();
        for number in 0..2 * LENGTH {
            queue.event(&notice(&number)).unwrap();
        }
        (0..3 * LENGTH).for_each(|_| go.send(()).unwrap());
        assert_eq!(heard.recv().unwrap(), "0");
        let mut next = 1;
        while next < LENGTH {
            assert_eq!(heard.recv().unwrap(), next.to_string());
            next += 1;
        }
        // By now, everything in the queue has been written. The next event reports how many were dropped.
        queue.event(&notice("again")).unwrap();
        let rest: Vec<String> = {
            drop(queue);
            heard.iter().collect()
        };
        let [.., told, last] = &rest[..] else {
            panic!("{rest:?}")
        };
        assert!(told.contains("events were dropped"), "{rest:?}");
        assert_eq!(last, "again");
    }

    #[test]
    fn a_failure_is_passed_on() {
        let (_go, may) = channel();
        let (told, _heard) = channel();
        let mut queue = Queue::new(Slow(may, told)).unwrap();
        queue.event(&notice("break")).unwrap();
        let error = loop {
            if let Err(error) = queue.event(&notice("more")) {
                break error;
            }
            std::thread::yield_now();
        };
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
