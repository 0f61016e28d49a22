//! Checks that every one of our crates contains both licences, so that each crate can be published separately.

use std::path::Path;

use crate::crates;
use crate::process::root;

const LICENCE: &str = "MIT OR Apache-2.0";

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_crate_has_both_licences_as_the_root_has_them() {
    let texts = ["LICENSE-APACHE", "LICENSE-MIT"].map(|name| (name, read(&root().join(name))));
    assert!(texts[0].1.contains("Apache License") && texts[0].1.contains("Version 2.0, January 2004"));
    assert!(texts[1].1.contains("Permission is hereby granted, free of charge"));
    let mut checked = 0;
    for one in crates::all().unwrap().iter().filter(|one| one.source.is_none()) {
        assert_eq!(one.license.as_deref(), Some(LICENCE), "{}", one.name);
        if one.name == "xtask" {
            continue;
        }
        for (name, text) in &texts {
            let own = one.manifest_path.with_file_name(name);
            assert!(read(&own) == *text, "{} differs from {name}", own.display());
        }
        checked += 1;
    }
    assert!(checked > 5, "{checked} crates were found");
}

#[test]
fn bundled_files_come_with_their_licence() {
    let assets = root().join("crates/frame/assets");
    let fonts = std::fs::read_dir(&assets).unwrap();
    let fonts = fonts.filter(|file| {
        file.as_ref()
            .unwrap()
            .path()
            .extension()
            .is_some_and(|kind| kind == "ttf")
    });
    assert_eq!(fonts.count(), 1, "a new font needs its licence here");
    assert!(read(&assets.join("DejaVuSans-LICENSE.txt")).contains("Bitstream Vera"));
}
