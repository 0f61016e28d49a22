//! Text that is hard to type.

/// Returns 200 characters: Latin with and without accents, Greek, Cyrillic, CJK, symbols, emoji, combining marks, tabs
/// and line breaks.
pub(crate) fn mixed() -> String {
    let text = "The quick brown fox, JUMPS over: 13 lazy dogs! #@~|\\{}[]<>^`'\"\n\
                \tÄÖÜ äöü ß é è ñ ç å ø Ł ž ő €£¥ «»„“ … – —\n\
                Γειά σου Κόσμε \u{03ce}\n\
                Привет, мир! Ёж щука\n\
                漢字かな交じり文 한국어 中文输入\n\
                \t😀🎉👍🏽 ∑∫√≠≤ →⇒ \u{00bd} e\u{0301} o\u{0308}\n\
                aaa AAA bbBB 1122 ;; ,, .. __ -- ++ == %% && ** (())\n";
    let text: String = text.chars().chain("Ende gut, alles gut.\n".chars()).collect();
    assert!(text.chars().count() >= 200);
    text
}
