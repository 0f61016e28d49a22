//! Text in the forms in which selections carry it (ICCCM, section 2): in one of two encodings, whole or piece by piece.

/// The longest text, in bytes. Nobody wants to read more than this.
pub(in crate::desktop) const MOST: usize = 64 << 20;

/// The encoding of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::desktop) enum Form {
    Utf8,
    /// For old programs, which know nothing else.
    Latin1,
}

impl Form {
    /// Returns the target that requests this form.
    pub(super) fn target(self) -> &'static str {
        match self {
            Form::Utf8 => "UTF8_STRING",
            Form::Latin1 => "STRING",
        }
    }

    pub(in crate::desktop) fn read(self, bytes: &[u8]) -> String {
        match self {
            Form::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
            Form::Latin1 => bytes.iter().copied().map(char::from).collect(),
        }
    }

    /// Encodes text; characters that Latin-1 lacks become question marks.
    pub(in crate::desktop) fn write(self, text: &str) -> Vec<u8> {
        let latin = |character| u8::try_from(u32::from(character)).unwrap_or(b'?');
        match self {
            Form::Utf8 => text.as_bytes().to_vec(),
            Form::Latin1 => text.chars().map(latin).collect(),
        }
    }
}

/// Returns the next piece of text to send, of at most `most` bytes; an empty piece marks the end.
pub(in crate::desktop) fn piece(bytes: &[u8], at: usize, most: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.get(..most).unwrap_or(rest)
}

/// Text that arrives piece by piece.
#[derive(Debug, Default)]
pub(in crate::desktop) struct Incoming {
    bytes: Vec<u8>,
}

/// What a piece means for its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::desktop) enum Arrived {
    /// There is more to come.
    Part,
    /// The text is complete.
    Whole,
    /// The text is longer than anybody wants to read.
    TooMuch,
}

impl Incoming {
    /// Adds a piece; an empty one marks the end.
    pub(in crate::desktop) fn take(&mut self, piece: &[u8]) -> Arrived {
        if piece.is_empty() {
            return Arrived::Whole;
        }
        if self.bytes.len() + piece.len() > MOST {
            return Arrived::TooMuch;
        }
        self.bytes.extend(piece);
        Arrived::Part
    }

    pub(in crate::desktop) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_read_as_it_was_written() {
        for (form, text, bytes) in [
            (Form::Utf8, "é漢", &b"\xc3\xa9\xe6\xbc\xa2"[..]),
            (Form::Latin1, "é\0ÿ", b"\xe9\0\xff"),
            (Form::Latin1, "", b""),
        ] {
            assert_eq!(form.write(text), bytes);
            assert_eq!(form.read(bytes), text);
        }
        assert_eq!(Form::Latin1.write("a漢"), b"a?");
        assert_eq!(Form::Utf8.read(b"a\xff\xc3"), "a\u{fffd}\u{fffd}");
    }

    #[test]
    fn pieces_end_with_an_empty_one_or_where_they_are_too_many() {
        let mut incoming = Incoming::default();
        for (piece, arrived) in [("ab", Arrived::Part), ("c", Arrived::Part), ("", Arrived::Whole)] {
            assert_eq!(incoming.take(piece.as_bytes()), arrived, "{piece:?}");
        }
        assert_eq!(incoming.into_bytes(), b"abc");
        let mut incoming = Incoming::default();
        assert_eq!(incoming.take(&vec![0; MOST]), Arrived::Part);
        assert_eq!(incoming.take(b"a"), Arrived::TooMuch);
        assert_eq!(incoming.into_bytes().len(), MOST);
    }
}
