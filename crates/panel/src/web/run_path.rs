//! Paths that name a run.

/// Splits a path such as `/run/NAME/api/turns` into the run's name and the rest.
pub(super) fn named_run(path: &str) -> Option<(&str, &str)> {
    let rest = path.strip_prefix("/run/")?;
    Some(rest.split_at(rest.find('/')?))
}

/// Checks whether a path is about a single run, so that one has to be chosen if there are several. The panel has its
/// own events.
pub(super) fn is_of_a_run(path: &str) -> bool {
    let within = ["/api/", "/blob/", "/thumb/", "/export/"];
    within.iter().any(|folder| path.starts_with(folder)) || path == "/metrics"
}
