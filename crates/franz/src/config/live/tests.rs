//! Edits a real `config.toml` in complete, broken and truncated ways.

use super::*;
use crate::config::kind::ValueKind;
use crate::config::layer::Layer;
use crate::config::profile;
use crate::config::resolve::bounds;
use crate::config::stack::Stack;
use crate::config::trust::Trust;
use toml::Value;

/// A run with the file that is written when it starts.
struct Run {
    live: Live,
    layer: Layer,
    _directory: tempfile::TempDir,
}

impl Run {
    fn of(profile: &str) -> Run {
        let mut layer = profile::load(profile, Stack::trusting(|_| true).own(Layer::defaults()))
            .unwrap()
            .judged()
            .layer;
        for (key, text) in [
            ("prompt.goal", "Tidy up."),
            ("model.name", "m"),
            ("model.top_p", "0.5"),
            ("model.max_tokens", "300"),
            ("model.max_total_tokens", "9000"),
            ("memory.empty_story", "(none)"),
        ] {
            layer.set(key, text, Origin::flag("test")).unwrap();
        }
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        std::fs::write(&path, written(&layer)).unwrap();
        let view = View::open(directory.path()).unwrap();
        let mut live = Live::new(view, layer.clone(), None, bounds(&layer), Granted::default());
        assert!(live.reload().is_empty(), "what was written is no edit");
        Run {
            live,
            layer,
            _directory: directory,
        }
    }

    fn edit(&mut self, text: impl AsRef<[u8]>) -> Vec<String> {
        std::fs::write(self.live.path(), text).unwrap();
        self.live.reload()
    }
}

fn written(layer: &Layer) -> String {
    Settings::resolve(layer).to_toml().unwrap()
}

/// Returns a different value of the same kind.
fn another(kind: ValueKind, than: Option<&Value>) -> Value {
    let candidates = match kind {
        ValueKind::Flag => vec![Value::Boolean(true), Value::Boolean(false)],
        ValueKind::Number(least, most) => vec![Value::Float(least), Value::Float(f64::midpoint(least, most))],
        ValueKind::Count(least, _) => vec![Value::Integer(least), Value::Integer(least + 1)],
        ValueKind::Bytes(usual) => vec![Value::Integer(usual / 2)],
        ValueKind::Choice(words) => words.iter().map(|&word| word.into()).collect(),
        ValueKind::Text | ValueKind::Filled => vec!["something else\nin two lines".into()],
        ValueKind::Texts => vec![vec!["http://a:1", "http://b:2"].into()],
        ValueKind::Region => vec!["[0, 0, 100, 100]".parse().unwrap()],
        ValueKind::Tools => vec![vec!["drag"].into()],
        ValueKind::Rules => vec!["[{ keys = ['ctrl+w'], then = 'deny' }]".parse().unwrap()],
        ValueKind::Scenarios => vec!["[{ name = 'a', goal = 'Draw a.' }]".parse().unwrap()],
        ValueKind::Masks => vec!["[{ area = [0, 0, 9, 9] }]".parse().unwrap()],
        ValueKind::Fields => vec!["{ top_k = 20 }".parse().unwrap()],
    };
    candidates.into_iter().find(|value| Some(value) != than).unwrap()
}

#[test]
fn live_keys_apply_at_once_and_others_at_the_next_start() {
    for name in ConfigKey::names() {
        let mut run = Run::of("draw");
        let key = ConfigKey::named(&name).unwrap();
        let value = another(key.kind, run.layer.get(&name));
        let mut edited = run.layer.clone();
        edited.insert(name.clone(), value, Origin::Default);
        let text = written(&edited);

        let said = run.edit(&text);
        let live = [
            "image.",
            "loop.",
            "protocol.tools.",
            "gate.",
            "person.",
            "marks.",
            "prompt.",
        ]
        .iter()
        .any(|table| name.starts_with(table))
            || [
                "model.constrain",
                "model.stream",
                "model.stream_usage",
                "model.max_repeats",
                "model.timeout_s",
                "model.temperature",
                "model.top_p",
                "model.max_tokens",
                "screen.mask",
            ]
            .contains(&name.as_str());
        let live = live && !["loop.modes", "prompt.screens", "person.notify"].contains(&name.as_str());
        let admitted = key.trust.admits(run.live.bounds.get(&name), edited.get(&name));
        let (settings, when) = if !admitted {
            (&run.layer, "; keeping the previous value")
        } else if live {
            (&edited, "from this turn on")
        } else {
            (&run.layer, "takes effect at the next start")
        };
        assert_eq!(run.live.settings, Settings::resolve(settings), "{name}");
        let [edit] = &said[..] else { panic!("{name}: {said:?}") };
        let begins = if admitted {
            format!("{name} = ")
        } else {
            run.live.path().display().to_string()
        };
        assert!(edit.starts_with(&begins) && edit.ends_with(when), "{edit}");
        assert!(edit.contains(&name), "{edit}");
        assert!(run.edit(format!("{text}\n")).is_empty(), "{name} is said once");
    }
}

#[test]
fn the_head_of_the_file_names_the_keys_that_apply_at_once() {
    let text = written(&Layer::defaults());
    let head: Vec<&str> = text.lines().take_while(|line| line.starts_with('#')).collect();
    let head = head.join(" ");
    let words: Vec<&str> = head
        .split_whitespace()
        .map(|word| word.trim_end_matches([',', '.', ':']))
        .collect();
    for name in ConfigKey::names() {
        let (table, last) = name.rsplit_once('.').unwrap();
        let is_exception = head.contains(&format!("{table} (except {last})"));
        let is_named = words.contains(&name.as_str()) || words.contains(&table) && !is_exception;
        assert_eq!(is_named, ConfigKey::named(&name).unwrap().live, "{name}: {head}");
    }
}

#[test]
fn only_optional_keys_may_be_removed() {
    for name in ConfigKey::names() {
        let mut run = Run::of("draw");
        let before = run.live.settings.clone();
        let mut edited = run.layer.clone();
        edited.remove(&name);
        let had = run.layer.get(&name).is_some();
        let key = ConfigKey::named(&name).unwrap();
        let said = run.edit(toml::to_string(&edited.table()).unwrap());
        if !had {
            assert!(said.is_empty(), "{name}: {said:?}");
            continue;
        }
        let [edit] = &said[..] else { panic!("{name}: {said:?}") };
        if !key.optional {
            let ends = format!(
                "ends here without {name}; write its value instead of deleting it; keeping the previous settings"
            );
            assert!(edit.ends_with(&ends), "{edit}");
            assert_eq!(run.live.settings, before);
        } else if key.trust != Trust::Any {
            assert!(
                edit.contains(&format!("{name} cannot be removed during a run")),
                "{edit}"
            );
            assert_eq!(run.live.settings, before);
        } else if key.live {
            assert_eq!(*edit, format!("{name} is no longer set: from this turn on"));
            assert_eq!(run.live.settings, Settings::resolve(&edited));
        } else {
            assert_eq!(
                *edit,
                format!("{name} is no longer set: takes effect at the next start")
            );
            assert_eq!(run.live.settings, before);
        }
    }
}

#[test]
fn an_unreadable_file_changes_nothing_and_is_reported_once() {
    let mut run = Run::of("draw");
    let text = written(&run.layer);
    let broken = text.replace("width = 512", "width = ");
    let line = 1 + broken.lines().position(|line| line == "width = ").unwrap();
    let cases = [
        (broken, format!("config.toml:{line}:")),
        (
            text.replace("width = 512", "widht = 512"),
            "did you mean 'image.width'?".to_owned(),
        ),
        (
            text.replace("width = 512", "width = 5"),
            "image.width must be".to_owned(),
        ),
        (
            "[image]\nwidth = 640\n".to_owned(),
            "config.toml:3:1: the file ends here without model.upstream".to_owned(),
        ),
        (
            "[image]\nwidth = 64".to_owned(),
            "config.toml:2:11: the file ends here without model.upstream".to_owned(),
        ),
        (
            String::new(),
            "config.toml:1:1: the file ends here without model.upstream".to_owned(),
        ),
    ];
    let before = run.live.settings.clone();
    for (wrong, words) in cases {
        let said = run.edit(wrong);
        assert_eq!(said.len(), 1);
        assert!(said[0].contains(&words), "{said:?}");
        assert!(said[0].ends_with("; keeping the previous settings"), "{said:?}");
        assert!(run.live.reload().is_empty(), "said once");
        assert_eq!(run.live.settings, before);
    }
    std::fs::remove_file(run.live.path()).unwrap();
    assert!(run.live.reload()[0].contains("config.toml"));
    assert!(run.live.reload().is_empty(), "said once");
    assert_eq!(run.live.settings, before);

    let said = run.edit(text.replace("width = 512", "width = 640"));
    assert_eq!(said, ["image.width = 640: from this turn on"]);
    assert_eq!(run.live.settings.image.width, 640);
}

#[test]
fn a_file_cut_anywhere_changes_nothing_that_was_not_edited() {
    let mut run = Run::of("draw");
    all_cuts(&run.live, &written(&run.layer), 0);

    run.layer
        .set("prompt.system", "Draw {goal},\nmon chéri.", Origin::flag("test"))
        .unwrap();
    run.layer
        .set(
            "prompt.scenarios",
            "[{ name = 'a', goal = 'b' }, { name = 'c', goal = 'd' }]",
            Origin::flag("test"),
        )
        .unwrap();
    let text = written(&run.layer);
    // Do the same with other numbers in the last lines, because a truncated number is still a number.
    let part = |from: &str, to: &str| &text[text.find(from).unwrap()..text.find(to).unwrap()];
    let (model, image) = (part("[model]", "[image]"), part("[image]", "[loop]"));
    let rest = &text[text.find("[loop]").unwrap()..];
    let model_last = format!(
        "{image}{rest}\n{}\ntimeout_s = 600",
        model.trim_end().replace("timeout_s = 600.0\n", "")
    );
    for whole in [&text, &format!("{model}{rest}\n{image}"), &model_last] {
        let whole = format!("{}\n", whole.trim_end());
        let edits = [
            ("", ""),
            ("512", "640"),
            ("288", "300"),
            ("9000", "8888"),
            ("300", "456"),
            ("600", "44"),
            ("10000000000", "20000"),
        ];
        for (old, new) in edits {
            std::fs::write(run.live.path(), &whole).unwrap();
            let view = run.live.run.clone();
            run.live = Live::new(view, run.layer.clone(), None, Layer::default(), Granted::default());
            let edited = whole.replace(&format!(" = {old}\n"), &format!(" = {new}\n"));
            all_cuts(&run.live, &edited, usize::from(edited != whole));
        }
    }
}

#[test]
fn a_last_line_without_a_newline_counts_as_cut() {
    let mut run = Run::of("draw");
    run.live.bounds = Layer::default();
    let text = written(&run.layer);
    let tail = "[model]\nupstream = 'auto'\nfallback = []\nfamily = 'auto'\ncalls = 'auto'\nconstrain = 'auto'\nstream = 'auto'\nstream_usage = true\nsend_sampling = true\nlimit_field = 'max_tokens'\nmax_repeats = 50\nattempts = 5\ntimeout_s = 600\nwait_s = 600\n";
    let whole = format!("{}\n{tail}", &text[text.find("[image]").unwrap()..]);
    let cases = [
        (format!("{whole}max_tokens = 30"), true),
        (whole.trim_end().to_owned(), true),
        (whole, false),
    ];
    for (text, cut) in cases {
        let said = run.edit(&text);
        let refused = said[0]
            .contains(": the last line looks truncated; end it with a line break; keeping the previous settings");
        assert_eq!(refused, cut, "{said:?}");
        assert_eq!(run.live.settings.model.max_tokens, cut.then_some(300));
    }
}

#[test]
fn an_edit_takes_the_place_of_what_was_learned() {
    let mut run = Run::of("operator");
    let mut learned = Layer::default();
    let text = |live: &Live| written(&live.layer);
    let before = text(&run.live);
    for (key, value) in [
        ("model.max_tokens", 128),
        ("image.width", 480),
        ("image.height", 270),
        ("memory.most_screenshots", 1),
    ] {
        learned.insert(key, Value::Integer(value), Origin::Learned);
    }
    run.live.learn(learned);
    let width = run.layer.get("image.width").unwrap().to_string();
    let edited = before
        .replace("max_tokens = 300", "max_tokens = 200")
        .replace(&format!("width = {width}"), "width = 800");
    let edits = run.edit(&edited);
    assert_eq!(edits.len(), 2, "{edits:?}");
    let settings = &run.live.settings;
    let height = run.layer.get("image.height").unwrap().as_integer();
    assert_eq!(settings.model.max_tokens, Some(200));
    assert_eq!(
        (settings.image.width, Some(i64::from(settings.image.height))),
        (800, height)
    );
    assert_eq!(
        settings.memory.most_screenshots,
        Some(1),
        "what was not edited is still known"
    );
}

/// Checks that every truncation of an edited file is refused or contains the whole edit.
fn all_cuts(live: &Live, edited: &str, edits: usize) {
    let fresh = || Live {
        run: live.run.clone(),
        learned: Layer::default(),
        seen: None,
        file: live.file.clone(),
        bounds: live.bounds.clone(),
        granted: Granted::default(),
        layer: live.layer.clone(),
        settings: live.settings.clone(),
    };
    let mut whole = fresh();
    let all = whole
        .edited(&Ok(edited.to_owned()))
        .and_then(|layer| whole.take(layer))
        .unwrap();
    assert_eq!(all.len(), edits, "{all:?}");
    for cut in 0..edited.len() {
        let mut one = fresh();
        let read = String::from_utf8(edited.as_bytes()[..cut].to_vec()).map_err(|error| error.to_string());
        match one.edited(&read).and_then(|layer| one.take(layer)) {
            Err(_) => assert_eq!(one.settings, live.settings),
            Ok(edits) => assert_eq!((edits, one.settings), (all.clone(), whole.settings.clone()), "{read:?}"),
        }
    }
}

#[test]
fn an_edit_that_contradicts_the_rest_changes_nothing() {
    let mut run = Run::of("operator");
    let text = written(&run.layer);
    let said = run.edit(text.replace("Tidy up.", "").replace("width = 1568", "width = 640"));
    assert!(
        said[0].contains("needs a goal") && said[0].ends_with("; keeping the previous settings"),
        "{said:?}"
    );
    assert_eq!(
        (run.live.settings.prompt.goal.as_str(), run.live.settings.image.width),
        ("Tidy up.", 1568)
    );
}

/// The panel announces new bounds through a pipe and also writes the file, and either can arrive first.
#[test]
fn new_bounds_apply_whether_announced_before_or_after_the_edit() {
    for first in ["bounds", "file"] {
        let mut run = Run::of("draw");
        let text = written(&run.layer);
        let edited = text.replace("max_tokens = 300\n", "max_tokens = 400\n");
        assert_ne!(edited, text);
        let mut wider = run.live.bounds.clone();
        wider.set("model.max_tokens", "400", Origin::Dashboard).unwrap();
        let granted = run.live.granted.clone();
        let said = if first == "bounds" {
            granted.give(wider);
            run.edit(edited)
        } else {
            let refused = run.edit(edited);
            assert!(refused[0].ends_with("; keeping the previous value"), "{refused:?}");
            assert_eq!(run.live.settings.model.max_tokens, Some(300));
            granted.give(wider);
            run.live.reload()
        };
        assert_eq!(said, ["model.max_tokens = 400: from this turn on"], "{first}");
        assert_eq!(run.live.settings.model.max_tokens, Some(400));
        assert!(run.live.reload().is_empty(), "{first}: it is said once");
    }
}

#[test]
fn tighter_bounds_limit_the_file_at_once() {
    let mut run = Run::of("draw");
    let text = written(&run.layer);
    let narrow = text.replace("max_tokens = 300\n", "max_tokens = 200\n");
    let mut closer = run.live.bounds.clone();
    closer.set("model.max_tokens", "200", Origin::Dashboard).unwrap();
    run.live.granted.give(closer);
    assert_eq!(run.edit(narrow), ["model.max_tokens = 200: from this turn on"]);
    let said = run.edit(text);
    assert!(said[0].ends_with("; keeping the previous value"), "{said:?}");
    assert_eq!(run.live.settings.model.max_tokens, Some(200));
}

#[test]
fn a_mask_counts_before_its_turn_and_none_of_the_persons_is_taken_off() {
    let mut run = Run::of("draw");
    let with = |run: &Run, masks: &str| {
        let mut edited = run.layer.clone();
        edited.insert("screen.mask", masks.parse().unwrap(), Origin::Default);
        written(&edited)
    };
    let (one, other) = ("[{ area = [0, 0, 9, 9] }]", "[{ area = [5, 5, 50, 50] }]");
    std::fs::write(run.live.path(), with(&run, one)).unwrap();
    assert_eq!((run.live.masks().len(), run.live.settings.screen.mask.len()), (1, 0));
    run.live.reload();
    assert_eq!(run.live.settings.screen.mask.len(), 1);
    std::fs::write(run.live.path(), with(&run, other)).unwrap();
    assert_eq!(run.live.masks().len(), 2, "what is taken off goes with the next turn");
    run.live.reload();
    assert_eq!(run.live.masks().len(), 1, "the file had added it");
    std::fs::write(run.live.path(), "[screen]\nmask = [{").unwrap();
    assert_eq!(run.live.masks().len(), 1, "a broken file takes off nothing");

    // These are masks that the person gave.
    let mut layer = run.layer.clone();
    layer.insert("screen.mask", one.parse().unwrap(), Origin::flag("--set"));
    std::fs::write(run.live.path(), written(&layer)).unwrap();
    let mut live = Live::new(
        run.live.run.clone(),
        layer.clone(),
        None,
        bounds(&layer),
        Granted::default(),
    );
    live.reload();
    std::fs::write(live.path(), with(&run, other)).unwrap();
    let said = live.reload();
    assert!(said[0].contains("only you can change screen.mask"), "{said:?}");
    assert_eq!(live.masks().len(), 2, "what it adds counts");
}
