//! Tests which layer takes precedence, and that no file of unknown origin widens anything in any combination of layers.

use franz_record::digest::sha256_hex;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::config::check::Mismatch;
use crate::config::flags::set_flags;
use crate::config::kind::ValueKind;
use crate::config::layer::Layer;
use crate::config::mask;
use crate::config::refused::RefusedSettings;
use crate::config::trust::Wider;

mod today;

fn file(text: &str) -> (Layer, FileRead) {
    let read = FileRead {
        path: "/repo/franz.toml".into(),
        digest: sha256_hex(text.as_bytes()),
    };
    (
        Layer::parse(text, &Origin::file(FileKind::Directory, "franz.toml")).unwrap(),
        read,
    )
}

fn flags(text: &str) -> Layer {
    Layer::parse(text, &Origin::flag("--set")).unwrap()
}

/// Returns a stack with a file of unknown origin between defaults and flags.
fn stack(text: &str, given: &str) -> Stack {
    let (layer, read) = file(text);
    Stack::trusting(|_| false)
        .own(Layer::defaults())
        .stranger(layer, read, FileKind::Directory)
        .own(flags(given))
}

/// Every field can represent its key's smallest and largest values.
#[test]
fn the_defaults_resolve_and_every_key_reaches_a_setting() {
    for name in ConfigKey::names() {
        let values = match ConfigKey::named(&name).unwrap().kind {
            ValueKind::Text => vec!["".into()],
            ValueKind::Filled => vec!["a".into()],
            ValueKind::Flag => vec![true.into(), false.into()],
            ValueKind::Number(least, most) => vec![Value::Float(least), Value::Float(most)],
            ValueKind::Count(least, most) => vec![least.into(), most.into()],
            ValueKind::Bytes(_) => vec![0.into(), i64::MAX.into()],
            ValueKind::Choice(words) => words.iter().map(|&word| word.into()).collect(),
            ValueKind::Texts => vec![Value::Array(vec![]), vec!["a"].into()],
            ValueKind::Region => vec![vec![0, 0, 16, 16].into()],
            ValueKind::Tools => vec![Value::Array(vec![]), vec!["drag"].into()],
            ValueKind::Rules | ValueKind::Scenarios => vec![Value::Array(vec![])],
            ValueKind::Fields => vec![Value::Table(toml::Table::new())],
            ValueKind::Masks => vec![
                "[{ area = [0, 0, 1000, 1000] }, { window = 'a', name = 'b' }]"
                    .parse()
                    .unwrap(),
            ],
        };
        for value in values {
            let mut layer = Layer::defaults();
            layer.insert(name.clone(), value.clone(), Origin::Default);
            let held = Value::try_from(Settings::resolve(&layer)).unwrap();
            let held = name.split('.').try_fold(&held, |table, part| table.get(part));
            assert_eq!(held, Some(&value), "{name}");
        }
    }
}

#[test]
fn a_run_keeps_the_size_of_its_screen() {
    let settled = |config: &str, picture| {
        let mut resolved = Resolved::of(Layer::defaults().over(flags(config)));
        resolved.settle_screen_size(picture);
        resolved.settings
    };
    for (config, size) in [
        ("[screen]\nkind = 'virtual'", (1400, 784)),
        ("[screen]\nkind = 'virtual'\nheight = 700", (1400, 700)),
        ("[screen]\nkind = 'virtual'\nwidth = 1920\nheight = 1080", (1920, 1080)),
        ("[screen]\nkind = 'canvas'", (1920, 1080)),
    ] {
        let begun = settled(config, (1400, 784)).to_toml().unwrap();
        let resumed = settled(&begun, (1568, 896)).screen;
        assert_eq!(
            (resumed.width, resumed.height),
            (Some(size.0), Some(size.1)),
            "{config}"
        );
    }
    let own = settled("[screen]\nkind = 'desktop'", (1400, 784)).screen;
    assert_eq!((own.width, own.height), (None, None));
}

#[test]
fn each_layer_wins_over_the_weaker_ones() {
    let directory = tempfile::tempdir().unwrap();
    let user = directory.path().join("user.toml");
    let local = directory.path().join("franz.toml");
    std::fs::write(&user, "[image]\nwidth = 100\nheight = 101\n[model]\ntimeout_s = 1").unwrap();
    std::fs::write(&local, "[image]\nwidth = 200\n[model]\ntimeout_s = 2").unwrap();
    let sources = Sources {
        profile: "draw",
        environment: vec![("FRANZ_MODEL__TIMEOUT_S".to_owned(), "3".to_owned())],
        files: vec![user, local, directory.path().join("missing.toml")],
        flags: set_flags(&["loop.max_turns=7".to_owned()]).unwrap(),
        trusts: |_| false,
    };
    let settings = Settings::resolve(&sources.stack().unwrap().judged().layer);
    assert_eq!((settings.image.width, settings.image.height), (200, 101));
    assert!((settings.model.timeout_s - 3.0).abs() < f64::EPSILON);
    assert_eq!(settings.pace.max_turns, 7);
    assert_eq!(settings.model.max_tokens, Some(900));
    assert!(settings.prompt.system.contains("ASKED BY THE PERSON: {goal}"));
}

/// The shell might name a proxy that passes pictures on to a cloud service.
#[test]
fn a_server_that_was_named_for_franz_wins_over_the_shells() {
    let directory = tempfile::tempdir().unwrap();
    let mine = directory.path().join("mine.toml");
    std::fs::write(&mine, "[model]\nupstream = 'http://192.168.1.20:8000'").unwrap();
    let upstream = |profile: &str, files: Vec<PathBuf>, shell: &str| {
        let sources = Sources {
            profile,
            environment: vec![("OPENAI_BASE_URL".to_owned(), shell.to_owned())],
            files,
            flags: Layer::default(),
            trusts: |_| true,
        };
        Settings::resolve(&sources.stack().unwrap().judged().layer)
            .model
            .upstream
    };
    let (local, own) = ("http://localhost:4000", "http://192.168.1.20:8000");
    assert_eq!(upstream("draw", vec![], local), local);
    assert_eq!(upstream("draw", vec![mine.clone()], local), own);
    assert_eq!(upstream(mine.to_str().unwrap(), vec![], local), own);
    assert_eq!(upstream("draw", vec![], "https://models.example"), "auto");
}

/// The shell's server must not make a stranger's file with the default widen anything, nor let it name that server.
#[test]
fn a_strangers_file_is_judged_without_the_shells_server() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("franz.toml");
    let local = "http://localhost:4000";
    for (named, refused, applies) in [
        ("auto", 0, "auto"),
        (local, 1, local),
        ("http://10.0.0.1:8000", 1, local),
    ] {
        std::fs::write(&file, format!("[model]\nupstream = '{named}'")).unwrap();
        let sources = Sources {
            profile: "draw",
            environment: vec![("OPENAI_BASE_URL".to_owned(), local.to_owned())],
            files: vec![file.clone()],
            flags: Layer::default(),
            trusts: |_| false,
        };
        let judged = sources.stack().unwrap().judged();
        assert_eq!(judged.refused.len(), refused, "{named}");
        assert_eq!(Settings::resolve(&judged.layer).model.upstream, applies, "{named}");
    }
}

#[test]
fn an_untrusted_value_is_refused_with_its_line_and_a_way_to_allow_it() {
    let start = franz_home::shell::word(r#"screen.start=["xterm -e 'a b'"]"#);
    let start = format!(
        "franz.toml:2: screen.start starts programs, which only you may do: add --set {start}, or allow the file: franz trust /repo/franz.toml"
    );
    let cases = [
        ("[screen]\nstart = [\"xterm -e 'a b'\"]", start.as_str()),
        (
            "[model]\nname = 'm'\nupstream = 'http://10.0.0.1:8000'",
            "franz.toml:3: model.upstream names servers, which only you may do: add --upstream http://10.0.0.1:8000, or allow the file: franz trust /repo/franz.toml",
        ),
        (
            "[protocol.tools]\nread_clipboard = true",
            "franz.toml:2: protocol.tools.read_clipboard uses a clipboard, which only you may do: add --set protocol.tools.read_clipboard=true, or allow the file: franz trust /repo/franz.toml",
        ),
        (
            "[panel]\ndashboard = '0.0.0.0:80'",
            "franz.toml:2: panel.dashboard opens addresses to others, which only you may do: add --dashboard 0.0.0.0:80, or allow the file: franz trust /repo/franz.toml",
        ),
    ];
    for (text, words) in cases {
        let judged = stack(text, "").judged();
        assert_eq!(RefusedSettings(judged.refused).to_string(), words);
        assert_eq!(
            Settings::resolve(&judged.layer).screen,
            Settings::resolve(&Layer::defaults()).screen
        );
    }
}

#[test]
fn a_refused_value_applies_once_given_by_flag_or_trusted() {
    let text = "[screen]\nstart = ['xterm']\n[loop]\nmax_turns = 5";
    assert_eq!(stack(text, "").judged().refused.len(), 1);
    let given = stack(text, "[screen]\nstart = ['mine']").judged();
    assert!(given.refused.is_empty());
    assert_eq!(Settings::resolve(&given.layer).screen.start, ["mine"]);
    let mut trusted = stack(text, "");
    let (_, read) = file(text);
    let changed = FileRead {
        digest: sha256_hex(b"other"),
        ..read.clone()
    };
    trusted.trust(&changed);
    assert_eq!(trusted.judged().refused.len(), 1, "other bytes are another file");
    trusted.trust(&read);
    let judged = trusted.judged();
    assert!(judged.refused.is_empty());
    let settings = Settings::resolve(&judged.layer);
    assert_eq!(
        (settings.screen.start, settings.pace.max_turns),
        (vec!["xterm".to_owned()], 5)
    );
}

#[test]
fn tools_disabled_in_any_layer_stay_disabled() {
    let off = "[protocol.tools]\ndrag = false";
    let (first, read) = file(off);
    let (second, other) = file("[protocol.tools]\ndrag = true\npress = true");
    let stack = Stack::trusting(|_| false)
        .own(Layer::defaults())
        .stranger(first, read, FileKind::Profile)
        .stranger(second, other, FileKind::Directory);
    let judged = stack.judged();
    let tools = Settings::resolve(&judged.layer).protocol.tools;
    assert_eq!((tools["drag"], tools["press"]), (false, true));
    assert_eq!(judged.refused.len(), 1);
    let own = stack.own(flags("[protocol.tools]\ndrag = true")).judged();
    assert!(own.refused.is_empty(), "the person may");
    assert!(Settings::resolve(&own.layer).protocol.tools["drag"]);
}

#[test]
fn masks_of_all_files_add_up_and_only_the_person_takes_them_off() {
    let of = |window: &str| format!("[[screen.mask]]\nwindow = '{window}'");
    let resolved = |stack: Stack| {
        let judged = stack.judged();
        assert!(judged.refused.is_empty());
        let masks = mask::masks(judged.layer.get("screen.mask"));
        let windows = masks.iter().filter_map(|mask| mask.window().map(str::to_owned));
        windows.collect::<Vec<_>>().concat()
    };
    let own = |text: &str| {
        let (layer, read) = file(text);
        Stack::trusting(|_| false)
            .own(Layer::defaults())
            .stranger(file(&of("p")).0, read.clone(), FileKind::Profile)
            .stranger(layer, read, FileKind::Own)
    };
    let with = |text: &str| {
        let (layer, read) = file(text);
        own(&of("o")).stranger(layer, read, FileKind::Directory)
    };
    assert_eq!(resolved(own(&of("o"))), "po");
    assert_eq!(resolved(with(&of("d"))), "pod");
    assert_eq!(resolved(with(&of("o"))), "po", "once is enough");
    let none = "[screen]\nmask = []";
    assert_eq!(resolved(with(none)), "po");
    assert_eq!(resolved(own(none)), "p");
    assert_eq!(resolved(with(&of("d")).own(flags(&of("f")))), "podf");
    assert_eq!(resolved(with(&of("d")).own(flags(none))), "");
}

/// Returns values for the key, from narrow to wide.
fn value(kind: ValueKind) -> BoxedStrategy<Value> {
    const TEXTS: [&str; 9] = [
        "",
        "auto",
        "demo",
        "http://a:1",
        "runs",
        "/tmp",
        "127.0.0.1:9",
        "0.0.0.0:9",
        "1",
    ];
    match kind {
        ValueKind::Text | ValueKind::Filled => select(&TEXTS[..]).prop_map(Value::from).boxed(),
        ValueKind::Flag => any::<bool>().prop_map(Value::from).boxed(),
        ValueKind::Number(least, most) => (least..=most).prop_map(Value::from).boxed(),
        ValueKind::Count(least, most) => (least..=most.min(least.saturating_add(1000)))
            .prop_map(Value::from)
            .boxed(),
        ValueKind::Bytes(usual) => (0..usual).prop_map(Value::from).boxed(),
        ValueKind::Choice(words) => select(words).prop_map(Value::from).boxed(),
        ValueKind::Texts => proptest::collection::vec(select(&TEXTS[..]), 0..3)
            .prop_map(Value::from)
            .boxed(),
        ValueKind::Region => [0..20_i64, 0..20, 16..60, 16..60]
            .prop_map(|sides| Value::from(sides.to_vec()))
            .boxed(),
        ValueKind::Tools => proptest::collection::vec(select(&["drag", "type", "press"][..]), 0..3)
            .prop_map(Value::from)
            .boxed(),
        ValueKind::Rules => select(&["[]", "[{keys=['ctrl+w'],then='deny'}]", "[{tools=['drag'],then='ask'}]"][..])
            .prop_map(|rules| rules.parse::<Value>().unwrap())
            .boxed(),
        ValueKind::Scenarios => Just(Value::Array(Vec::new())).boxed(),
        ValueKind::Fields => Just(Value::Table(toml::Table::new())).boxed(),
        ValueKind::Masks => proptest::collection::vec(select(&["a", "b"][..]), 0..3)
            .prop_map(|names| {
                let masks = names
                    .into_iter()
                    .map(|name| format!("{{ window = '{name}' }}").parse().unwrap());
                Value::Array(masks.collect())
            })
            .boxed(),
    }
}

fn layer(origin: Origin) -> impl Strategy<Value = Layer> {
    let entry = select(ConfigKey::names()).prop_flat_map(|name| {
        let key = ConfigKey::named(&name).unwrap();
        value(key.kind).prop_map(move |value| (name.clone(), value))
    });
    proptest::collection::vec(entry, 0..40).prop_map(move |entries| {
        let mut layer = Layer::default();
        for (name, value) in entries {
            layer.insert(name, value, origin.clone());
        }
        layer
    })
}

/// Returns layers to put on top of the defaults, each with a flag that says whether it belongs to the person.
fn layers() -> impl Strategy<Value = Vec<(bool, Layer)>> {
    let one = any::<bool>().prop_flat_map(|own| {
        let origin = if own {
            Origin::flag("--set")
        } else {
            Origin::file(FileKind::Directory, "franz.toml")
        };
        layer(origin).prop_map(move |layer| (own, layer))
    });
    proptest::collection::vec(one, 0..5)
}

fn stacked(layers: &[(bool, Layer)]) -> Layer {
    let mut stack = Stack::trusting(|_| false).own(Layer::defaults());
    for (number, (own, layer)) in layers.iter().enumerate() {
        let read = FileRead {
            path: format!("/repo/{number}").into(),
            digest: String::new(),
        };
        stack = if *own {
            stack.own(layer.clone())
        } else {
            stack.stranger(layer.clone(), read, FileKind::Directory)
        };
    }
    stack.judged().layer
}

proptest! {
    /// Values that only the person may set are the ones they set, and no limit is wider than theirs.
    #[test]
    fn no_untrusted_layer_widens_the_persons_settings(layers in layers()) {
        let own: Vec<(bool, Layer)> = layers.iter().filter(|(own, _)| *own).cloned().collect();
        let (whole, alone) = (stacked(&layers), stacked(&own));
        for name in ConfigKey::names() {
            let key = ConfigKey::named(&name).unwrap();
            let (value, given) = (whole.get(&name), alone.get(&name));
            match key.trust {
                Trust::Any => {}
                Trust::Own(_) => prop_assert_eq!(value, given, "{}", name),
                // If nobody has named a tool, any file may switch it on, for example a profile.
                Trust::Limit(_, Wider::OnAgain) if given.is_none() => {}
                Trust::Limit(_, wider) => {
                    prop_assert!(value == given || !wider.is(given, value), "{}: {:?} over {:?}", name, value, given);
                }
            }
        }
    }
}
