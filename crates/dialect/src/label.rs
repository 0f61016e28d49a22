//! The labels of lines, such as `Thought:` and `Action:`.

/// The maximum length of a label, in bytes.
const LONGEST_LABEL: usize = 64;

/// Returns the word before the colon at the beginning of a line, without the marks around it: `Thought` in
/// `**Thought:** a`.
pub(crate) fn of(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(is_decoration);
    let end = line.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ' '))?;
    let (word, behind) = line.split_at(end);
    let word = word.trim_end_matches(is_decoration);
    let is_label = behind.trim_start_matches(is_decoration).starts_with([':', '\u{ff1a}'])
        && word.starts_with(char::is_alphabetic)
        && word.len() <= LONGEST_LABEL;
    is_label.then_some(word)
}

/// Checks for a mark that can surround a label.
pub(crate) fn is_decoration(c: char) -> bool {
    c.is_whitespace() || matches!(c, '*' | '#' | '_' | '>' | '-')
}

/// Checks whether this label introduces a thought.
pub(crate) fn is_thought(word: &str) -> bool {
    let labels = [
        "thought",
        "thoughts",
        "thinking",
        "reasoning",
        "reflection",
        "\u{601d}\u{8003}",
        "\u{601d}\u{8003}\u{8fc7}\u{7a0b}",
        "\u{60f3}\u{6cd5}",
        "\u{63a8}\u{7406}",
        "\u{53cd}\u{601d}",
    ];
    labels.iter().any(|label| word.eq_ignore_ascii_case(label))
}

/// Checks whether this label introduces a result, such as `Observation` or `Tool result 2`.
pub(crate) fn is_observation(label: &str) -> bool {
    let word = label.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let labels = [
        "observation",
        "observations",
        "tool result",
        "tool results",
        "tool response",
        "tool output",
        "\u{89c2}\u{5bdf}",
        "\u{89c2}\u{5bdf}\u{7ed3}\u{679c}",
    ];
    labels.iter().any(|label| word.eq_ignore_ascii_case(label))
}

/// Checks whether the label announces actions, such as `ACTIONS` or `Action 2`.
pub(crate) fn is_action(label: &str) -> bool {
    let word = label.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let labels = [
        "action",
        "actions",
        "\u{52a8}\u{4f5c}",
        "\u{64cd}\u{4f5c}",
        "\u{884c}\u{52a8}",
        "\u{6267}\u{884c}",
    ];
    labels.iter().any(|label| word.eq_ignore_ascii_case(label))
}
