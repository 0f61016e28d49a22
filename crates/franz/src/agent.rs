//! The agent: one loop that acts, lets the screen settle, captures it, queries the model and records the turn.

mod act;
mod aim;
mod ask;
mod beside;
mod binding;
mod circles;
mod copied;
mod desk;
mod effect;
mod elements;
mod first_turn;
#[cfg(test)]
mod grey;
mod grounder;
mod live;
mod look;
mod lost_screen;
mod memory;
mod messages;
mod model_servers;
mod notices;
mod pause;
mod permission;
mod recorder;
mod remarks;
mod remedy;
mod repeating;
mod reply;
mod reply_pieces;
mod reply_progress;
mod rest;
mod settle;
mod show;
mod silence;
mod successor;
mod takeover;
mod target_question;
mod task;
mod tongue;
#[cfg(test)]
mod transitions;
mod unfinished;
mod view;
mod watching;
mod windows;

use std::time::Duration;

use franz_action::{Action, Point};
use franz_chat::Usage;
use franz_dialect::{Finish, Plan};
use franz_frame::Motion;
use franz_record::{Acted, Event, Exit, Outputs, RunState, Status, TurnLine, TurnLines, Unwanted, View};
use franz_screen::{Change, Interrupt as _, Masked, Screen as _};
use jiff::Timestamp;

pub(crate) use beside::BesideView;
pub(crate) use first_turn::FirstTurn;
pub(crate) use grounder::{Grounder, said};
pub(crate) use memory::Memory;
pub(crate) use model_servers::{ModelServers, Waits};
pub(crate) use recorder::{Recorder, keep_stop};
pub(crate) use remedy::NOTHING;
pub(crate) use target_question::{NoPlace, TargetQuestion};

use crate::config::live::Live;
use crate::gate::Gatekeeper;
use crate::idiom::{Bound, Idiom};
use crate::offline::RecordedFacts;
use crate::presence::Presence;
use crate::screen::Company;
use crate::stop::{Ending, Stop};
use binding::Heard;
use circles::Circles;
use live::LiveView;
use look::Lookout;
use messages::FeedbackWords;
use permission::Allowance;
use remarks::Remarks;
use rest::Rest;
use silence::Silence;
use successor::Succession;
use view::{Eye, TurnPicture};

/// The agent loop, with everything that it needs.
pub(crate) struct Agent {
    pub(crate) live: Live,
    pub(crate) screen: Masked,
    /// Everything that comes with the screen. Must be dropped after `screen`, because dropping the screen releases the
    /// keys and buttons that it holds down.
    pub(crate) company: Company,
    /// How long the person has to let go of the mouse before the first turn.
    pub(crate) countdown: Duration,
    pub(crate) server: ModelServers,
    pub(crate) grounder: Option<Grounder>,
    pub(crate) idiom: Idiom,
    pub(crate) memory: Memory,
    pub(crate) recorder: Recorder,
    pub(crate) outputs: Outputs,
    pub(crate) stop: Stop,
    pub(crate) presence: Presence,
    pub(crate) state: RunState,
    /// The last turn of an earlier process, if its reply has not been applied to the state yet.
    pub(crate) unread: Option<TurnLine>,
    /// The reason why the last reply's actions must not be performed, as an earlier process left it.
    pub(crate) unwanted: Option<Unwanted>,
    /// A goal from the command that resumed the run.
    pub(crate) given_goal: Option<String>,
    /// The turn before this invocation's first turn.
    pub(crate) first: u64,
    /// Whether a turn of this invocation has succeeded, by a reply of the model or of the person.
    pub(crate) was_answered: bool,
    /// The key that proves to the panel that a request comes from this run.
    pub(crate) key: Option<String>,
    pub(crate) trail: Trail,
    /// The facts that a replay takes from the record; empty in any other run.
    pub(crate) facts: RecordedFacts,
}

/// The data that this process carries from turn to turn besides the saved state.
#[derive(Default)]
pub(crate) struct Trail {
    /// The last reply as read on arrival; `None` if it must be read again.
    plan: Option<Plan>,
    /// The model's final report, which ends the run.
    finish: Option<Finish>,
    silence: Silence,
    /// Whose words the feedback contains.
    words: FeedbackWords,
    /// The reason why the run gives up on the model.
    given_up: Option<String>,
    rest: Rest,
    circles: Circles,
    /// The last turn whose actions were judged by their effect.
    judged: u64,
    /// Whether FRANZ is waiting for an answer to confirm a setting that it has just learned.
    is_learning: bool,
    /// Whether the person has been told that the server cuts requests short.
    is_cut_told: bool,
    succession: Succession,
    /// Facts learned from the current server's replies.
    heard: Heard,
    /// How many replies each remark to the person has applied to.
    remarks: Remarks,
    eye: Eye,
    desk: desk::Desk,
    /// The windows that were open in the picture that the last reply answered.
    windows: windows::Seen,
    /// The windows whose programs report no elements and that the model has been told about.
    silent: elements::Silent,
    /// How the screen has changed since the picture that the last reply answered.
    change: Change,
    lookout: Lookout,
    gate: Gatekeeper,
    permission: Allowance,
    /// The parts of the screen that keep moving.
    motion: Motion,
    /// The author of the reply that is being carried out, if not the model.
    by: Option<String>,
    /// A description of what a person did while they controlled the screen; `None` once the model has been told.
    handed: Option<String>,
    /// What they have done in all takeovers since the model was last told.
    tally: takeover::Tally,
    /// The live picture that pages were last shown.
    live: LiveView,
    /// Whether a person has taken the mouse since the last reply, so that its actions no longer fit.
    outdated: bool,
    /// The keys and buttons that were still down after the last reply's actions, by name.
    let_go: Vec<String>,
}

/// How many of a dead agent's last turns its successor reads.
const TAKEN_UP: usize = 100;

/// Returns the last turns that dead agents of this invocation have made. The invocation began after turn `first`.
pub(crate) fn taken_up(run: &View, first: u64) -> Vec<TurnLine> {
    // Errors are ignored here because the memory reads the same turns and reports any that cannot be read.
    let newest = TurnLines::newest(run, TAKEN_UP).map(|(turns, _)| turns);
    let mut turns = newest.unwrap_or_default();
    turns.retain(|turn| turn.turn > first);
    turns
}

impl Trail {
    /// Returns the state from which an agent takes up a dead agent's work.
    pub(crate) fn after(turns: &[TurnLine], patience: u32) -> Trail {
        Trail {
            circles: Circles::of(turns, patience),
            ..Trail::default()
        }
    }
}

/// A turn in progress.
struct Turn {
    /// The record of the turn.
    line: TurnLine,
    /// The mode and goal above the feedback, if there are any.
    heading: Option<String>,
    /// Actions whose effect the model has not seen: those of this turn, or of the failed turns before it.
    unseen: Vec<Acted>,
    /// The pointer's position before the turn.
    pointer: Option<Point>,
    /// The grammar or schema that binds the reply.
    bound: Option<Bound>,
    /// The picture for the model; `None` if the screen could not be captured.
    view: Option<TurnPicture>,
    /// The windows that were open when the picture was taken.
    windows: windows::Seen,
    /// The tokens of all the turn's attempts, including unusable ones.
    used: Usage,
    /// How many times the request was changed because the server refused it.
    remedied: u32,
    /// Whether a server went down during the turn.
    was_away: bool,
    /// The last error, and how many times in a row it occurred.
    repeated: Option<(String, u32)>,
}

impl Turn {
    /// Returns the performed actions whose effect the model has not seen.
    fn performed(&self) -> Vec<Action> {
        self.unseen.iter().filter_map(Acted::performed).collect()
    }
}

impl Agent {
    /// Runs turns until the run ends, and returns the reason.
    pub(crate) fn run(mut self) -> Ending {
        let ending = match self.prepare() {
            Err(ending) => ending,
            Ok(()) => loop {
                if let Err(ending) = self.turn() {
                    break ending;
                }
            },
        };
        let ending = self.withdraw_unbegun(ending);
        self.close(ending)
    }

    /// Gives the person time to let go of the mouse, takes over an earlier process's work, and waits for the screen.
    fn prepare(&mut self) -> Result<(), Ending> {
        self.count_down()?;
        self.catch_up()?;
        self.wait_for_screen()
    }

    /// Tells the person how to get the mouse and keyboard back, and gives them time to let go.
    fn count_down(&mut self) -> Result<(), Ending> {
        if self.countdown.is_zero() {
            return Ok(());
        }
        let seconds = self.countdown.as_secs_f64();
        let pauses = if self.company.is_watching() {
            "move the mouse or press Esc twice to pause, push the pointer into a corner or press Ctrl+C to stop"
        } else {
            "press Ctrl+C to stop"
        };
        self.stop.wait_for_hands_off(self.countdown);
        self.notice(&format!(
            "the agent takes over the mouse and keyboard in {seconds} s: {pauses}"
        ));
        self.stop.sleep(self.countdown);
        self.go_on()
    }

    fn turn(&mut self) -> Result<(), Ending> {
        let mut turn = self.begin()?;
        self.act(&mut turn)?;
        self.assign(&mut turn)?;
        self.settle(&mut turn)?;
        self.hold(turn.line.turn)?;
        self.capture(&mut turn)?;
        if self.judge(&mut turn)? {
            return Ok(());
        }
        self.tell_of_takeover(&mut turn)?;
        self.pass_on_messages(&mut turn)?;
        self.tell_of_elements(&mut turn);
        self.ask(&mut turn)?;
        self.record(turn)
    }

    /// Begins the next turn unless the run is over. Edited settings take effect here.
    fn begin(&mut self) -> Result<Turn, Ending> {
        let number = self.state.turn + 1;
        self.look_up_settings();
        self.end_with_reply()?;
        self.check_limits()?;
        let rested = self.rest()?;
        if self.hold_before_acting(number)? || rested {
            self.look_up_settings();
            self.check_limits()?;
        }
        Ok(self.new_turn(number))
    }

    fn new_turn(&self, number: u64) -> Turn {
        self.facts.begin(number);
        Turn {
            line: TurnLine::new(number, Timestamp::now().to_string()),
            heading: None,
            unseen: Vec::new(),
            pointer: self.screen.pointer().current,
            bound: None,
            view: None,
            windows: windows::Seen::default(),
            used: Usage::default(),
            remedied: 0,
            was_away: false,
            repeated: None,
        }
    }

    /// Applies the settings that a person has edited, and reports each edit.
    fn look_up_settings(&mut self) {
        let protocol = self.live.settings.protocol.clone();
        let picture = self.idiom.picture(&self.live.settings);
        for edit in self.live.reload() {
            self.notice(&edit);
        }
        self.put_masks();
        if self.idiom.picture(&self.live.settings) != picture {
            self.adopt_picture();
        }
        if self.live.settings.protocol != protocol {
            self.trail.plan = None;
        }
    }

    /// Applies the person's current masks, and returns whether they have changed. Called before each picture that
    /// leaves this process. Forgets earlier pictures that were not sent yet: a new mask might hide what they show.
    fn put_masks(&mut self) -> bool {
        let changed = self.screen.set_masks(self.live.masks());
        if changed {
            // The screen might report no change, although the picture has changed.
            self.trail.eye.looked(Change::Unknown);
            self.trail.change = Change::Unknown;
            self.trail.live.begin();
            self.trail.desk.hide_moments();
            if let Some(grounder) = &mut self.grounder {
                grounder.forget();
            }
        }
        changed
    }

    /// Fails if this invocation has completed all its turns or the run has used up its tokens.
    fn check_limits(&self) -> Result<(), Ending> {
        let settings = &self.live.settings;
        let most = settings.pace.max_turns;
        if most > 0 && self.state.turn >= self.first.saturating_add(most) {
            return Err(Ending::LastTurn);
        }
        let used = self.state.tokens.total;
        match settings.model.max_total_tokens {
            Some(most) if used >= most => Err(Ending::TokensUsedUp { used, most }),
            _ => Ok(()),
        }
    }

    /// Records the turn: first its line, which commits the turn, then the state after the reply. The turn's pictures
    /// were written while the model was thinking.
    fn record(&mut self, mut turn: Turn) -> Result<(), Ending> {
        let fingerprint = turn.view.as_ref().map(|view| view.taken.fingerprint);
        self.recorder.turn(&turn.line)?;
        self.state.completed(&turn.line);
        if turn.line.status == Status::Ok {
            self.was_answered = true;
            (self.state.seen, self.trail.change) = (fingerprint, Change::Nothing);
            self.saw(&turn);
            self.trail.windows = std::mem::take(&mut turn.windows);
            self.trail.desk.moments.clear();
            self.read(&mut turn)?;
        }
        self.recorder.state(&self.state)?;
        self.stop.turn_done();
        self.tell(&Event::TurnDone(Box::new(turn.line)));
        self.end_with_reply()?;
        self.server.verdict()
    }

    fn close(mut self, ending: Ending) -> Ending {
        let saved = match self.screen.close() {
            // The record is complete without the lost screen, and the guardian releases all keys and buttons that were
            // held down. Only a screen with a journal has something to record here.
            Err(error) if error.is_lost() || self.screen.journal().is_none() => {
                self.notice(&error.to_string());
                Ok(())
            }
            saved => saved,
        };
        let ending = if ending.exit() == Exit::Finished && self.is_unanswered() {
            Ending::ServerUnusable("no turn succeeded; check the errors of the last turns".to_owned())
        } else {
            ending
        };
        let ending = self
            .recorder
            .demand(saved)
            .err()
            .filter(|_| ending.error().is_none())
            .unwrap_or(ending);
        // If this fails, the run looks as if it had been killed.
        let _ = self.recorder.end(&ending);
        self.tell(&Event::RunEnded {
            reason: ending.to_string(),
            exit_code: ending.exit_code(),
            tokens: self.state.tokens,
        });
        ending
    }

    /// Returns whether turns have been made since the start but none of them was answered.
    fn is_unanswered(&self) -> bool {
        self.state.turn > self.first && !self.was_answered && !self.server.has_answered()
    }

    /// Fails if a stop has been requested.
    fn go_on(&self) -> Result<(), Ending> {
        self.stop.ending().map_or(Ok(()), Err)
    }

    fn notice(&mut self, text: &str) {
        self.tell(&Event::Notice { text: text.to_owned() });
    }

    /// Reports events to every output.
    pub(crate) fn tell_all(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            self.tell(&event);
        }
    }

    fn tell(&mut self, event: &Event) {
        announce(&mut self.outputs, event);
    }
}

/// Reports an event to every output. Drops and logs an output that fails.
fn announce(outputs: &mut Outputs, event: &Event) {
    for dropped in outputs.event(event) {
        tracing::warn!("{dropped}");
    }
}
