//! A canvas whose turns are recorded.

use std::path::Path;
use std::thread;

use franz_action::Outcome;
use franz_frame::png::encode;
use franz_json::Story;
use franz_record::{Acted, Phase, PictureFile, PictureName, Run, RunOptions, RunState, TurnLine};
use franz_screen::{ActionId, ActionJournal, Canvas, Interrupt, Screen};

use super::stages::{Eye, STORY, Stages, drags};
use crate::Failure;

const SIZE: (u32, u32) = (512, 288);

pub(crate) struct Sheet {
    canvas: Canvas,
    run: Run,
    state: RunState,
    eye: Eye,
}

impl Sheet {
    /// Creates a new run in this directory.
    pub(crate) fn new(directory: &Path) -> Result<Sheet, Failure> {
        let (run, state) = Run::create(None, directory, RunOptions::default())?;
        let (canvas, _) = Canvas::open(run.home(), 1920, 1080)?;
        Ok(Sheet {
            canvas,
            run,
            state,
            eye: Eye::default(),
        })
    }

    /// Takes one turn: performs the actions, noting each beforehand, makes the picture and the request, and records the
    /// turn.
    pub(crate) fn turn(&mut self, stages: &mut Stages) -> Result<(), Failure> {
        let mut line = TurnLine::new(self.state.turn + 1, "2026-01-31T12:34:56Z");
        line.acted = self.act(line.turn)?;
        "OK: 8 actions executed.".clone_into(&mut line.feedback);
        self.run.keep_phase(&Phase::Acted {
            turn: line.turn,
            outcomes: line.acted.clone(),
            feedback: line.feedback.clone(),
        })?;
        stages.lap("act");
        let view = self.eye.look(&mut self.canvas, SIZE, true, stages)?;
        let plain = view.plain.clone().map(|plain| thread::spawn(move || encode(&plain)));
        view.ask(stages);
        self.run
            .write_picture(PictureName::seen(line.turn), PictureFile::Png(&view.png))?;
        if let Some(plain) = plain {
            let png = plain.join().map_err(|_| "the encoder failed")??;
            self.run
                .write_picture(PictureName::plain(line.turn), PictureFile::Png(&png))?;
        }
        line.reply = Story::from_raw(STORY);
        self.run.append_turn(&line)?;
        self.state.completed(&line);
        self.run.save_state(&self.state)?;
        self.canvas.save()?;
        stages.lap("record");
        Ok(())
    }

    fn act(&mut self, turn: u64) -> Result<Vec<Acted>, Failure> {
        let (actions, mut acted) = (drags(), Vec::new());
        for (index, action) in actions.iter().enumerate() {
            self.run.keep_phase(&Phase::Acting {
                turn,
                started: index + 1,
                total: actions.len(),
                outcomes: acted.clone(),
                found: None,
                decided: None,
                waits: false,
            })?;
            let outcome = self.canvas.perform(ActionId { turn, index }, action, &Never)?;
            assert_eq!(outcome, Outcome::DONE);
            acted.push(Acted::new(action.to_string(), outcome));
        }
        Ok(acted)
    }
}

/// An interrupt that never comes, because nobody stops a measurement.
struct Never;

impl Interrupt for Never {
    fn is_set(&self) -> bool {
        false
    }

    fn sleep(&self, _: std::time::Duration) -> bool {
        false
    }
}
