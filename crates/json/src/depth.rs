//! Measures how deeply JSON is nested.

/// Checks whether the brackets in `json` are nested deeper than `limit`.
pub fn deeper_than(json: &str, limit: usize) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth -= 1,
            _ => {}
        }
        if depth > limit {
            return true;
        }
    }
    false
}
