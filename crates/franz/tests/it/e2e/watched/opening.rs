//! `franz open` finds the page of what is running.

use super::standing::{link, panel};
use super::start;
use crate::harness::{Finished, Workplace, artist, spawn};

fn open(place: &Workplace, more: &[&str]) -> Finished {
    spawn(place.program(&[&["open", "--no-open"], more].concat())).finish()
}

#[track_caller]
fn finds(place: &Workplace, more: &[&str], page: &str) {
    let opened = open(place, more);
    assert_eq!(opened.code, Some(0), "{more:?}: {}", opened.stderr);
    assert_eq!(opened.stdout, format!("{page}\n"), "{more:?}");
}

#[track_caller]
fn refuses(place: &Workplace, more: &[&str], why: &str) {
    let refused = open(place, more);
    assert_eq!(refused.code, Some(2), "{more:?}: {}", refused.stdout);
    assert!(refused.stderr.contains(why), "{more:?}: {}", refused.stderr);
}

#[test]
fn the_page_of_a_live_run_or_of_the_panel_is_found() {
    let (place, server) = (Workplace::new(), artist());
    refuses(&place, &[], "no run is live; start one with: franz run");
    let run = start(&place, &server, &["--step"]);
    let own = link(&run);
    for named in [&[][..], &["run"], &["last"]] {
        finds(&place, named, &own);
    }
    let standing = panel(&place, "panel");
    finds(&place, &[], &link(&standing));
    finds(&place, &["run"], &own);
    finds(&place, &["panel"], &link(&standing));
    standing.kill();
    finds(&place, &[], &own);
    run.signal("INT");
    assert_eq!(run.finish().code, Some(130));
    refuses(&place, &[], "no run is live");
    refuses(&place, &["run"], "run is not running; to look at it: franz replay run");
    refuses(&place, &["elsewhere"], "there is no run elsewhere");
}

#[test]
fn a_run_without_a_page_has_none_to_open() {
    let (place, server) = (Workplace::new(), artist());
    let running = place.start(&server, &[]);
    place.wait_for_turn(1);
    refuses(&place, &["run"], "run has no page; it was started with --no-panel");
    refuses(&place, &[], "no run is live");
    running.kill();
}
