//! Tests that a browser merging all events knows the same as the hub, regardless of when it connected.

use franz_record::{Event, TurnLine};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::*;
use crate::history::{Extent, Overview};
use crate::hub::{Doing, NewestRun, RunFacts, Subscription};
use crate::verdict::VerdictKind;

/// A page with the state that it fetched, kept up to date by the events since then.
struct Page {
    hub: Hub,
    listener: Subscription,
    state: Value,
}

impl Page {
    fn open(hub: &Hub) -> Page {
        let (snapshot, last) = hub.snapshot();
        let last = last.unwrap_or_else(|| "0".to_owned());
        Page {
            hub: hub.clone(),
            listener: hub.listen(Some(&last)),
            state: as_json(&snapshot),
        }
    }

    /// Merges all pending events, checks the result, and returns how many times the page had to fetch the state again.
    fn catch_up(&mut self) -> usize {
        let mut fetched = 0;
        loop {
            let events = self.listener.take();
            if events.is_empty() {
                break;
            }
            for event in events {
                assert!(event.json.len() <= Hub::EVENT_BYTES, "{}", event.json);
                if &*event.json == RESYNC {
                    fetched += 1;
                    self.state = self.hub.look(as_json);
                } else {
                    merge(&mut self.state, serde_json::from_str(&event.json).unwrap());
                }
            }
        }
        assert_eq!(self.state, self.hub.look(as_json));
        fetched
    }
}

/// Merges as RFC 7396 specifies.
fn merge(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let target = target.as_object_mut().unwrap();
    for (name, value) in patch {
        if value.is_null() {
            target.remove(&name);
        } else {
            merge(target.entry(name).or_insert(Value::Null), value);
        }
    }
}

/// Returns the snapshot as a page sees it, without null members.
fn as_json(snapshot: &Snapshot) -> Value {
    let mut state = Value::Null;
    merge(&mut state, serde_json::to_value(snapshot).unwrap());
    state
}

/// Something that happens: its kind, a turn, a number and some text.
type Happening = (usize, u64, u32, String);

const KINDS: usize = 17;

fn happening() -> impl Strategy<Value = Happening> {
    let long = (".", 0_usize..3000).prop_map(|(unit, times)| unit.repeat(times));
    let text = prop_oneof![Just(String::new()), "[a-z\"\\\\\0 ]{1,9}", long];
    let turn = prop_oneof![1_u64..6, Just(u64::MAX)];
    (0..KINDS, turn, 1_u32..4, text)
}

fn happen(snapshot: &mut Snapshot, (kind, turn, number, text): &Happening) {
    let (turn, number, text) = (*turn, *number, text.clone());
    let line = || {
        let texts = [text.clone(), text.clone()].map(|text| Some(text).filter(|text| !text.is_empty()));
        let [mode, goal] = texts;
        let line = TurnLine::new(turn, "2026-01-02T03:04:05Z");
        Box::new(TurnLine { mode, goal, ..line })
    };
    let doing = [Doing::None, Doing::Running, Doing::Paused, Doing::Restarting];
    match kind {
        0 => snapshot.begin(RunFacts {
            name: text.clone(),
            profile: text.clone(),
            upstream: text.clone(),
            model: text.clone(),
            screen: text,
            private: false,
            relay: String::new(),
        }),
        1 | 2 => snapshot.set_agent(doing[number as usize], text),
        3 => snapshot.set_upstream(text.is_empty(), text),
        4 => snapshot.asked(None, number),
        5 => snapshot.event(&Event::Asking { turn, attempt: number }),
        6 => snapshot.event(&Event::Acting { turn, actions: 3 }),
        7 | 8 => snapshot.event(&Event::Shown(line())),
        9 | 10 => snapshot.event(&Event::TurnDone(line())),
        11 => snapshot.event(&Event::Retry {
            turn,
            attempt: number,
            error: text,
            since: String::new(),
            wait_s: f64::from(number),
        }),
        12 => snapshot.event(&Event::Answered {
            turn,
            text,
            success: true,
        }),
        13 => snapshot.judged(Some(turn).filter(|_| number > 1), VerdictKind::ALL[number as usize].0),
        14 => snapshot.config = Some(text),
        15 => snapshot.recorded(
            u64::from(number),
            NewestRun {
                name: text,
                turns: turn,
            },
        ),
        _ => {
            let turns = Extent {
                first: 1,
                last: turn,
                count: u64::from(number),
            };
            let record = Overview {
                turns,
                ..Overview::default()
            };
            snapshot.read(record, Some(&line()));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn merging_all_changes_yields_the_snapshot(happenings in prop::collection::vec(happening(), 0..40)) {
        let hub = Hub::default();
        let mut pages = vec![Page::open(&hub)];
        for happening in &happenings {
            hub.change(|snapshot| happen(snapshot, happening));
            pages.push(Page::open(&hub));
            for page in &mut pages {
                prop_assert_eq!(page.catch_up(), 0);
            }
        }
    }

    #[test]
    fn every_change_fits_into_its_events(happenings in prop::collection::vec(happening(), 1..40)) {
        // All of this happens at the same time and does not fit into one event.
        let hub = Hub::default();
        let mut page = Page::open(&hub);
        hub.change(|snapshot| happenings.iter().for_each(|happening| happen(snapshot, happening)));
        let notices = happenings.iter().filter(|(kind, ..)| *kind == 11).count();
        prop_assert!(page.catch_up() == 0 || notices > 1);
    }

    #[test]
    fn runs_mirror_the_state_of_their_panel(happenings in prop::collection::vec(happening(), 0..40), joined in 0..40_usize) {
        let (panel, run) = (Hub::default(), Hub::default());
        let mut page = Page::open(&run);
        for (place, happening) in happenings.iter().enumerate() {
            if place == joined {
                run.follow(&panel);
            }
            panel.change(|snapshot| happen(snapshot, happening));
            page.catch_up();
        }
        if joined < happenings.len() {
            let ((run, _), (panel, _)) = (run.snapshot(), panel.snapshot());
            prop_assert_eq!(run.agent, panel.agent);
            prop_assert_eq!(run.upstream, panel.upstream);
            prop_assert_eq!(run.newest, panel.newest);
            prop_assert_eq!(run.notices, panel.notices);
        }
    }

    #[test]
    fn a_merge_patch_leads_from_one_value_to_the_other(before in value(), after in value()) {
        let normal = |value| {
            let mut normal = Value::Null;
            merge(&mut normal, value);
            normal
        };
        let (mut page, after) = (normal(before), normal(after));
        if let Some(patch) = merge_patch(&page, after.clone()) {
            merge(&mut page, patch);
        }
        prop_assert_eq!(page, after);
    }
}

/// Generates JSON that resembles a snapshot: an object with few different names.
fn value() -> impl Strategy<Value = Value> {
    let leaf = select(vec![json!(null), json!(1), json!("a"), json!([1, null]), json!(true)]);
    let inner = leaf.prop_recursive(3, 12, 3, |inner| {
        prop::collection::btree_map("[abc]", inner, 0..3).prop_map(|map| json!(map))
    });
    prop::collection::btree_map("[abc]", inner, 0..4).prop_map(|map| json!(map))
}

#[test]
fn pages_drop_old_notices_too() {
    let hub = Hub::default();
    let mut page = Page::open(&hub);
    for number in 1..=205 {
        hub.change(|snapshot| snapshot.notice(number.to_string()));
        assert_eq!(page.catch_up(), 0);
    }
    let notices = page.state["notices"].as_object().unwrap();
    assert_eq!((notices.len(), notices.contains_key("5")), (200, false));
    assert_eq!(notices["205"]["text"], "205");
}

#[test]
fn a_further_violation_is_a_small_event_however_many_there_are() {
    let hub = Hub::default();
    let mut page = Page::open(&hub);
    for turn in 1..=1005 {
        hub.change(|snapshot| snapshot.judged(Some(turn), VerdictKind::Violation));
        assert_eq!(page.catch_up(), 0);
    }
    let violations = page.state["violations"].as_object().unwrap();
    assert_eq!((violations.len(), violations.contains_key("5")), (1000, false));
}

#[test]
fn a_part_that_fits_into_no_event_is_fetched_with_the_state() {
    let hub = Hub::default();
    let mut page = Page::open(&hub);
    hub.change(|snapshot| {
        for turn in 1..=1000 {
            snapshot.judged(Some(turn), VerdictKind::Violation);
        }
    });
    assert_eq!(page.catch_up(), 1);
    assert_eq!(page.state["violations"].as_object().unwrap().len(), 1000);
}

#[test]
fn a_change_that_changes_nothing_sends_nothing() {
    let hub = Hub::default();
    hub.change(|snapshot| snapshot.set_upstream(true, ""));
    assert_eq!(hub.snapshot().1, None);
    hub.change(|snapshot| snapshot.set_upstream(false, "refused"));
    hub.change(|snapshot| snapshot.set_upstream(false, "refused"));
    assert!(hub.snapshot().1.unwrap().ends_with("-1"));
}
