//! Both formats, and everything that is refused.

use super::*;

/// An item of `screenspot_desktop.json`, and the same target in ScreenSpot-Pro's format.
const OLD: &str = r#"{"img_filename": "pc_1.png", "bbox": [910, 78, 44, 34], "instruction": "close this window", "data_type": "icon", "data_source": "windows"}"#;
const PRO: &str = r#"{"img_filename": "vscode_mac/a.png", "bbox": [910, 78, 954, 112], "instruction": "close this window", "instruction_cn": "…", "id": "vscode_macos_0", "application": "vscode", "platform": "macos", "img_size": [960, 540], "ui_type": "icon", "group": "Dev"}"#;

fn only(text: &str) -> GroundingItem {
    let (_, items) = read("set", text).unwrap();
    let [Ok(item)] = &items[..] else { panic!("{items:?}") };
    item.clone()
}

/// Returns the item with one field replaced, or removed.
fn with(item: &str, name: &str, value: Option<Value>) -> String {
    let mut item: Map<String, Value> = serde_json::from_str(item).unwrap();
    match value {
        Some(value) => drop(item.insert(name.to_owned(), value)),
        None => drop(item.remove(name)),
    }
    Value::from(vec![Value::from(item)]).to_string()
}

#[test]
fn the_same_target_reads_the_same_in_both_formats() {
    let (old, pro) = (only(&format!("[{OLD}]")), only(&format!("[{PRO}]")));
    let target = TargetBox {
        left: 910.0,
        top: 78.0,
        right: 954.0,
        bottom: 112.0,
    };
    assert_eq!((old.target, pro.target), (target, target));
    assert_eq!((old.key.as_str(), old.picture.as_str()), ("set/1", "pc_1.png"));
    assert_eq!(pro.picture, "vscode_mac/a.png");
    let labels = |item: &GroundingItem| [item.kind.clone(), item.source.clone(), item.group.clone()];
    assert_eq!(
        labels(&old),
        [Some("icon".to_owned()), Some("windows".to_owned()), None]
    );
    assert_eq!(
        labels(&pro),
        ["icon", "macos", "Dev"].map(|label| Some(label.to_owned()))
    );
    assert_eq!((old.stated, pro.stated), (None, Some((960, 540))));
}

#[test]
fn an_array_and_lines_read_the_same() {
    let lines = format!("{OLD}\n\n{OLD}\r\n");
    let array = format!("\u{feff} [{OLD},\n{OLD}]\n");
    assert_eq!(read("set", &lines).unwrap(), read("set", &array).unwrap());
    let (format, items) = read("set", &lines).unwrap();
    assert_eq!((format, items.len()), (GroundingFormat::ScreenSpot, 2));
    assert_eq!(items[1].as_ref().unwrap().key, "set/2");
}

#[test]
fn the_lines_that_messages_recommend_are_right() {
    for (line, format) in [
        (SCREENSPOT_LINE, GroundingFormat::ScreenSpot),
        (PRO_LINE, GroundingFormat::ScreenSpotPro),
    ] {
        let (is, items) = read("set", line).unwrap();
        assert_eq!(is, format);
        assert!(items[0].is_ok(), "{items:?}");
    }
}

#[test]
fn a_box_whose_meaning_is_unknown_refuses_the_file() {
    let both = with(OLD, "ui_type", Some("icon".into()));
    let neither = with(OLD, "data_type", None);
    let half = with(PRO, "img_size", None);
    let null = with(OLD, "data_type", Some(Value::Null));
    for (text, told) in [
        (both, "fields of both ScreenSpot"),
        (neither, "the meaning of bbox is unclear"),
        (half, "the meaning of bbox is unclear"),
        (null, "the meaning of bbox is unclear"),
    ] {
        let error = read("set", &text).unwrap_err().to_string();
        assert!(error.starts_with("item 1: ") && error.contains(told), "{error}");
        assert!(error.contains(SCREENSPOT_LINE) && error.contains(PRO_LINE), "{error}");
    }
    let mixed = read("set", &format!("[{OLD}, {PRO}]")).unwrap_err();
    assert_eq!(
        mixed.to_string(),
        "item 2 has the format of ScreenSpot-Pro, but the items before it have that of ScreenSpot; split them into two files"
    );
}

#[test]
fn an_item_that_is_wrong_is_named_with_what_would_be_right() {
    for (item, name, value, told) in [
        (OLD, "bbox", None, "bbox must be a list of four numbers"),
        (
            OLD,
            "bbox",
            Some(json(&[1.0, 2.0, 3.0])),
            "bbox must be a list of four numbers",
        ),
        (
            OLD,
            "bbox",
            Some("1,2,3,4".into()),
            "bbox must be a list of four numbers",
        ),
        (
            OLD,
            "bbox",
            Some(json(&[9.0, 9.0, 0.0, 5.0])),
            "in ScreenSpot it is [left, top, width, height]",
        ),
        (
            PRO,
            "bbox",
            Some(json(&[910.0, 78.0, 44.0, 34.0])),
            "in ScreenSpot-Pro it is [left, top, right, bottom]",
        ),
        (
            OLD,
            "bbox",
            Some(json(&[0.1, 0.2, 0.05, 0.05])),
            "in fractions of the picture",
        ),
        (PRO, "img_size", Some(json(&[960.0])), "img_size must be"),
        (PRO, "img_size", Some(serde_json::json!([0, 540])), "img_size must be"),
        (OLD, "instruction", None, "instruction is missing"),
        (
            OLD,
            "instruction",
            Some(" ".into()),
            "instruction must be a non-empty string",
        ),
        (OLD, "instruction", Some("x".repeat(20_000).into()), "longer than"),
        (
            OLD,
            "img_filename",
            Some(7.into()),
            "img_filename must be a non-empty string",
        ),
        (
            OLD,
            "img_filename",
            Some("../a.png".into()),
            "leaves the folder of pictures",
        ),
        (
            OLD,
            "img_filename",
            Some("/etc/a.png".into()),
            "leaves the folder of pictures",
        ),
        (
            OLD,
            "img_filename",
            Some("a/../../b.png".into()),
            "leaves the folder of pictures",
        ),
    ] {
        let (_, items) = read("set", &with(item, name, value)).unwrap();
        let [Err(error)] = &items[..] else {
            panic!("{name}: {items:?}")
        };
        let error = error.to_string();
        assert!(error.starts_with("item 1: ") && error.contains(told), "{error}");
    }
}

#[test]
fn an_object_among_other_values_is_still_an_item() {
    let (_, items) = read("set", &format!("[7, {OLD}]")).unwrap();
    assert!(
        items[0]
            .as_ref()
            .unwrap_err()
            .to_string()
            .contains("item 1: it is not an object")
    );
    assert_eq!(items[1].as_ref().unwrap().key, "set/2");
}

#[test]
fn what_is_no_set_is_refused() {
    for (text, told) in [
        ("", "it has no items"),
        ("[]", "it has no items"),
        ("  \n", "it has no items"),
        ("[7]", "no item is an object"),
        ("hello", "neither a JSON array nor JSON lines: line 1"),
        ("[{", "neither a JSON array nor JSON lines"),
        ("{\"a\": 1}\n{", "line 2"),
    ] {
        let error = read("set", text).unwrap_err().to_string();
        assert!(error.contains(told), "{text:?}: {error}");
    }
}

fn json(numbers: &[f64]) -> Value {
    numbers.to_vec().into()
}
