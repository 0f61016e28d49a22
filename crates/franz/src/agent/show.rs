//! Showing the current turn: while the model is thinking, FRANZ stores the turn's pictures and announces what was sent.

use std::sync::{Mutex, MutexGuard, PoisonError};

use franz_record::{BesideImage, Event, Image, Outputs, PictureFile, PictureName, TurnLine};

use super::view::{TurnPicture, Unmarked};
use super::{Recorder, Turn, announce};
use crate::stop::Ending;

/// The record and the outputs of a turn.
pub(super) struct Showing<'a> {
    recorder: Mutex<&'a mut Recorder>,
    outputs: Mutex<&'a mut Outputs>,
}

impl<'a> Showing<'a> {
    pub(super) fn new(recorder: &'a mut Recorder, outputs: &'a mut Outputs) -> Showing<'a> {
        Showing {
            recorder: Mutex::new(recorder),
            outputs: Mutex::new(outputs),
        }
    }

    /// Stores the pictures unless they are already stored, then announces the known part of the turn's line.
    pub(super) fn show(&self, turn: &mut Turn) -> Result<(), Ending> {
        if let Some(view) = &mut turn.view
            && let Some(unmarked) = view.unmarked.take()
        {
            self.keep_pictures(&mut turn.line, view, unmarked)?;
        }
        announce(&mut locked(&self.outputs), &Event::Shown(Box::new(turn.line.clone())));
        Ok(())
    }

    /// Announces an event that happens in the meantime.
    pub(super) fn tell(&self, event: &Event) {
        announce(&mut locked(&self.outputs), event);
    }

    /// Stores the turn's pictures and puts their names into its line.
    fn keep_pictures(&self, line: &mut TurnLine, view: &TurnPicture, unmarked: Unmarked) -> Result<(), Ending> {
        let seen = PictureName::seen(line.turn);
        let plain = PictureName::plain(line.turn);
        let taken = &view.taken;
        let store = |name, picture: PictureFile<'_>| locked(&self.recorder).picture(name, picture);
        store(
            seen,
            match view.like {
                Some(turn) => PictureFile::Like(PictureName::seen(turn), &taken.png),
                None => PictureFile::Png(&taken.png),
            },
        )?;
        match unmarked {
            Unmarked::Same => store(plain, PictureFile::SameAs(seen))?,
            Unmarked::Encoding(encoder) => match encoder.join() {
                Ok(Ok(png)) => store(plain, PictureFile::Png(&png))?,
                Ok(Err(error)) => line.errors.push(format!("the unmarked picture is missing: {error}")),
                Err(_) => line
                    .errors
                    .push("the unmarked picture is missing: its encoder failed".to_owned()),
            },
        }
        line.image = Some(Image {
            file: seen.to_string(),
            sha256: taken.sha256.clone(),
            width: taken.plain.width(),
            height: taken.plain.height(),
            bytes: taken.png.len() as u64,
        });
        line.beside.clear();
        for (number, beside) in (1..).zip(&view.beside) {
            let name = PictureName::beside(line.turn, number);
            store(name, PictureFile::Png(&beside.png))?;
            line.beside.push(BesideImage {
                words: beside.words.clone(),
                image: Image {
                    file: name.to_string(),
                    sha256: beside.sha256.clone(),
                    width: beside.width,
                    height: beside.height,
                    bytes: beside.png.len() as u64,
                },
            });
        }
        Ok(())
    }
}

/// Locks a mutex even if another thread panicked while holding it. Every use is one complete write, so the data is
/// still consistent.
fn locked<'m, 'a, T>(mutex: &'m Mutex<&'a mut T>) -> MutexGuard<'m, &'a mut T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
