//! Reads the parameters of a query.

/// Returns the decoded value of a query parameter. Invalid escapes stay as they are, and invalid UTF-8 becomes U+FFFD.
pub(super) fn parameter(query: Option<&str>, name: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(query?.as_bytes());
    let (_, value) = pairs.find(|(given, _)| given == name)?;
    Some(value.into_owned())
}

/// Parses a parameter that, if present, must be a whole number.
pub(super) fn number(query: Option<&str>, name: &str) -> Result<Option<u64>, ()> {
    match parameter(query, name) {
        Some(text) => whole(&text).map(Some).ok_or(()),
        None => Ok(None),
    }
}

/// Parses a number that consists of digits only. `parse` alone would also accept a sign.
pub(super) fn whole(text: &str) -> Option<u64> {
    let only_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    only_digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_read() {
        let cases = [
            ("q=a", Some("a")),
            ("x=1&q=a+b%20c", Some("a b c")),
            ("q=%C3%a4%F0%9F%98%80", Some("ä😀")),
            ("q=%", Some("%")),
            ("q=%4", Some("%4")),
            ("q=%+4%zz", Some("% 4%zz")),
            ("q=%ff", Some("\u{fffd}")),
            ("q", Some("")),
            ("q=1&q=2", Some("1")),
            ("qq=1", None),
            ("", None),
        ];
        for (query, value) in cases {
            assert_eq!(parameter(Some(query), "q").as_deref(), value, "{query}");
        }
        assert_eq!(parameter(None, "q"), None);
    }

    #[test]
    fn numbers_are_digits() {
        let cases = [
            ("n=12", Ok(Some(12))),
            ("", Ok(None)),
            ("n=", Err(())),
            ("n=-1", Err(())),
            ("n=+1", Err(())),
            ("n=1.5", Err(())),
            ("n=18446744073709551616", Err(())),
        ];
        for (query, value) in cases {
            assert_eq!(number(Some(query), "n"), value, "{query}");
        }
    }
}
