//! Tests of the person's limits of today for a run that is resumed.

use super::*;

/// Each row has what the run had, the person's own file of today, the flags, a key, its value and bound, and how many
/// limits the person is told about.
#[test]
fn the_persons_limits_of_today_hold_for_a_resumed_run() {
    const MODE: &str = "gate.mode";
    const MASKS: &str = "screen.mask";
    for (had, today, given, key, expected, told) in [
        ("", "gate.mode = 'ask'", "", MODE, "'ask'", 1),
        ("", "gate.mode = 'ask'", "gate.mode = 'free'", MODE, "'free'", 0),
        ("gate.mode = 'watch'", "gate.mode = 'ask'", "", MODE, "'watch'", 0),
        ("loop.max_turns = 0", "loop.max_turns = 9", "", "loop.max_turns", "9", 1),
        ("loop.max_turns = 5", "loop.max_turns = 9", "", "loop.max_turns", "5", 0),
        ("loop.max_turns = 5", "loop.max_turns = 0", "", "loop.max_turns", "5", 0),
        ("", "protocol.tools.drag = false", "", "protocol.tools.drag", "false", 1),
        (
            "gate.rule = [{keys=['a'],then='deny'}]",
            "gate.rule = [{keys=['b'],then='ask'}]",
            "",
            "gate.rule",
            "[{keys=['a'],then='deny'},{keys=['b'],then='ask'}]",
            1,
        ),
        (
            "screen.kind = 'virtual'\nscreen.mask = [{window='r'}]",
            "screen.mask = [{window='o'}]",
            "screen.mask = [{window='f'}]",
            MASKS,
            "[{window='r'},{window='f'},{window='o'}]",
            1,
        ),
        (
            "screen.kind = 'virtual'",
            "screen.mask = [{window='o'}]",
            "screen.mask = []",
            MASKS,
            "[]",
            0,
        ),
        (
            "screen.kind = 'canvas'",
            "screen.mask = [{window='o'},{area=[0,0,9,9]}]",
            "",
            MASKS,
            "[{area=[0,0,9,9]}]",
            1,
        ),
        (
            "screen.mask = [{window='r'}]",
            "screen.mask = []",
            "",
            MASKS,
            "[{window='r'}]",
            0,
        ),
        (
            "",
            "screen.region = [0, 0, 50, 50]",
            "",
            "screen.region",
            "[0, 0, 50, 50]",
            1,
        ),
        (
            "panel.relay = '0.0.0.0:9'",
            "panel.relay = '0.0.0.0:8'",
            "",
            "panel.relay",
            "'0.0.0.0:9'",
            0,
        ),
        (
            "screen.kind = 'desktop'",
            "screen.kind = 'canvas'",
            "",
            "screen.kind",
            "'desktop'",
            0,
        ),
        (
            "model.upstream = 'demo'",
            "model.upstream = 'auto'",
            "",
            "model.upstream",
            "'demo'",
            0,
        ),
    ] {
        check_limit((had, today, given), (key, expected), told);
    }
}

/// Resolves what the run had, the person's own file of today and the flags. Checks a key's value and bound, and how many
/// limits the person is told about.
fn check_limit((had, today, given): (&str, &str, &str), (key, expected): (&str, &str), told: usize) {
    let of_today = Layer::parse(today, &Origin::file(FileKind::Own, "own.toml")).unwrap();
    let resolved = Resolved::of(Layer::defaults().over(flags(had)).over(flags(given)));
    let resolved = resolved.limited(&of_today, flags(given)).unwrap();
    let whole = resolved.layer.over(resolved.flags);
    let expected: Value = expected.parse().unwrap();
    assert_eq!(whole.get(key), Some(&expected), "{had} {today} {given}");
    assert_eq!(resolved.bounds.get(key), Some(&expected), "{had} {today} {given}");
    assert_eq!(resolved.limits.len(), told, "{:?}", resolved.limits);
}

/// The rows are those of the test above.
#[test]
fn a_limit_that_overlaps_with_the_runs_leaves_what_both_allow() {
    const REGION: &str = "screen.region";
    const HOSTS: &str = "panel.allow_hosts";
    let desktop = "screen.kind = 'desktop'\nscreen.region = [0, 0, 50, 50]";
    let canvas = "screen.region = [0, 0, 50, 50]";
    for (had, today, given, key, expected, told) in [
        (
            desktop,
            "screen.region = [20, 10, 60, 30]",
            "",
            REGION,
            "[20, 10, 30, 30]",
            1,
        ),
        (
            desktop,
            "screen.region = [60, 0, 50, 50]",
            "screen.region = [10, 0, 40, 50]",
            REGION,
            "[10, 0, 40, 50]",
            0,
        ),
        (
            canvas,
            "screen.region = [60, 0, 50, 50]",
            "",
            REGION,
            "[0, 0, 50, 50]",
            0,
        ),
        (
            "panel.allow_hosts = ['a', 'b']",
            "panel.allow_hosts = ['b', 'c']",
            "",
            HOSTS,
            "['b']",
            1,
        ),
        (
            "panel.allow_hosts = ['a']",
            "panel.allow_hosts = ['c']",
            "",
            HOSTS,
            "[]",
            1,
        ),
    ] {
        check_limit((had, today, given), (key, expected), told);
    }
}

#[test]
fn a_region_that_excludes_the_persons_own_is_refused_with_both() {
    let run = "screen.kind = 'desktop'\nscreen.region = [0, 0, 50, 50]";
    for (today, is_refused) in [("[34, 0, 50, 50]", false), ("[35, 0, 50, 50]", true)] {
        let region = format!("screen.region = {today}");
        let of_today = Layer::parse(&region, &Origin::file(FileKind::Own, "own.toml")).unwrap();
        let resolved = Resolved::of(Layer::defaults().over(flags(run)));
        let error = resolved.limited(&of_today, Layer::default()).err();
        assert_eq!(error.is_some(), is_refused, "{today}");
        let Some(said) = error.map(|error| error.to_string()) else {
            continue;
        };
        let flag = |region: &str| franz_home::shell::word(&format!("screen.region={region}"));
        let choice = format!("--set {} or --set {}", flag(today), flag("[0, 0, 50, 50]"));
        assert!(said.contains(&format!("screen.region = {today} has")), "{said}");
        assert!(said.ends_with(&choice), "{said}");
    }
}

/// A mask for a window cannot limit a canvas, which has none.
#[test]
fn masks_for_windows_keep_no_canvas_from_being_resumed() {
    let masks = "screen.mask = [{window='o'}]";
    let today = Layer::parse(masks, &Origin::file(FileKind::Own, "own.toml")).unwrap();
    let resolved = Resolved::of(Layer::defaults().over(flags("screen.kind = 'canvas'")));
    let resolved = resolved.limited(&today, Layer::default()).unwrap();
    assert!(resolved.limits.is_empty(), "{:?}", resolved.limits);
    let resolved = resolved.with_flags(&Flags::of_profile(None)).unwrap();
    assert!(resolved.settings.screen.mask.is_empty());
}

/// Each list is short enough, but nobody could read a file with the masks of both.
#[test]
fn masks_of_the_run_and_of_today_that_add_up_to_too_many_are_refused() {
    let list = |from: u32, to: u32| {
        let masks: Vec<String> = (from..to).map(|number| format!("{{window='{number}'}}")).collect();
        format!("screen.mask = [{}]", masks.join(","))
    };
    let run = format!("screen.kind = 'virtual'\n{}", list(0, 60));
    for (own, most) in [(list(0, 100), None), (list(60, 101), Some(101))] {
        let today = Layer::parse(&own, &Origin::file(FileKind::Own, "own.toml")).unwrap();
        let resolved = Resolved::of(Layer::defaults().over(flags(&run)));
        let resolved = resolved.limited(&today, Layer::default()).unwrap();
        let refused = match resolved.with_flags(&Flags::of_profile(None)) {
            Ok(resolved) => {
                assert_eq!(resolved.settings.screen.mask.len(), 100, "equal masks count once");
                None
            }
            Err(ConfigError::Mismatch(Mismatch::TooManyMasks(masks))) => Some(masks),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(refused, most);
    }
}

/// The run's file might be edited again, so the bounds have to be tightened even if the file is tight enough.
#[test]
fn the_persons_limits_of_today_bound_a_file_that_is_already_as_tight() {
    let kept = Layer::defaults();
    let (file, read) = file("gate.mode = 'ask'");
    let today = Layer::parse("gate.mode = 'ask'", &Origin::file(FileKind::Own, "own.toml")).unwrap();
    let resolved = within(kept, file, read, Layer::default());
    assert_eq!(resolved.bounds.get("gate.mode"), Some(&"free".into()));
    let resolved = resolved.limited(&today, Layer::default()).unwrap();
    assert_eq!(resolved.bounds.get("gate.mode"), Some(&"ask".into()));
    assert!(resolved.limits.is_empty(), "{:?}", resolved.limits);
}
