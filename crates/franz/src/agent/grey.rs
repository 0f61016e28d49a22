//! An agent for tests. Its screen is grey and records the actions performed on it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use franz_action::{Action, Outcome, Point};
use franz_chat::{Keyring, NamedBy};
use franz_demo::{Demo, DemoHandle, DemoSettings, Script, ThinkingPace};
use franz_dialect::Family;
use franz_frame::{Frame, PixelFormat};
use franz_record::{Event, ExchangeLog, Output, Outputs, Run, RunOptions};
use franz_screen::{ActionId, CaptureError, Change, Interrupt, Masked, Pointer, Screen, ScreenError};
use tokio::runtime::Builder;

use super::{Agent, Memory, ModelServers, Recorder, Trail, Waits};
use crate::config::flags::set_flags;
use crate::config::layer::Layer;
use crate::config::live::{Granted, Live};
use crate::config::profile::BuiltIn;
use crate::config::settings::Settings;
use crate::idiom::Idiom;
use crate::offline::RecordedFacts;
use crate::presence::Presence;
use crate::screen::Company;
use crate::stop::Stop;
use crate::upstream::ServerAddress;

/// The contents of the screen, and the actions performed on it.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) grey: Mutex<u8>,
    pub(super) done: Mutex<Vec<String>>,
    /// Whether the screen reports that nothing changes. Otherwise, it reports that it does not know.
    pub(super) still: AtomicBool,
    /// Whether a key cannot be released at the end.
    pub(super) sticks: AtomicBool,
    /// The corner of a white square on the screen.
    pub(super) square: Mutex<Option<(usize, usize)>>,
    /// Whether the pointer takes its time, so that actions are approached.
    pub(super) travels: AtomicBool,
    /// Called during each action.
    pub(super) meanwhile: Mutex<Option<Meanwhile>>,
    /// Called before each picture, with the number of actions so far.
    pub(super) before_picture: Mutex<Option<BeforePicture>>,
}

/// The side of the white square in pixels.
pub(super) const SQUARE: usize = 10;

type Meanwhile = Box<dyn FnMut() + Send>;
type BeforePicture = Box<dyn FnMut(usize) + Send>;

struct Grey {
    shared: Arc<Shared>,
    frame: Frame,
}

impl Screen for Grey {
    fn size(&self) -> (u32, u32) {
        (self.frame.width(), self.frame.height())
    }

    fn capture(&mut self) -> Result<&Frame, CaptureError> {
        let done = self.shared.done.lock().unwrap().len();
        if let Some(before_picture) = &mut *self.shared.before_picture.lock().unwrap() {
            before_picture(done);
        }
        let grey = *self.shared.grey.lock().unwrap();
        self.frame.data_mut().fill(grey);
        if let Some((x, y)) = *self.shared.square.lock().unwrap() {
            let step = self.frame.format().bytes();
            let stride = self.frame.width() as usize * step;
            for row in y..y + SQUARE {
                self.frame.data_mut()[row * stride + x * step..][..SQUARE * step].fill(255);
            }
        }
        Ok(&self.frame)
    }

    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn change(&self) -> Change {
        if self.shared.still.load(Ordering::Relaxed) {
            Change::Nothing
        } else {
            Change::Unknown
        }
    }

    fn approach(&mut self, _: &Action, _: &dyn Interrupt) -> Option<Point> {
        let travels = self.shared.travels.load(Ordering::Relaxed);
        travels.then(|| Point::clamped(480, 500))
    }

    fn perform(&mut self, _: ActionId, action: &Action, interrupt: &dyn Interrupt) -> Result<Outcome, ScreenError> {
        self.shared.done.lock().unwrap().push(action.to_string());
        if let Some(meanwhile) = &mut *self.shared.meanwhile.lock().unwrap() {
            meanwhile();
        }
        Ok(if interrupt.is_set() {
            Outcome::Interrupted
        } else {
            Outcome::DONE
        })
    }

    fn pointer(&self) -> Pointer {
        Pointer::default()
    }

    fn close(&mut self) -> Result<(), ScreenError> {
        if self.shared.sticks.load(Ordering::Relaxed) {
            return Err(ScreenError("a key is stuck".into()));
        }
        Ok(())
    }
}

impl Fixture {
    /// Makes the screen large enough to be compared in blocks.
    pub(super) fn enlarge(&mut self) {
        let screen = Grey {
            shared: Arc::clone(&self.shared),
            frame: Frame::black(640, 360, PixelFormat::Bgrx8).unwrap(),
        };
        self.agent.screen = Masked::new(Box::new(screen), Vec::new());
    }
}

/// Forwards events to a channel.
struct Events(Sender<Event>);

impl Output for Events {
    fn event(&mut self, event: &Event) -> std::io::Result<()> {
        self.0.send(event.clone()).map_err(std::io::Error::other)
    }
}

/// An agent that has not started yet, with its inputs and its reports.
pub(super) struct Fixture {
    pub(super) agent: Agent,
    pub(super) stop: Stop,
    pub(super) events: Receiver<Event>,
    pub(super) shared: Arc<Shared>,
    pub(super) directory: tempfile::TempDir,
    pub(super) server: DemoHandle,
}

/// Returns an agent with the `draw` profile whose model gives this reply every time.
pub(super) fn agent(reply: &str) -> Fixture {
    agent_with(reply, &[])
}

/// Returns the same agent with these settings.
pub(super) fn agent_with(reply: &str, settings: &[&str]) -> Fixture {
    agent_of(&serde_json::json!({ "text": reply }).to_string(), settings)
}

/// Returns the same agent with a model that answers from a script.
pub(super) fn agent_of(script: &str, settings: &[&str]) -> Fixture {
    let model = DemoSettings {
        pace: ThinkingPace::AT_ONCE,
        script: Some(Script::parse(script).unwrap()),
        keep_requests: true,
        ..DemoSettings::default()
    };
    let server = Demo::spawn(model).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let settings: Vec<String> = settings.iter().map(|set| (*set).to_owned()).collect();
    let flags = set_flags(&[&["loop.executing_delay_s=0".to_owned()], &settings[..]].concat()).unwrap();
    let layer = Layer::defaults()
        .over(BuiltIn::named("draw").unwrap().layer())
        .over(flags);
    let stop = Stop::default();
    let run = directory.path().join("run");
    let (run, state) = Run::create(Some(&run), directory.path(), RunOptions::default()).unwrap();
    run.write_config(&Settings::resolve(&layer).to_toml().unwrap()).unwrap();
    let file = franz_home::View::clone(run.home());
    let live = Live::new(file, layer, None, Layer::default(), Granted::default());
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let address = ServerAddress::Named(format!("http://{}", server.addr()), NamedBy::Person);
    let (sender, events) = channel();
    let mut outputs = Outputs::default();
    outputs.add("the test", Events(sender));
    let shared = Arc::<Shared>::default();
    let mut recorder = Recorder::new(run, ExchangeLog::off(), true);
    let idiom = Idiom {
        family: Family::franz(),
        measured: None,
        screen: (64, 36),
        pointer: None,
    };
    let agent = Agent {
        server: ModelServers::first_of(
            vec![address],
            runtime,
            &live.settings,
            Keyring::default(),
            &stop,
            Waits::Busy,
        )
        .unwrap()
        .unwrap(),
        memory: Memory::of(&mut recorder, &live.settings, &idiom, &[]).unwrap(),
        idiom,
        recorder,
        live,
        screen: Masked::new(
            Box::new(Grey {
                shared: Arc::clone(&shared),
                frame: Frame::black(64, 36, PixelFormat::Bgrx8).unwrap(),
            }),
            Vec::new(),
        ),
        grounder: None,
        company: Company::default(),
        countdown: Duration::ZERO,
        outputs,
        stop: stop.clone(),
        presence: Presence::new(false, false),
        first: state.turn,
        was_answered: false,
        state,
        unread: None,
        unwanted: None,
        given_goal: None,
        key: None,
        trail: Trail::default(),
        facts: RecordedFacts::default(),
    };
    Fixture {
        agent,
        stop,
        events,
        shared,
        directory,
        server,
    }
}
