//! Going in circles: repeating the same actions without any effect, however they are worded.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

use franz_action::{Action, Mode, Outcome, Point};
use franz_record::{Acted, Effect, Phase, Status, TurnLine};

use super::notices;
use super::{Agent, Turn};
use crate::config::gate::GateMode;
use crate::stop::Ending;

/// How many repetitions in a row it takes before FRANZ tells the model, and before it urges the model to try another
/// way.
const TOLD: u32 = 3;
const DEMANDED: u32 = 5;
/// The maximum number of different deeds in a circle.
const LONGEST: usize = 4;
/// The maximum distance at which two positions count as the same, in thousandths.
const SAME_PLACE: f64 = 10.0;
/// How long a model may wait for a change before waiting counts as going in circles.
const PATIENT: Duration = Duration::from_mins(10);

/// A turn's deed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TurnDeed {
    /// The turn performed these actions; none if no action could be performed.
    Did(Vec<Action>),
    /// The turn only looked or waited.
    Waited,
}

/// The deeds since the last one that had an effect, and how many in a row repeated earlier ones.
#[derive(Debug, Default)]
pub(super) struct Circles {
    recent: VecDeque<Vec<Action>>,
    times: u32,
    waiting_since: Option<Instant>,
}

impl TurnDeed {
    /// Returns the deed of a turn in which these actions were performed.
    pub(super) fn of(actions: Vec<Action>) -> TurnDeed {
        if !actions.is_empty() && actions.iter().all(Action::only_looks) {
            return TurnDeed::Waited;
        }
        TurnDeed::Did(actions)
    }
}

impl Circles {
    /// Restores the deeds of these turns, which an earlier process recorded. The records do not say how long the model
    /// waited.
    pub(super) fn of(turns: &[TurnLine], patience: u32) -> Circles {
        let mut circles = Circles::default();
        for turn in turns.iter().filter(|turn| turn.status == Status::Ok) {
            let is_monitoring = turn.mode.as_deref() == Some(Mode::Monitoring.name());
            let times = match TurnDeed::of(turn.acted.iter().filter_map(Acted::performed).collect()) {
                _ if is_monitoring => {
                    circles = Circles::default();
                    continue;
                }
                _ if was_stopped(&turn.acted, GateMode::Free) => continue,
                // How long the model waited is not recorded, but whether it saw a change is.
                deed @ TurnDeed::Waited => {
                    if effect_of(&deed, turn) != Effect::None {
                        circles = Circles::default();
                    }
                    continue;
                }
                deed @ TurnDeed::Did(_) => {
                    let effect = effect_of(&deed, turn);
                    circles.note(deed, effect, Instant::now())
                }
            };
            if patience > 0 && times >= patience {
                circles = Circles::default();
            }
        }
        circles
    }

    /// Notes a deed and its effect. Returns how many times in a row the same deed has been repeated without effect.
    pub(super) fn note(&mut self, deed: TurnDeed, effect: Effect, now: Instant) -> u32 {
        match deed {
            TurnDeed::Waited if effect == Effect::None => {
                let since = *self.waiting_since.get_or_insert(now);
                if now.saturating_duration_since(since) < PATIENT {
                    return 0;
                }
                self.times += 1;
            }
            TurnDeed::Waited => {
                *self = Circles::default();
            }
            // This deed had an effect, so earlier deeds no longer matter.
            TurnDeed::Did(_) if effect == Effect::Near => *self = Circles::default(),
            TurnDeed::Did(actions) => {
                self.waiting_since = None;
                let is_known = self.recent.iter().any(|before| alike(before, &actions));
                self.times = if is_known { self.times + 1 } else { 1 };
                self.recent.push_back(actions);
                if self.recent.len() > LONGEST {
                    self.recent.pop_front();
                }
            }
        }
        self.times
    }
}

/// Returns the effect of a turn's actions. If the effect is unknown, assumes that there was one.
fn effect_of(deed: &TurnDeed, turn: &TurnLine) -> Effect {
    if matches!(deed, TurnDeed::Did(actions) if actions.is_empty()) {
        return Effect::None;
    }
    turn.change.map_or(Effect::Near, |change| {
        let seen = if change.area.is_none() {
            Effect::None
        } else {
            Effect::Near
        };
        change.effect.unwrap_or(seen)
    })
}

/// Checks whether the person kept a turn from doing anything, which says nothing about the model.
fn was_stopped(acted: &[Acted], gate: GateMode) -> bool {
    // These are no person's words: nobody was there to say any.
    let unasked = [notices::NOBODY, notices::NOBODY_ANSWERS, notices::ASKED];
    let is_stopped = |outcome: &Outcome| match outcome {
        Outcome::Withdrawn(why) | Outcome::Refused(why) => !unasked.contains(&why.as_str()),
        Outcome::Interrupted => true,
        Outcome::Blocked(_) => gate == GateMode::Watch,
        _ => false,
    };
    !acted.iter().any(|acted| acted.outcome.is_done()) && acted.iter().any(|acted| is_stopped(&acted.outcome))
}

/// Checks whether two turns performed the same actions at the same positions.
fn alike(one: &[Action], other: &[Action]) -> bool {
    let same = |(one, other): (&Action, &Action)| {
        let (words, places) = parts(one);
        let (other_words, other_places) = parts(other);
        words == other_words && places.iter().zip(&other_places).all(|(a, b)| are_near(*a, *b))
    };
    one.len() == other.len() && one.iter().zip(other).all(same)
}

/// Returns an action's text without its points, and the points.
fn parts(action: &Action) -> (String, Vec<Point>) {
    let places = RefCell::new(Vec::new());
    let words = action.call(|place| {
        places.borrow_mut().push(*place);
        "_".to_owned()
    });
    (words, places.into_inner())
}

fn are_near(a: Point, b: Point) -> bool {
    (a.x.get() - b.x.get()).abs() <= SAME_PLACE && (a.y.get() - b.y.get()).abs() <= SAME_PLACE
}

impl Agent {
    /// Judges the turn's actions by the picture taken after them, and tells the model if it is going in circles.
    /// Returns whether the run has paused for the person instead, in which case the turn begins again.
    pub(super) fn judge(&mut self, turn: &mut Turn) -> Result<bool, Ending> {
        let Some(times) = self.times_in_circles(turn) else {
            return Ok(false);
        };
        let patience = self.live.settings.pace.patience;
        if patience > 0 && times >= patience {
            self.trail.circles = Circles::default();
            let why =
                format!("the model is going in circles: it has done the same thing {times} times, and nothing changed");
            return self.ask_for_help(turn, why);
        }
        if times == TOLD {
            self.notice("the model is going in circles: it keeps doing the same thing, and nothing changes");
        }
        let deed = TurnDeed::of(turn.performed());
        let told = match (times, &deed) {
            (..TOLD, _) => return Ok(false),
            (_, TurnDeed::Waited) => notices::WAITED_LONG.to_owned(),
            (_, TurnDeed::Did(actions)) if actions.is_empty() => notices::nothing_done(times),
            (DEMANDED.., TurnDeed::Did(_)) => notices::ANOTHER_WAY.to_owned(),
            (_, TurnDeed::Did(_)) => notices::same_again(times),
        };
        turn.line.feedback = notices::below(&turn.line.feedback, &[told]);
        Ok(false)
    }

    /// Returns how many times in a row the same deed was repeated, if this turn's deed has not been judged yet.
    fn times_in_circles(&mut self, turn: &Turn) -> Option<u32> {
        let number = turn.line.turn;
        let acted = matches!(&self.state.phase, Phase::Acted { turn, .. } if *turn == number);
        if self.state.turn == 0 || !acted || self.trail.judged == number {
            return None;
        }
        self.trail.judged = number;
        if self.mode() == Mode::Monitoring {
            self.trail.circles = Circles::default();
            return None;
        }
        if was_stopped(&turn.unseen, self.live.settings.gate.mode) {
            return None;
        }
        let rests = self.trail.rest.is_resting();
        if rests && self.live.settings.pace.rest_s > 0.0 {
            return None;
        }
        let deed = if rests {
            TurnDeed::Waited
        } else {
            TurnDeed::of(turn.performed())
        };
        let effect = effect_of(&deed, &turn.line);
        Some(self.trail.circles.note(deed, effect, Instant::now()))
    }

    /// Pauses for the person if somebody is there; otherwise ends the run.
    fn ask_for_help(&mut self, turn: &Turn, why: String) -> Result<bool, Ending> {
        if !self.presence.is_anybody_there() {
            return Err(Ending::Stuck(why));
        }
        self.stop
            .pause_because(format!("{why}; help it, or edit its goal, then resume"));
        self.hold(turn.line.turn)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use franz_record::Event;

    use super::super::grey;
    use super::*;
    use crate::presence::Presence;

    fn did(texts: &str) -> TurnDeed {
        let actions = texts.split("; ").filter(|text| !text.is_empty());
        TurnDeed::of(actions.map(|text| text.parse().unwrap()).collect())
    }

    /// Returns the count after each deed. Each deed comes with its effect, where `-` means none.
    fn counts(deeds: &[(&str, char)]) -> Vec<u32> {
        let (mut circles, now) = (Circles::default(), Instant::now());
        let effect = |mark| if mark == '-' { Effect::None } else { Effect::Near };
        let counted = deeds
            .iter()
            .map(|(deed, mark)| circles.note(did(deed), effect(*mark), now));
        counted.collect()
    }

    #[test]
    fn the_same_deed_at_the_same_place_counts_until_it_has_an_effect() {
        for (deeds, wanted) in [
            (vec![("left_click(500, 500)", '-'); 4], vec![1, 2, 3, 4]),
            (
                vec![
                    ("left_click(500, 500)", '-'),
                    ("left_click(510, 491)", '-'),
                    ("left_click(530, 500)", '-'),
                ],
                vec![1, 2, 1],
            ),
            (
                vec![
                    ("left_click(5, 5)", '-'),
                    ("left_click(5, 5)", '!'),
                    ("left_click(5, 5)", '-'),
                ],
                vec![1, 0, 1],
            ),
            (vec![("press(\"enter\")", '-'), ("press(\"tab\")", '-')], vec![1, 1]),
            // Two alternating deeds are also a circle.
            (
                vec![
                    ("left_click(1, 1)", '-'),
                    ("press(\"tab\")", '-'),
                    ("left_click(1, 1)", '-'),
                    ("press(\"tab\")", '-'),
                ],
                vec![1, 1, 2, 3],
            ),
            // A wait in between changes nothing.
            (
                vec![("left_click(1, 1)", '-'), ("wait(2)", '-'), ("left_click(1, 1)", '-')],
                vec![1, 0, 2],
            ),
            // All turns without a performed action count as the same.
            (vec![("", '-'); 3], vec![1, 2, 3]),
            (vec![("scroll(3)", '!'); 9], vec![0; 9]),
            (vec![("wait(30)", '-'); 9], vec![0; 9]),
            (vec![("observe()", '-'); 9], vec![0; 9]),
        ] {
            assert_eq!(counts(&deeds), wanted, "{deeds:?}");
        }
    }

    #[test]
    fn a_turn_that_the_person_stopped_does_not_count() {
        let why = || "because".to_owned();
        let refused = |why: &str| Outcome::Refused(why.to_owned());
        let dropped = |why: &str| Outcome::Withdrawn(why.to_owned());
        let free = GateMode::Free;
        for (outcomes, gate, wanted) in [
            (vec![Outcome::Refused(why())], free, true),
            (vec![refused(notices::NOBODY)], free, false),
            (vec![refused(notices::NOBODY), dropped(notices::NOBODY)], free, false),
            (
                vec![refused(notices::NOBODY_ANSWERS), dropped(notices::ASKED)],
                free,
                false,
            ),
            (vec![refused(notices::NO_ANSWER), dropped(notices::ASKED)], free, true),
            (vec![Outcome::Interrupted, Outcome::Withdrawn(why())], free, true),
            (vec![Outcome::DONE, Outcome::Withdrawn(why())], free, false),
            // A model that is held again and again is stuck.
            (vec![Outcome::Held(why())], free, false),
            (vec![Outcome::Blocked(Some(why()))], free, false),
            (vec![Outcome::Blocked(Some(why()))], GateMode::Watch, true),
            (vec![Outcome::Malformed(why())], GateMode::Watch, false),
            (vec![], GateMode::Watch, false),
        ] {
            let acted: Vec<Acted> = outcomes.into_iter().map(|outcome| Acted::new("a", outcome)).collect();
            assert_eq!(was_stopped(&acted, gate), wanted, "{acted:?}");
        }
    }

    /// The run repeats the turn once the person resumes it, and forgets the earlier deeds.
    #[test]
    fn a_run_in_circles_pauses_for_a_person_who_is_there() {
        let mut fixture = grey::agent("```python\nleft_click(1, 2)\n```");
        fixture.agent.presence = Presence::new(true, false);
        fixture.shared.still.store(true, Ordering::Relaxed);
        let (agent, stop, events) = (fixture.agent, fixture.stop, fixture.events);
        let thread = std::thread::spawn(move || agent.run());
        let mut asked = Vec::new();
        for event in &events {
            match event {
                Event::Paused { turn, why: Some(why) } => {
                    assert!(why.contains("it has done the same thing 8 times"), "{why}");
                    asked.push(turn);
                    stop.resume();
                }
                Event::RunEnded { .. } => break,
                _ => {}
            }
            if asked.len() == 2 {
                stop.end(Ending::Stopped);
            }
        }
        thread.join().unwrap();
        // Turn 9 shows that the eighth click changed nothing, and turn 17 shows the same for the sixteenth.
        assert_eq!(asked, [9, 17]);
        let done = fixture.shared.done.lock().unwrap().len();
        assert!((16..=17).contains(&done), "{done}");
    }

    #[test]
    fn waiting_counts_after_ten_minutes_without_a_change() {
        let (mut circles, start) = (Circles::default(), Instant::now());
        let mut wait = |minutes, effect| circles.note(TurnDeed::Waited, effect, start + Duration::from_mins(minutes));
        let counts = [0, 9, 10, 11, 12].map(|minutes| wait(minutes, Effect::None));
        assert_eq!(counts, [0, 0, 1, 2, 3]);
        assert_eq!(wait(13, Effect::Near), 0);
        assert_eq!([14, 23, 24].map(|minutes| wait(minutes, Effect::None)), [0, 0, 1]);
    }
}
