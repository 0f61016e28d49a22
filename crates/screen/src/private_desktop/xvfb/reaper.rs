//! The reaper of a program: it runs alongside the program, adopts what the program leaves behind, and ends all of it
//! together with the desktop, even if the desktop is killed.
//!
//! It is forked between fork and exec, where only system calls are allowed: nothing here allocates memory, takes a lock
//! or panics.

use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, read};
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_current_process_group, kill_process,
    set_child_subreaper, set_parent_process_death_signal, wait,
};

/// The signal that ends the program and whatever it left behind; the kernel sends it when the thread that keeps the
/// desktop is gone.
pub(super) const END: Signal = Signal::HUP;

/// Where to stop on kernels that cannot close all files at once; processes have no more files open than this.
const FILES: i32 = 65_536;

/// A directory that is removed when the program and everything that it started have ended.
pub(super) struct LeftFolder {
    /// The path of the `rm` program.
    pub(super) remover: CString,
    pub(super) folder: CString,
}

/// Called in a child of `parent` that is about to become a program. Returns in a child of that child, which becomes the
/// program instead.
pub(super) fn attach(parent: Pid, left: Option<&LeftFolder>) -> io::Result<()> {
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
    reap(program, left)
}

/// Checks that the parent is alive, because it might have died before the death signal was requested.
fn expect_parent(parent: Pid) -> io::Result<()> {
    if getppid() == Some(parent) {
        Ok(())
    } else {
        Err(Errno::SRCH.into())
    }
}

/// Reaps ended processes until none is left, and exits like the program. If a process ends before its children, this
/// process adopts them.
fn reap(program: Pid, left: Option<&LeftFolder>) -> ! {
    let told = signals(Some(&[Signal::CHILD, Signal::TERM, END]));
    let mut code = 0;
    loop {
        while let Some(ended) = wait(WaitOptions::NOHANG).transpose() {
            match ended {
                Ok((process, status)) if process == program => code = code_of(status),
                Ok(_) => {}
                Err(_) => exit(left, code),
            }
        }
        match wait_for(&told) {
            Some(END) => end(left),
            Some(Signal::TERM) => {
                // The program's group has already received the signal, and so has the program.
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

/// Kills all children, and their children as this process adopts them.
fn end(left: Option<&LeftFolder>) -> ! {
    loop {
        let known = children(|child| {
            let _ = kill_process(child, Signal::KILL);
        });
        if !known {
            let _ = kill_current_process_group(Signal::KILL);
        }
        if wait(WaitOptions::empty()).is_err() {
            exit(left, 0);
        }
    }
}

/// Returns the exit code of an ended process, as a shell reports it.
fn code_of(status: WaitStatus) -> i32 {
    let killed = status.terminating_signal().map(|signal| signal.wrapping_add(128));
    status.exit_status().or(killed).unwrap_or_default()
}

/// Calls `each` for every child, including ended ones that nobody has reaped; returns whether the children could be
/// listed.
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

/// Creates a set of these signals, or of all signals.
#[expect(unsafe_code, reason = "filling a set of signals")]
fn signals(these: Option<&[Signal]>) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: The set is ours, and it is filled before use.
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

/// Blocks signals so that they wait to be fetched; returns the signals that were blocked before.
#[expect(unsafe_code, reason = "changing which signals are kept")]
fn block(these: &libc::sigset_t) -> io::Result<libc::sigset_t> {
    let mut before = MaybeUninit::uninit();
    // SAFETY: Both sets are ours, and the second is read only if it was filled.
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
    // SAFETY: The set is ours; the information sent with the signal is not requested.
    Signal::from_named_raw(unsafe { libc::sigwaitinfo(these, std::ptr::null_mut()) })
}

/// Forks; returns the child to its parent, and `None` to the child.
#[expect(unsafe_code, reason = "forking")]
fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: There is a single thread here, between fork and exec, and both sides make only system calls.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        child => Ok(Pid::from_raw(child)),
    }
}

/// Closes all files: a reader of the program's output must not have to wait for this process.
#[expect(unsafe_code, reason = "closing files that it does not own")]
fn close_files() {
    // SAFETY: No owner of a file is used any more in this process, which ends without dropping any.
    unsafe {
        if libc::syscall(libc::SYS_close_range, 0, libc::c_uint::MAX, 0) != 0 {
            for file in 0..FILES {
                libc::close(file);
            }
        }
    }
}

/// Becomes the program that removes the directory, or exits with this code.
#[expect(unsafe_code, reason = "exiting immediately")]
fn exit(left: Option<&LeftFolder>, code: i32) -> ! {
    if let Some(LeftFolder { remover, folder }) = left {
        let words = [
            remover.as_ptr(),
            c"-rf".as_ptr(),
            c"--".as_ptr(),
            folder.as_ptr(),
            std::ptr::null(),
        ];
        // SAFETY: The words end with a null pointer, and all of them live until the process is another program.
        unsafe { libc::execv(remover.as_ptr(), words.as_ptr()) };
    }
    // SAFETY: The call ends the process without running anything that belongs to its parent.
    unsafe { libc::_exit(code) }
}
