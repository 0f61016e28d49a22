//! Keeps other programs of the same user from looking into a process that knows a key.

/// Makes the system keep this process's memory and environment private and out of core dumps. Otherwise a model that
/// acts on a desktop could display them there. Only Linux offers this, and root can read them anyway.
pub(crate) fn close() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};

        if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
            tracing::warn!("other programs of this user can read the API key from this process: {error}");
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::{DumpableBehavior, dumpable_behavior};

    #[test]
    fn a_closed_process_cannot_be_dumped() {
        super::close();
        assert_eq!(dumpable_behavior().unwrap(), DumpableBehavior::NotDumpable);
    }
}
