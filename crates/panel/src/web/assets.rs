//! The page and its files, embedded in the program, and sent without comments and indentation. The modules are sent in
//! bundles, so that a browser asks for few files.

use std::sync::LazyLock;

use franz_record::digest::sha256_hex;
use hyper::StatusCode;
use hyper::header::{HeaderMap, IF_NONE_MATCH};

use super::answer::{HttpResponse, answer, tagged, with_inline};
use super::body::ResponseBody;
use super::bundle::bundle;
use super::page::Page;

macro_rules! embedded {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../assets/", $name)))),*]
    };
}

/// All files in `assets`. A test checks that none is missing.
const FILES: &[(&str, &str)] = embedded! {
    "index.html"
    "address.js"
    "changes.js"
    "clipboard.js"
    "controls.js"
    "dialog.js"
    "diff.js"
    "element.js"
    "facts.js"
    "feed.js"
    "feedback.js"
    "growing.js"
    "highlight.js"
    "history.js"
    "icon.svg"
    "keys.js"
    "live.js"
    "main.js"
    "marks.js"
    "masks.js"
    "navigation.js"
    "notices.js"
    "notify.js"
    "pace.js"
    "pair.js"
    "panes.js"
    "picture.js"
    "pictures.js"
    "place.js"
    "places.js"
    "player.js"
    "quantity.js"
    "question.js"
    "request.js"
    "rings.js"
    "run.js"
    "runs.js"
    "search.js"
    "server.js"
    "settings.js"
    "splitter.js"
    "status.js"
    "stored.js"
    "story.js"
    "style.css"
    "summaries.js"
    "takeover.js"
    "text.js"
    "theme.js"
    "timeline.js"
    "trace.js"
    "turns.js"
    "verdict.js"
    "view.js"
};

const PAGE: &str = "index.html";

/// The other files that the page and its workers load. Each script is sent with everything that it imports.
const LOADED: [&str; 4] = ["diff.js", "feed.js", "main.js", "icon.svg"];

struct Asset {
    name: &'static str,
    kind: &'static str,
    text: String,
    tag: String,
}

/// All files by name, slimmed.
static PARTS: LazyLock<Vec<(&str, String)>> = LazyLock::new(|| {
    let parts = FILES.iter().map(|&(name, written)| (name, slim(name, written)));
    parts.collect()
});

static SHOWN: LazyLock<Page> = LazyLock::new(Page::new);

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let loaded = LOADED.map(|name| match suffix(name) {
        "js" => Asset::new(name, joined(&bundle(name, &page_part))),
        _ => Asset::new(name, page_part(name).to_owned()),
    });
    let page = Asset::new(PAGE, SHOWN.text.clone());
    loaded.into_iter().chain([page]).collect()
});

/// Returns the page.
pub(super) fn page(headers: &HeaderMap) -> Option<HttpResponse> {
    let answer = find(PAGE)?.answer(headers);
    Some(with_inline(answer, &SHOWN.script, &SHOWN.style))
}

/// Returns a file that the page requests.
pub(super) fn named(name: &str, headers: &HeaderMap) -> Option<HttpResponse> {
    find(name)
        .filter(|asset| asset.name != PAGE)
        .map(|asset| asset.answer(headers))
}

/// Returns the text of one of the page's files, as it is written.
pub(crate) fn page_part(name: &str) -> &'static str {
    let part = PARTS.iter().find(|(part, _)| *part == name);
    part.map_or("", |(_, text)| text)
}

/// Returns a file without indentation, empty lines, and comments that have lines of their own. That is all that can be
/// left out without parsing the file. A test checks that no string goes over the end of a line.
pub(crate) fn slim(name: &str, written: &str) -> String {
    let has_comments = matches!(suffix(name), "js" | "css");
    let mut in_comment = false;
    let mut slim = String::with_capacity(written.len());
    for line in written.lines().map(str::trim) {
        let begins = has_comments && line.starts_with("/*");
        if begins || in_comment {
            in_comment = !line.ends_with("*/");
        } else if !(line.is_empty() || (has_comments && line.starts_with("//"))) {
            slim.push_str(line);
            slim.push('\n');
        }
    }
    slim
}

/// Joins each line with the next one if it ends where scripts and style sheets need no end of a line.
pub(super) fn joined(text: &str) -> String {
    let ends = |line: &str| line.ends_with(['{', ',', ';']) && !line.contains("//");
    let lines = text.lines().map(|line| (line, if ends(line) { "" } else { "\n" }));
    lines.flat_map(|(line, end)| [line, end]).collect()
}

fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

impl Asset {
    fn new(name: &'static str, text: String) -> Asset {
        Asset {
            name,
            kind: kind(name),
            tag: format!("\"{}\"", &sha256_hex(text.as_bytes())),
            text,
        }
    }

    fn answer(&'static self, headers: &HeaderMap) -> HttpResponse {
        let known = headers.get(IF_NONE_MATCH).is_some_and(|tag| *tag == *self.tag);
        let answer = if known {
            answer(StatusCode::NOT_MODIFIED, self.kind, ResponseBody::empty())
        } else {
            answer(StatusCode::OK, self.kind, self.text.as_bytes())
        };
        tagged(answer, &self.tag)
    }
}

fn suffix(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, suffix)| suffix)
}

fn kind(name: &str) -> &'static str {
    match suffix(name) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::io::Write as _;
    use std::path::Path;

    use super::*;

    /// Makes sure that the page stays small: quick to load, and little code to read.
    #[test]
    fn all_files_together_are_sixty_kilobytes_when_compressed() {
        let mut compressed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        for asset in ASSETS.iter() {
            compressed.write_all(asset.text.as_bytes()).unwrap();
        }
        let bytes = compressed.finish().unwrap().len();
        assert!(
            bytes <= 60_000,
            "{bytes} bytes: take something out of crates/panel/assets"
        );
    }

    #[test]
    fn every_file_is_embedded_and_has_a_type() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
        let there: BTreeSet<String> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let embedded: BTreeSet<String> = FILES.iter().map(|&(name, _)| name.to_owned()).collect();
        assert_eq!(
            there, embedded,
            "name the files of crates/panel/assets in web/assets.rs"
        );
        for name in there {
            assert_ne!(kind(&name), "application/octet-stream", "{name}");
        }
    }

    #[test]
    fn every_module_is_in_a_script() {
        for (name, _) in FILES.iter().filter(|(name, _)| suffix(name) == "js") {
            let variable = format!("const ${} = ", name.trim_end_matches(".js"));
            let is_sent = ASSETS.iter().any(|asset| asset.text.contains(&variable));
            assert!(is_sent, "nothing imports {name}");
        }
    }

    #[test]
    fn only_comments_and_indentation_are_left_out() {
        let written = "/** A\n * b. */\nlet a = \"//\"; // c\n\n  // d\n  /* e */\n  f();\n";
        assert_eq!(slim("a.js", written), "let a = \"//\"; // c\nf();\n");
        assert_eq!(slim("a.html", "<p>\n  // a\n</p>\n"), "<p>\n// a\n</p>\n");
    }

    /// In a string that goes over the end of a line, indentation would matter, and a line could look like a comment.
    #[test]
    fn no_string_or_comment_of_the_modules_hides_the_end_of_a_line() {
        for (name, written) in FILES.iter().filter(|(name, _)| suffix(name) == "js") {
            for line in written.lines() {
                let quotes = line.matches('`').count() - line.matches("\\`").count();
                assert!(quotes.is_multiple_of(2) && !line.ends_with('\\'), "{name}: {line}");
            }
        }
        for (name, written) in FILES {
            for line in written.lines().map(str::trim) {
                let is_comment = line.starts_with("/*") || line.starts_with('*');
                assert!(
                    !is_comment || !line.contains("*/") || line.ends_with("*/"),
                    "{name}: {line}"
                );
            }
        }
    }

    #[test]
    fn assets_never_insert_markup_or_load_external_resources() {
        let namespace = "http://www.w3.org/2000/svg";
        let everywhere = [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "DOMParser",
            "eval(",
            "://",
        ];
        for asset in ASSETS.iter() {
            let text = asset.text.replace(namespace, "");
            for word in everywhere {
                assert!(!text.contains(word), "{word} in {}", asset.name);
            }
            for tag in text.split('<').filter(|_| asset.name == PAGE) {
                let inside = tag.split('>').next().unwrap_or_default();
                let handler = |word: &str| word.contains('=') && (word.starts_with("on") || word.starts_with("style"));
                assert!(!inside.split_whitespace().any(handler), "<{inside}>");
                assert!(!["script", "style"].contains(&inside), "<{inside}>");
            }
        }
    }
}
