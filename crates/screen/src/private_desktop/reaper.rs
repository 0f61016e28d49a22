//! The reaper of a program: it stays beside it, takes in what the program leaves behind, and ends all of it with the desktop, also when that is
//! killed.
//!
//! It is forked off between fork and exec, where only system calls may be made: nothing here takes memory or a lock, and nothing panics.

use std::io;
use std::mem::MaybeUninit;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, read};
use rustix::process::{
    Pid, Signal, WaitOptions, getpid, getppid, kill_current_process_group, kill_process, set_child_subreaper,
    set_parent_process_death_signal, wait,
};

/// Ends the program and whatever it has left behind; the kernel sends it when the thread that keeps the desktop is gone.
pub(super) const END: Signal = Signal::HUP;

/// More open files than that no process has where the kernel cannot close all at once.
const FILES: i32 = 65_536;

/// Called in a child of `parent` that is about to become a program: comes back in a child of that child, which becomes the program instead.
pub(super) fn attach(parent: Pid) -> io::Result<()> {
    let before = block(&signals(None))?;
    set_parent_process_death_signal(Some(END))?;
    expect_parent(parent)?;
    let own = getpid();
    set_child_subreaper(Some(own))?;
    let Some(program) = fork()? else {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        expect_parent(own)?;
        unblock(&before)?;
        return Ok(());
    };
    close_files();
    reap(program)
}

/// The parent may have died before its death was asked for.
fn expect_parent(parent: Pid) -> io::Result<()> {
    if getppid() == Some(parent) {
        Ok(())
    } else {
        Err(Errno::SRCH.into())
    }
}

/// Counts out what has ended until nothing is left. What ends without its children leaves them to this process.
fn reap(program: Pid) -> ! {
    let told = signals(Some(&[Signal::CHILD, Signal::TERM, END]));
    loop {
        while let Some(ended) = wait(WaitOptions::NOHANG).transpose() {
            if ended.is_err() {
                exit();
            }
        }
        match wait_for(&told) {
            Some(END) => end(),
            Some(Signal::TERM) => {
                // The program itself was told with its group.
                children(|child| {
                    if child != program {
                        let _ = kill_process(child, Signal::TERM);
                    }
                });
            }
            _ => {}
        }
    }
}

/// Kills all children, and theirs as they become ours.
fn end() -> ! {
    loop {
        let known = children(|child| {
            let _ = kill_process(child, Signal::KILL);
        });
        if !known {
            let _ = kill_current_process_group(Signal::KILL);
        }
        if wait(WaitOptions::empty()).is_err() {
            exit();
        }
    }
}

/// Gives each child, those among them that nobody has counted out too; tells whether they are known.
fn children(mut each: impl FnMut(Pid)) -> bool {
    let Ok(list) = open(c"/proc/thread-self/children", OFlags::RDONLY, Mode::empty()) else {
        return false;
    };
    let (mut part, mut number) = ([0_u8; 512], 0_i32);
    while let Ok(count @ 1..) = read(&list, &mut part) {
        for byte in part.iter().take(count) {
            if byte.is_ascii_digit() {
                number = number.wrapping_mul(10).wrapping_add(i32::from(byte - b'0'));
            } else {
                if let Some(child) = Pid::from_raw(number).filter(|_| number > 0) {
                    each(child);
                }
                number = 0;
            }
        }
    }
    true
}

/// These signals, or all.
#[expect(unsafe_code, reason = "filling a set of signals")]
fn signals(these: Option<&[Signal]>) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: the set is ours, and it is filled before it is used.
    unsafe {
        match these {
            None => libc::sigfillset(set.as_mut_ptr()),
            Some(_) => libc::sigemptyset(set.as_mut_ptr()),
        };
        for signal in these.unwrap_or_default() {
            libc::sigaddset(set.as_mut_ptr(), signal.as_raw());
        }
        set.assume_init()
    }
}

/// Keeps signals until they are waited for; gives those that were kept before.
#[expect(unsafe_code, reason = "changing which signals are kept")]
fn block(these: &libc::sigset_t) -> io::Result<libc::sigset_t> {
    let mut before = MaybeUninit::uninit();
    // SAFETY: both sets are ours, and the second is read only when it was filled.
    unsafe {
        if libc::sigprocmask(libc::SIG_SETMASK, these, before.as_mut_ptr()) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(before.assume_init())
    }
}

fn unblock(before: &libc::sigset_t) -> io::Result<()> {
    block(before).map(drop)
}

#[expect(unsafe_code, reason = "waiting for a signal")]
fn wait_for(these: &libc::sigset_t) -> Option<Signal> {
    // SAFETY: the set is ours; what was sent with the signal is not asked for.
    Signal::from_named_raw(unsafe { libc::sigwaitinfo(these, std::ptr::null_mut()) })
}

/// Gives the child to its parent, and `None` to the child.
#[expect(unsafe_code, reason = "forking")]
fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: there is one thread alone here, between fork and exec, and both sides make system calls only.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        child => Ok(Pid::from_raw(child)),
    }
}

/// Whoever waits for the end of what the program writes must not wait for this process.
#[expect(unsafe_code, reason = "closing files that it does not own")]
fn close_files() {
    // SAFETY: nothing that owns a file is used in this process any more, which ends without dropping it.
    unsafe {
        if libc::syscall(libc::SYS_close_range, 0, libc::c_uint::MAX, 0) != 0 {
            for file in 0..FILES {
                libc::close(file);
            }
        }
    }
}

#[expect(unsafe_code, reason = "ending at once")]
fn exit() -> ! {
    // SAFETY: it ends the process without running anything that belongs to its parent.
    unsafe { libc::_exit(0) }
}
