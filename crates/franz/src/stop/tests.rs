use super::*;

#[test]
fn a_stop_wakes_a_sleeper_and_keeps_its_first_reason() {
    let stop = Stop::default();
    let sleeper = std::thread::spawn({
        let stop = stop.clone();
        move || stop.sleep(Duration::from_hours(1))
    });
    stop.end(Ending::Interrupted);
    stop.end(Ending::Stopped);
    assert!(sleeper.join().unwrap());
    assert_eq!(stop.ending(), Some(Ending::Interrupted));
}

#[test]
fn a_pause_a_stop_or_the_person_ends_a_wait_for_the_server() {
    for wake in [Stop::pause as fn(&Stop), |stop| stop.end(Ending::Stopped), Stop::resume] {
        let stop = Stop::default();
        let sleeper = std::thread::spawn({
            let stop = stop.clone();
            move || stop.sleep_unless_paused(Duration::from_hours(1))
        });
        wake(&stop);
        sleeper.join().unwrap();
    }
}

#[test]
fn a_pause_is_lifted_for_one_turn_or_for_good() {
    let stop = Stop::default();
    stop.step();
    assert!(!stop.is_paused(), "one turn may be done");
    stop.pause();
    assert!(stop.is_paused(), "a pause takes steps back");
    stop.step();
    let hour = Duration::from_hours(1);
    assert!(!stop.wait_while_paused(hour));
    stop.turn_done();
    assert!(stop.is_paused());
    let waiter = std::thread::spawn({
        let stop = stop.clone();
        move || stop.wait_while_paused(hour)
    });
    stop.resume();
    assert!(!waiter.join().unwrap());
    stop.turn_done();
    stop.pause();
    assert!(stop.wait_while_paused(Duration::ZERO));
    stop.end(Ending::Stopped);
    assert!(!stop.wait_while_paused(hour));
}

#[test]
fn taking_the_mouse_interrupts_actions_until_the_run_resumes() {
    let stop = Stop::default();
    let sleeper = std::thread::spawn({
        let stop = stop.clone();
        move || stop.sleep(Duration::from_hours(1))
    });
    assert!(stop.person_takes_mouse());
    assert!(sleeper.join().unwrap());
    assert!(!stop.person_takes_mouse(), "once is enough");
    assert!(stop.is_set() && stop.is_paused() && stop.ending().is_none());
    stop.resume();
    assert!(!stop.is_paused());
    assert!(stop.give_back_mouse() && !stop.give_back_mouse());
    assert!(!stop.is_set());
    assert!(stop.waits_for_hands_off(), "the hand that clicked is still moving");
    assert!(stop.person_takes_mouse());
    stop.resume();
    assert!(!stop.is_paused());
    assert!(
        stop.person_takes_mouse() && stop.is_paused(),
        "a resumed run pauses again, even before its next turn"
    );
    stop.wait_for_hands_off(Duration::ZERO);
    assert!(!stop.waits_for_hands_off());
}

#[test]
fn the_earliest_stop_reason_wins() {
    let stop = Stop::default();
    let later = std::thread::spawn({
        let stop = stop.clone();
        move || stop.end_after(Duration::from_hours(1), Ending::Taken)
    });
    stop.end(Ending::Cornered);
    later.join().unwrap();
    assert_eq!(stop.ending(), Some(Ending::Cornered));
    let stop = Stop::default();
    stop.end_after(Duration::ZERO, Ending::Taken);
    assert_eq!(stop.ending(), Some(Ending::Taken));
}

#[test]
fn a_stop_given_before_the_wait_is_not_missed() {
    let stop = Stop::default();
    stop.end(Ending::Stopped);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async { tokio::join!(stop.ended(), stop.ended()) });
}
