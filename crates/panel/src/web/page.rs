//! The page, complete enough to be drawn. It contains its style sheet and the script that sets the theme, because a
//! browser draws nothing before it has both, and asking for them takes longer than everything else.

use base64_simd::STANDARD;
use sha2::{Digest as _, Sha256};

use super::parts::{joined, page_part};

const THEME: &str = "<script src=\"/assets/theme.js\"></script>";
const STYLE: &str = "<link rel=\"stylesheet\" href=\"/assets/style.css\">";

/// The page, and the sources that its Content-Security-Policy must allow.
pub(crate) struct Page {
    pub(crate) text: String,
    /// The source for `script-src`.
    pub(crate) script: String,
    /// The source for `style-src`.
    pub(crate) style: String,
}

impl Page {
    pub(crate) fn new() -> Page {
        let [theme, style] = ["theme.js", "style.css"].map(|name| joined(name, page_part(name)));
        let text = page_part("index.html")
            .replacen(THEME, &format!("<script>{theme}</script>"), 1)
            .replacen(STYLE, &format!("<style>{style}</style>"), 1);
        Page {
            text,
            script: source(&theme),
            style: source(&style),
        }
    }
}

/// Returns the source expression that allows this inline script or style.
pub(crate) fn source(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode_to_string(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_to_be_requested_before_the_page_is_drawn() {
        let page = Page::new();
        assert!(!page.text.contains("theme.js") && !page.text.contains("style.css"));
        for (element, allowed) in [("script", &page.script), ("style", &page.style)] {
            let (_, rest) = page.text.split_once(&format!("<{element}>")).unwrap();
            let (inside, _) = rest.split_once(&format!("</{element}>")).unwrap();
            assert_eq!(source(inside), *allowed);
        }
    }
}
