//! A separate observer of the desktop, so that waiting for changes does no work in advance for the measured program.

use std::thread;
use std::time::{Duration, Instant};

use franz_frame::{Area, Frame, PixelFormat};
use franz_screen::PrivateDesktop;
use franz_screen::desktop::Display;

use crate::Failure;

const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Observer {
    display: Box<dyn Display>,
    whole: Area,
    seen: Frame,
}

impl Observer {
    /// Creates an observer of a desktop of this size.
    pub(crate) fn of(desktop: &dyn PrivateDesktop, (width, height): (u32, u32)) -> Result<Observer, Failure> {
        let mut observer = Observer {
            display: desktop.open()?,
            whole: Area::whole(width, height),
            seen: Frame::black(width, height, PixelFormat::Bgrx8)?,
        };
        observer.look()?;
        Ok(observer)
    }

    /// Looks at the desktop, and returns whether anything has changed.
    pub(crate) fn look(&mut self) -> Result<bool, Failure> {
        Ok(self.display.capture(self.whole, &mut self.seen)?.is_some())
    }

    /// Calls `ask` until the whole desktop is black.
    pub(crate) fn wait_for_dark(&mut self, mut ask: impl FnMut() -> Result<(), Failure>) -> Result<(), Failure> {
        let began = Instant::now();
        loop {
            ask()?;
            self.look()?;
            if self.seen.data().chunks_exact(4).all(|pixel| pixel[..3] == [0; 3]) {
                return Ok(());
            }
            if began.elapsed() > PATIENCE {
                return Err("the desktop did not turn dark".into());
            }
            thread::park_timeout(Duration::from_millis(5));
        }
    }

    /// Waits until something has changed since the last look and then nothing has changed for `quiet`.
    pub(crate) fn wait_for_news(&mut self, quiet: Duration) -> Result<(), Failure> {
        let began = Instant::now();
        let (mut any, mut quiet_since) = (false, began);
        while !any || quiet_since.elapsed() < quiet {
            if self.look()? {
                (any, quiet_since) = (true, Instant::now());
            }
            if began.elapsed() > PATIENCE {
                return Err("the desktop showed nothing new, or did not come to rest".into());
            }
            thread::park_timeout(Duration::from_millis(5));
        }
        Ok(())
    }
}
