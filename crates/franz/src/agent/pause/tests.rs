//! A screen that somebody else changes while the run is held.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use franz_action::{Action, Outcome};
use franz_chat::{Keyring, NamedBy};
use franz_demo::{Demo, Pace, Script, Settings as DemoSettings};
use franz_frame::{Frame, PixelFormat};
use franz_record::{ExchangeLog, Output, Outputs, Run, RunOptions, TurnLine};
use franz_screen::{CaptureError, Change, Interrupt, Pointer, Screen, ScreenError, Step};
use tokio::runtime::Builder;

use super::super::{Memory, Recorder, Server, Trail, Waits};
use super::*;
use crate::config::layer::Layer;
use crate::config::live::{Granted, Live};
use crate::config::profile::BuiltIn;
use crate::config::{defaults, set_flags};
use crate::screen::Company;
use crate::stop::{Ending, Stop};
use crate::upstream::Address;

/// A grey screen that notes what is done to it.
struct Shared {
    grey: Mutex<u8>,
    done: Mutex<Vec<String>>,
}

struct Grey {
    shared: Arc<Shared>,
    frame: Frame,
}

impl Screen for Grey {
    fn size(&self) -> (u32, u32) {
        (self.frame.width(), self.frame.height())
    }

    fn capture(&mut self) -> Result<&Frame, CaptureError> {
        let grey = *self.shared.grey.lock().unwrap();
        self.frame.data_mut().fill(grey);
        Ok(&self.frame)
    }

    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn change(&self) -> Change {
        Change::Unknown
    }

    fn perform(&mut self, _: Step, action: &Action, _: &dyn Interrupt) -> Result<Outcome, ScreenError> {
        self.shared.done.lock().unwrap().push(action.to_string());
        Ok(Outcome::DONE)
    }

    fn pointer(&self) -> Pointer {
        Pointer::default()
    }

    fn performed(&self, _: Step) -> Option<bool> {
        None
    }

    fn save(&mut self, _: u64) -> Result<(), ScreenError> {
        Ok(())
    }

    fn close(&mut self) -> Result<(), ScreenError> {
        Ok(())
    }
}

/// Passes on what happens.
struct Events(Sender<Event>);

impl Output for Events {
    fn event(&mut self, event: &Event) -> std::io::Result<()> {
        self.0.send(event.clone()).map_err(std::io::Error::other)
    }
}

/// Runs until the turn after the pause is over; gives its line and what was done to the screen.
fn held_after_first_turn(change: impl FnOnce(&Shared)) -> (TurnLine, Vec<String>) {
    let script = Script::parse("{\"text\": \"```python\\nleft_click(1, 2)\\n```\"}").unwrap();
    let settings = DemoSettings {
        pace: Pace::AT_ONCE,
        script: Some(script),
        ..DemoSettings::default()
    };
    let server = Demo::spawn(settings).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let flags = set_flags(&["loop.executing_delay_s=0".to_owned()]).unwrap();
    let layer = defaults().over(BuiltIn::named("draw").unwrap().layer()).over(flags);
    let stop = Stop::default();
    let (run, state) = Run::create(None, directory.path(), RunOptions::default()).unwrap();
    let live = Live::new(
        franz_home::View::clone(run.home()),
        layer,
        None,
        Layer::default(),
        Granted::default(),
    );
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let address = Address::Named(format!("http://{}", server.addr()), NamedBy::Person);
    let (sender, events) = channel();
    let mut outputs = Outputs::default();
    outputs.add("the test", Events(sender));
    let shared = Arc::new(Shared {
        grey: Mutex::new(0),
        done: Mutex::default(),
    });
    let mut recorder = Recorder::new(run, ExchangeLog::off(), true);
    let agent = Agent {
        server: Server::first_of(
            vec![address],
            runtime,
            &live.settings,
            Keyring::default(),
            &stop,
            Waits::Busy,
        )
        .unwrap()
        .unwrap(),
        memory: Memory::of(&mut recorder, &live.settings, &[]).unwrap(),
        recorder,
        live,
        screen: Box::new(Grey {
            shared: Arc::clone(&shared),
            frame: Frame::black(64, 36, PixelFormat::Bgrx8).unwrap(),
        }),
        _company: Company::default(),
        countdown: Duration::ZERO,
        outputs,
        stop: stop.clone(),
        first: state.turn,
        state,
        unread: None,
        given_goal: None,
        key: None,
        trail: Trail::default(),
    };
    stop.pause();
    stop.step();
    let thread = std::thread::spawn(move || agent.run());
    events
        .iter()
        .find(|event| *event == Event::Paused { turn: 2, why: None })
        .unwrap();
    change(&shared);
    stop.step();
    let done = events.iter().find_map(|event| match event {
        Event::TurnDone(done) => Some(*done),
        _ => None,
    });
    stop.give(Ending::Stopped);
    thread.join().unwrap();
    let acts = shared.done.lock().unwrap().clone();
    (done.unwrap(), acts)
}

#[test]
fn what_was_meant_for_another_screen_is_not_done() {
    let (line, done) = held_after_first_turn(|screen| *screen.grey.lock().unwrap() = 200);
    assert_eq!(done, Vec::<String>::new());
    assert_eq!(line.acted[0].outcome, franz_record::Outcome::Ignored);
    assert!(
        line.feedback
            .contains("NOTICE: none of your last actions was performed"),
        "{}",
        line.feedback
    );
}

#[test]
fn what_still_fits_is_done() {
    let (line, done) = held_after_first_turn(|_| {});
    assert_eq!(done, ["left_click(1, 2)"]);
    assert!(!line.feedback.contains("paused you"), "{}", line.feedback);
}
