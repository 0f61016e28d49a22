//! The only way to write to the page: own markup as it is, everything else escaped.

use std::fmt::{Display, Write as _};

use crate::report::words::printable;

/// The page as far as it is written.
#[derive(Default)]
pub(super) struct Page {
    html: String,
}

impl Page {
    /// Writes markup, which must never contain text from elsewhere.
    pub(super) fn markup(&mut self, markup: &'static str) {
        self.html.push_str(markup);
    }

    /// Writes text from any source, so that it can be in an element or a quoted attribute. Keeps a percent sign on the
    /// line of its number.
    pub(super) fn text(&mut self, text: &str) {
        for character in printable(text).replace(" %", "\u{a0}%").chars() {
            match character {
                '&' => self.html.push_str("&amp;"),
                '<' => self.html.push_str("&lt;"),
                '>' => self.html.push_str("&gt;"),
                '"' => self.html.push_str("&quot;"),
                '\'' => self.html.push_str("&#39;"),
                _ => self.html.push(character),
            }
        }
    }

    /// Writes a fraction as a percentage for a style.
    pub(super) fn share(&mut self, fraction: f64) {
        let _ = write!(self.html, "{:.2}%", fraction * 100.0);
    }

    /// Writes a whole number.
    pub(super) fn number(&mut self, number: u64) {
        let _ = write!(self.html, "{number}");
    }

    /// Writes a link's address: a relative path whose parts are encoded, so that it can name no other place. Returns
    /// whether there is such a path.
    pub(super) fn start_of_link(&mut self, path: &str) -> bool {
        let parts = path.split('/');
        if parts.clone().any(|part| matches!(part, "" | "." | "..")) {
            return false;
        }
        self.markup("<a href=\"");
        for (at, part) in parts.enumerate() {
            if at > 0 {
                self.html.push('/');
            }
            for byte in part.bytes() {
                if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                    self.html.push(char::from(byte));
                } else {
                    let _ = write!(self.html, "%{byte:02X}");
                }
            }
        }
        self.markup("\"");
        true
    }

    /// Writes a term and its description as an item of a list.
    pub(super) fn fact(&mut self, term: &str, text: &str) {
        self.markup("<div><dt>");
        self.text(term);
        self.markup("</dt><dd dir=\"auto\">");
        self.text(text);
        self.markup("</dd></div>\n");
    }

    /// Writes an item of a list.
    pub(super) fn item(&mut self, text: &str) {
        self.markup("<li dir=\"auto\">");
        self.text(text);
        self.markup("</li>\n");
    }

    /// Starts a section with a table that can be scrolled, up to the cells of its header.
    pub(super) fn start_of_table(&mut self, class: &'static str, title: &'static str, caption: &str) {
        self.markup("<section>\n<h2>");
        self.markup(title);
        self.markup("</h2>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
        self.markup(title);
        self.markup("\">\n<table class=\"");
        self.markup(class);
        self.markup("\">\n<caption>");
        self.text(caption);
        self.markup("</caption>\n<thead>\n<tr>");
    }

    /// Ends the header.
    pub(super) fn start_of_rows(&mut self) {
        self.markup("</tr>\n</thead>\n<tbody>\n");
    }

    /// Ends the table and its section.
    pub(super) fn end_of_table(&mut self) {
        self.markup("</tbody>\n</table>\n</div>\n</section>\n");
    }

    /// Writes the header of a column.
    pub(super) fn column(&mut self, title: &str) {
        self.markup("<th scope=\"col\" dir=\"auto\">");
        self.text(title);
        self.markup("</th>");
    }

    /// Starts a row with its header.
    pub(super) fn start_of_row(&mut self, title: &str) {
        self.markup("<tr><th scope=\"row\" dir=\"auto\">");
        self.text(title);
        self.markup("</th>");
    }

    /// Writes a cell.
    pub(super) fn cell(&mut self, text: impl Display) {
        self.markup("<td>");
        self.text(&text.to_string());
        self.markup("</td>");
    }

    /// Ends a row.
    pub(super) fn end_of_row(&mut self) {
        self.markup("</tr>\n");
    }

    pub(super) fn finish(self) -> String {
        self.html
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_name_only_files_below_the_page() {
        let cases = [
            ("attempt_0001/try_a/player.html", Some("attempt_0001/try_a/player.html")),
            ("javascript:alert(1)", Some("javascript%3Aalert%281%29")),
            ("a b/\"><script>", Some("a%20b/%22%3E%3Cscript%3E")),
            ("ä?x#y\\z", Some("%C3%A4%3Fx%23y%5Cz")),
            ("//elsewhere/x", None),
            ("/etc/passwd", None),
            ("a/../../b", None),
            ("", None),
        ];
        for (path, expected) in cases {
            let mut page = Page::default();
            assert_eq!(page.start_of_link(path), expected.is_some(), "{path}");
            assert_eq!(
                page.finish(),
                expected.map_or(String::new(), |href| format!("<a href=\"{href}\""))
            );
        }
    }

    #[test]
    fn text_is_escaped() {
        let mut page = Page::default();
        page.text("<b a=\"1\" c='2'>&\u{0}\u{202e}");
        assert_eq!(
            page.finish(),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;\u{fffd}\u{fffd}"
        );
    }
}
