//! The page and the files that it loads. The modules are sent in bundles, so that a browser asks for few files.

use std::sync::LazyLock;

use franz_record::digest::sha256_hex;
use hyper::StatusCode;
use hyper::header::{HeaderMap, IF_NONE_MATCH};

use super::answer::{HttpResponse, answer, tagged, with_inline};
use super::body::ResponseBody;
use super::bundle::bundle;
use super::page::Page;
use super::parts::{joined, page_part, suffix};

const PAGE: &str = "index.html";

/// The other files that the page and its workers load. Each script is sent with everything that it imports.
const LOADED: [&str; 4] = ["diff.js", "feed.js", "main.js", "icon.svg"];

struct Asset {
    name: &'static str,
    kind: &'static str,
    text: String,
    tag: String,
}

static SHOWN: LazyLock<Page> = LazyLock::new(Page::new);

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let loaded = LOADED.map(|name| match suffix(name) {
        "js" => Asset::new(name, joined(name, &bundle(name, &page_part))),
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
    use crate::web::parts::FILES;

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
        assert_eq!(there, embedded, "name the files of crates/panel/assets in web/parts.rs");
        for name in there {
            assert_ne!(kind(&name), "application/octet-stream", "{name}");
        }
    }

    #[test]
    fn every_module_is_in_a_script() {
        let is_bundled = |name: &str| suffix(name) == "js" && name != "theme.js";
        for (name, _) in FILES.iter().filter(|(name, _)| is_bundled(name)) {
            let variable = format!("let ${}=", name.trim_end_matches(".js"));
            let is_sent = ASSETS.iter().any(|asset| asset.text.contains(&variable));
            assert!(is_sent, "nothing imports {name}");
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
        }
        for tag in page_part(PAGE).split('<') {
            let inside = tag.split('>').next().unwrap_or_default();
            let handler = |word: &str| word.contains('=') && (word.starts_with("on") || word.starts_with("style"));
            assert!(!inside.split_whitespace().any(handler), "<{inside}>");
            assert!(!["script", "style"].contains(&inside), "<{inside}>");
        }
    }
}
