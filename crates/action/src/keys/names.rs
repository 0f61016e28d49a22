//! Lists the spellings of keys that people, xdotool, pyautogui and browsers use. Case does not matter, nor do
//! separators between words.

use super::{Key, Modifier};

/// Returns a name in lower case, without separators between its words.
pub(super) fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    letters.collect::<String>().to_lowercase()
}

const MODIFIERS: [(&str, Modifier); 4] = [
    ("ctrl", Modifier::Ctrl),
    ("alt", Modifier::Alt),
    ("shift", Modifier::Shift),
    ("win", Modifier::Win),
];

/// Other names of modifiers, in the form that [`plain`] returns: lower case, without spaces or punctuation.
const MODIFIER_ALIASES: [(&str, &str); 12] = [
    ("control", "ctrl"),
    ("ctl", "ctrl"),
    ("controlormeta", "ctrl"),
    ("option", "alt"),
    ("opt", "alt"),
    ("altgr", "alt"),
    ("super", "win"),
    ("cmd", "win"),
    ("command", "win"),
    ("meta", "win"),
    ("windows", "win"),
    ("os", "win"),
];

/// Returns the modifier with this plain name, which can include a side of the keyboard.
pub(super) fn modifier(plain: &str) -> Option<Modifier> {
    let known = |name: &str| {
        let alias = MODIFIER_ALIASES.iter().find(|(alias, _)| *alias == name);
        let name = alias.map_or(name, |(_, name)| name);
        let found = MODIFIERS.iter().find(|(known, _)| *known == name);
        found.map(|(_, modifier)| *modifier)
    };
    let sided = || {
        let ends = ["left", "right", "l", "r", "key"].iter();
        let begins = ["left", "right", "l", "r"].iter();
        let without = ends.filter_map(|side| plain.strip_suffix(side));
        let mut without = without.chain(begins.filter_map(|side| plain.strip_prefix(side)));
        without.find_map(known)
    };
    known(plain).or_else(sided)
}

/// Returns the key with this plain name.
pub(super) fn key(plain: &str) -> Option<Key> {
    let plain = plain.strip_suffix("key").filter(|rest| rest.len() > 1).unwrap_or(plain);
    let named = named(plain).or_else(|| named(plain.strip_prefix("kp")?));
    let sign = || {
        let found = SIGNS.iter().find(|(name, _)| *name == plain);
        found.map(|(_, sign)| *sign).or_else(|| placed(plain))
    };
    named.map(Key::Named).or_else(|| sign().map(Key::Char))
}

/// Returns the canonical name of a named key.
fn named(plain: &str) -> Option<&'static str> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == plain);
    let canonical = alias.map_or(plain, |(_, name)| name);
    Key::NAMED.into_iter().find(|known| *known == canonical)
}

/// Returns the character of a key named by its position, such as `KeyA`, `Digit1` or `KP_1`.
fn placed(plain: &str) -> Option<char> {
    let only = |rest: &str| rest.parse::<char>().ok();
    let letter = plain
        .strip_prefix("key")
        .and_then(only)
        .filter(char::is_ascii_lowercase);
    let mut pads = ["digit", "numpad", "num", "kp"].iter();
    letter.or_else(|| {
        pads.find_map(|pad| only(plain.strip_prefix(pad)?))
            .filter(char::is_ascii_digit)
    })
}

/// Other names of keys, in the form that [`plain`] returns, each with its name in [`Key::NAMED`].
const ALIASES: [(&str, &str); 33] = [
    ("return", "enter"),
    ("ret", "enter"),
    ("numpadenter", "enter"),
    ("numenter", "enter"),
    ("escape", "esc"),
    ("spacebar", "space"),
    ("bksp", "backspace"),
    ("bs", "backspace"),
    ("del", "delete"),
    ("ins", "insert"),
    ("pgup", "pageup"),
    ("prior", "pageup"),
    ("pgdn", "pagedown"),
    ("pgdown", "pagedown"),
    ("next", "pagedown"),
    ("arrowup", "up"),
    ("arrowdown", "down"),
    ("arrowleft", "left"),
    ("arrowright", "right"),
    ("uparrow", "up"),
    ("downarrow", "down"),
    ("leftarrow", "left"),
    ("rightarrow", "right"),
    ("caps", "capslock"),
    ("scroll", "scrolllock"),
    ("print", "printscreen"),
    ("prtsc", "printscreen"),
    ("prtscr", "printscreen"),
    ("prtscn", "printscreen"),
    ("prntscrn", "printscreen"),
    ("break", "pause"),
    ("apps", "menu"),
    ("contextmenu", "menu"),
];

/// The names of characters, in the form that [`plain`] returns.
const SIGNS: [(&str, char); 62] = [
    ("plus", '+'),
    ("add", '+'),
    ("kpadd", '+'),
    ("numpadadd", '+'),
    ("minus", '-'),
    ("hyphen", '-'),
    ("dash", '-'),
    ("subtract", '-'),
    ("kpsubtract", '-'),
    ("numpadsubtract", '-'),
    ("multiply", '*'),
    ("asterisk", '*'),
    ("kpmultiply", '*'),
    ("numpadmultiply", '*'),
    ("divide", '/'),
    ("slash", '/'),
    ("kpdivide", '/'),
    ("numpaddivide", '/'),
    ("period", '.'),
    ("dot", '.'),
    ("decimal", '.'),
    ("kpdecimal", '.'),
    ("numpaddecimal", '.'),
    ("comma", ','),
    ("equal", '='),
    ("equals", '='),
    ("semicolon", ';'),
    ("colon", ':'),
    ("apostrophe", '\''),
    ("quote", '\''),
    ("quotedbl", '"'),
    ("doublequote", '"'),
    ("grave", '`'),
    ("backquote", '`'),
    ("backtick", '`'),
    ("backslash", '\\'),
    ("bracketleft", '['),
    ("leftbracket", '['),
    ("bracketright", ']'),
    ("rightbracket", ']'),
    ("braceleft", '{'),
    ("braceright", '}'),
    ("parenleft", '('),
    ("parenright", ')'),
    ("underscore", '_'),
    ("exclam", '!'),
    ("exclamation", '!'),
    ("at", '@'),
    ("numbersign", '#'),
    ("hash", '#'),
    ("dollar", '$'),
    ("percent", '%'),
    ("asciicircum", '^'),
    ("caret", '^'),
    ("ampersand", '&'),
    ("question", '?'),
    ("less", '<'),
    ("greater", '>'),
    ("bar", '|'),
    ("pipe", '|'),
    ("asciitilde", '~'),
    ("tilde", '~'),
];
