//! Checks that no modules of a crate use each other in a circle, except a module and those inside it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::process::root;

/// The circles that stay, each by its crate and its first module, with the reason.
const ACCEPTED: [(&str, &str, &str); 2] = [
    (
        "dialect",
        "dialect",
        "the tables of all dialects find out together which of them a verb belongs to",
    ),
    (
        "python",
        "builtin",
        "values, the machine that runs on them and their methods are one recursive definition",
    ),
];

/// The modules of a crate, each with the modules that it uses. Modules are named by their path, such as
/// `desktop::x11`; the crate's root has an empty name.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// Fails if modules use each other in a circle without a stated reason, or if a stated reason is no longer needed.
pub(crate) fn check() -> Result<()> {
    let mut complaints = Vec::new();
    let mut accepted = ACCEPTED.map(|(name, first, _)| (name, first)).to_vec();
    let mut crates: Vec<_> = fs::read_dir(root().join("crates"))?.collect::<Result<_, _>>()?;
    crates.sort_by_key(fs::DirEntry::path);
    for directory in crates.iter().map(fs::DirEntry::path).chain([root().join("xtask")]) {
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut sources = BTreeMap::new();
        collect(&directory.join("src"), "", &mut sources)?;
        for circle in circles(&uses(&sources)) {
            match accepted.iter().position(|known| *known == (&*name, &*circle[0])) {
                Some(known) => drop(accepted.swap_remove(known)),
                None => complaints.push(format!("{name}: {} use each other", circle.join(", "))),
            }
        }
    }
    complaints.extend(
        accepted
            .iter()
            .map(|(name, first)| format!("{name}: {first} is in no circle")),
    );
    ensure!(
        complaints.is_empty(),
        "{}; move what both need to a module of its own, or mend the list in xtask/src/modules.rs",
        complaints.join("; ")
    );
    Ok(())
}

/// Collects the sources below a directory by their modules, without tests.
fn collect(directory: &Path, parent: &str, sources: &mut BTreeMap<String, String>) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if stem.ends_with("tests") {
            continue;
        }
        let module = match stem.as_str() {
            "lib" | "main" if parent.is_empty() => String::new(),
            stem if parent.is_empty() => stem.to_owned(),
            stem => format!("{parent}::{stem}"),
        };
        if path.is_dir() {
            collect(&path, &module, sources)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            sources.entry(module).or_default().push_str(&without_tests(&text));
        }
    }
    Ok(())
}

/// Returns a source without comments and without the tests at its end.
fn without_tests(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..end]
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

fn uses(sources: &BTreeMap<String, String>) -> Uses {
    let of = |module: &str, text: &str| {
        let used = paths(text)
            .into_iter()
            .filter_map(|path| resolved(sources, module, &path));
        used.filter(|used| !are_related(module, used)).collect()
    };
    sources
        .iter()
        .map(|(module, text)| (module.clone(), of(module, text)))
        .collect()
}

/// Returns the paths that a source names: those of its imports, and those that begin with `crate` or `super`.
fn paths(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for import in text.split("use ").skip(1) {
        let tree = import.split(';').next().unwrap_or_default();
        expand("", tree, &mut found);
    }
    for start in ["crate::", "super::"] {
        for (at, _) in text.match_indices(start) {
            let rest = &text[at..];
            let end = rest.find(|letter: char| !(letter.is_alphanumeric() || "_:".contains(letter)));
            found.push(rest[..end.unwrap_or(rest.len())].trim_end_matches(':').to_owned());
        }
    }
    found
}

/// Expands an import such as `a::{b, c::d}` into its paths.
fn expand(prefix: &str, tree: &str, found: &mut Vec<String>) {
    let (mut depth, mut start) = (0_usize, 0);
    let mut parts = Vec::new();
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[start..]);
    for part in parts.into_iter().map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once('{') {
            Some((before, inside)) => {
                let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
                expand(&format!("{prefix}{}", before.trim()), inside, found);
            }
            None => found.push(format!(
                "{prefix}{}",
                part.split(" as ").next().unwrap_or_default().trim()
            )),
        }
    }
}

/// Returns the module that a path leads into, or `None` if it leads out of the crate.
fn resolved(sources: &BTreeMap<String, String>, module: &str, path: &str) -> Option<String> {
    let mut place: Vec<&str> = module.split("::").filter(|name| !name.is_empty()).collect();
    let mut names = path.split("::").peekable();
    match names.peek() {
        Some(&"crate") => {
            place.clear();
            names.next();
        }
        Some(&("super" | "self")) => {
            while let Some(name) = names.next_if(|name| ["super", "self"].contains(name)) {
                if name == "super" {
                    place.pop();
                }
            }
        }
        Some(first) if sources.contains_key(&[place.as_slice(), &[*first]].concat().join("::")) => {}
        _ => return None,
    }
    for name in names {
        place.push(name);
        if !sources.contains_key(&place.join("::")) {
            place.pop();
            break;
        }
    }
    Some(place.join("::"))
}

/// Checks whether one of the modules is inside the other, or they are the same.
fn are_related(one: &str, other: &str) -> bool {
    let is_inside = |inner: &str, outer: &str| {
        outer.is_empty()
            || inner
                .strip_prefix(outer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    is_inside(one, other) || is_inside(other, one)
}

/// Returns the groups of modules that can reach each other.
fn circles(uses: &Uses) -> Vec<Vec<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = uses
        .keys()
        .map(|module| (module.as_str(), reach(uses, module)))
        .collect();
    let mut found: BTreeSet<Vec<String>> = BTreeSet::new();
    for (module, reachable) in &reached {
        let circle: Vec<String> = reachable
            .iter()
            .filter(|other| reached.get(*other).is_some_and(|back| back.contains(module)))
            .map(|other| (*other).to_owned())
            .collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    found.into_iter().collect()
}

/// Returns the modules that a module uses, directly or through others.
fn reach<'a>(uses: &'a Uses, module: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&str> = vec![module];
    while let Some(module) = next.pop() {
        for used in uses.get(module).into_iter().flatten() {
            if reached.insert(used.as_str()) {
                next.push(used);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_modules_use_each_other_without_a_reason() {
        check().unwrap();
    }

    #[test]
    fn circles_are_found_and_parents_may_use_their_children() {
        let source = |module: &str, text: &str| (module.to_owned(), text.to_owned());
        let sources = BTreeMap::from([
            source("", "pub use a::A; use b::{self, inner::C};"),
            source("a", "use crate::b::{B, inner::C};"),
            source("b", "use self::inner::C; use super::d; fn f() { std::mem::take(x) }"),
            source("b::inner", "use super::B;\nfn g() -> crate::a::A { todo() }"),
            source("d", "use std::a::b;"),
        ]);
        let uses = uses(&sources);
        assert_eq!(uses["b"], BTreeSet::from(["d".to_owned()]));
        assert_eq!(circles(&uses), [["a", "b::inner"]]);
    }

    #[test]
    fn comments_and_tests_use_nothing() {
        let text = "use a::B; // use c::D;\n/// [`crate::e`]\nfn f() {}\n#[cfg(test)]\nmod tests {\n use g::H;\n}\n";
        assert_eq!(paths(&without_tests(text)), ["a::B"]);
    }
}
