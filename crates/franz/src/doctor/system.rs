//! Says how well FRANZ is tested on this operating system.

use super::finding::Finding;

pub(super) fn examine() -> Option<Finding> {
    of(std::env::consts::OS)
}

/// Returns a remark about an operating system on which FRANZ's own tests do not run.
fn of(system: &str) -> Option<Finding> {
    let text = match system {
        "macos" => "FRANZ is only type-checked for macOS: its tests have never run on a Mac",
        "windows" => "FRANZ is tested under Wine only, not yet on Windows itself",
        _ => return None,
    };
    Some(Finding::remark("system", text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_linux_is_tested_as_a_whole() {
        let said = |system| of(system).map(|finding| finding.to_string());
        assert_eq!(said("linux"), None);
        assert!(said("macos").is_some_and(|text| text.contains("only type-checked")));
        assert!(said("windows").is_some_and(|text| text.contains("under Wine only")));
    }
}
