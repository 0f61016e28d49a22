//! Memory use stays constant, however long a run is.
#![cfg(target_os = "linux")]

use crate::harness::{Workplace, python};

/// Returns a process's resident memory, in KiB.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn memory_does_not_grow_between_turns_200_and_2000() {
    let server = python(&["drag(100, 100, 900, 900)\ndrag(900, 100, 100, 900)\nleft_click(500, 500)\ntype('meow')"]);
    let place = Workplace::new();
    let small = [
        "--set",
        "image.width=64",
        "--set",
        "image.height=36",
        "--set",
        "record.exchange_log=false",
    ];
    let running = place.start(&server, &small);
    place.wait_for_picture(200);
    let early = resident(running.id());
    place.wait_for_picture(2000);
    let late = resident(running.id());
    assert!(
        late * 100 <= early * 110,
        "{early} KiB after 200 turns, {late} KiB after 2,000"
    );
}
