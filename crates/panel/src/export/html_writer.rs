//! The only way to write text to the file. The writer escapes the text and removes the secret from it.

use std::io::{self, Write};

use franz_secret::Secret;

/// Writes our own markup and text from elsewhere.
pub(super) struct HtmlWriter<'a> {
    out: &'a mut dyn Write,
    secret: &'a Secret,
}

impl<'a> HtmlWriter<'a> {
    pub(super) fn new(out: &'a mut dyn Write, secret: &'a Secret) -> Self {
        Self { out, secret }
    }

    /// Writes markup, which must never contain text from elsewhere.
    pub(super) fn markup(&mut self, markup: &'static str) -> io::Result<()> {
        self.out.write_all(markup.as_bytes())
    }

    /// Writes text from any source.
    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(escaped(&self.secret.text(text)).as_bytes())
    }

    /// Writes text made of our own numbers and words.
    pub(super) fn own(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(escaped(text).as_bytes())
    }

    /// Writes JSON from elsewhere.
    pub(super) fn json(&mut self, json: &str) -> io::Result<()> {
        let hidden = self.secret.bytes(json.as_bytes());
        self.out
            .write_all(escaped(&String::from_utf8_lossy(&hidden)).as_bytes())
    }

    /// Writes a whole number.
    pub(super) fn number(&mut self, number: u64) -> io::Result<()> {
        write!(self.out, "{number}")
    }

    /// Writes a picture as a data URL, which embeds it in the file.
    pub(super) fn data_url(&mut self, png: &[u8]) -> io::Result<()> {
        self.out.write_all(b"data:image/png;base64,")?;
        self.out
            .write_all(base64_simd::STANDARD.encode_to_string(png).as_bytes())
    }

    /// Writes a term and its description as an item of a list.
    pub(super) fn fact(&mut self, term: &'static str, text: &str) -> io::Result<()> {
        self.about(term, |html| html.text(text))
    }

    /// Writes a term and text made of our own counts or measurements.
    pub(super) fn own_fact(&mut self, term: &'static str, text: &str) -> io::Result<()> {
        self.about(term, |html| html.own(text))
    }

    /// Writes a term and JSON from elsewhere.
    pub(super) fn json_fact(&mut self, term: &'static str, json: &str) -> io::Result<()> {
        self.about(term, |html| html.json(json))
    }

    fn about(&mut self, term: &'static str, write: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.markup("<div><dt>")?;
        self.markup(term)?;
        self.markup("</dt><dd dir=\"auto\">")?;
        write(self)?;
        self.markup("</dd></div>\n")
    }

    /// Writes JSON from elsewhere with a heading.
    pub(super) fn json_block(&mut self, class: &'static str, heading: &'static str, json: &str) -> io::Result<()> {
        self.open(class, heading)?;
        self.markup("<pre dir=\"auto\">\n")?;
        self.json(json)?;
        self.markup("</pre>")?;
        self.close()
    }

    /// Writes text with a heading, or "empty" if there is no text.
    pub(super) fn block(&mut self, class: &'static str, heading: &'static str, text: &str) -> io::Result<()> {
        self.open(class, heading)?;
        if text.is_empty() {
            self.markup("<p class=\"none\">empty</p>")?;
        } else {
            // HTML drops a line break right after the tag, so add one.
            self.markup("<pre dir=\"auto\">\n")?;
            self.text(text)?;
            self.markup("</pre>")?;
        }
        self.close()
    }

    /// Opens a section with a heading.
    pub(super) fn open(&mut self, class: &'static str, heading: &'static str) -> io::Result<()> {
        self.markup("<section class=\"")?;
        self.markup(class)?;
        self.markup("\"><h3>")?;
        self.markup(heading)?;
        self.markup("</h3>\n")
    }

    /// Closes the section.
    pub(super) fn close(&mut self) -> io::Result<()> {
        self.markup("</section>\n")
    }
}

/// Escapes text for an HTML document, so that it can be used in an element or a quoted attribute. Control characters,
/// which HTML cannot contain, are replaced by symbols for them.
fn escaped(text: &str) -> String {
    const PICTURES: u32 = 0x2400;
    const DELETE: char = '\u{2421}';
    let mut html = String::with_capacity(text.len() + text.len() / 8);
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            '\n' | '\t' => html.push(character),
            '\0'..' ' => html.extend(char::from_u32(PICTURES + u32::from(character))),
            '\u{7f}' => html.push(DELETE),
            '\u{80}'..='\u{9f}' => html.push(char::REPLACEMENT_CHARACTER),
            _ => html.push(character),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_texts_is_escaped() {
        let cases = [
            (
                "a < b && c > \"d\" 'e'",
                "a &lt; b &amp;&amp; c &gt; &quot;d&quot; &#39;e&#39;",
            ),
            ("</pre><script>", "&lt;/pre&gt;&lt;script&gt;"),
            ("a\n\tb\r\0\u{1b}\u{7f}\u{85}", "a\n\tb␍␀␛␡\u{fffd}"),
            ("ä猫😀", "ä猫😀"),
        ];
        for (text, html) in cases {
            assert_eq!(escaped(text), html);
        }
    }

    #[test]
    fn the_key_is_hidden_in_html() {
        let mut out = Vec::new();
        let secret = Secret::new(["sk-<0123456>"]);
        let mut html = HtmlWriter::new(&mut out, &secret);
        html.text("the key sk-<0123456> and sk-\\u003c0123456\\u003E").unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "the key [the API key, 12 bytes] and [the API key, 22 bytes]"
        );
    }
}
