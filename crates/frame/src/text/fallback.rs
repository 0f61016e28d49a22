//! Finds system fonts for characters that the bundled font lacks.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::{LazyLock, Mutex, PoisonError};

use ab_glyph::{Font, FontVec};
use fontdb::{Database, ID, Source, Style, Weight};
use ttf_parser::cmap::{Format, Subtable};

/// The system's fonts, plain upright ones first, and the characters that each contains.
///
/// All fonts are scanned once; only those needed stay in memory.
struct Fallback {
    database: Database,
    faces: Vec<Face>,
    /// The characters that no font could draw.
    missing: HashSet<char>,
}

struct Face {
    id: ID,
    characters: Vec<RangeInclusive<u32>>,
    font: Option<FontVec>,
}

/// The fonts of this system. They are scanned when the bundled font first lacks a character. The scan takes a moment,
/// so every lettering shares the result.
static SYSTEM: LazyLock<Mutex<Fallback>> = LazyLock::new(|| Mutex::new(Fallback::of_system()));

/// Draws with the first font of this system that contains `character`; returns `None` if no font does.
pub(super) fn drawn<T>(character: char, draw: impl FnOnce(&FontVec) -> T) -> Option<T> {
    let mut system = SYSTEM.lock().unwrap_or_else(PoisonError::into_inner);
    system.font_with(character).map(draw)
}

impl Fallback {
    /// Scans the fonts of this system.
    fn of_system() -> Fallback {
        let mut database = Database::new();
        database.load_system_fonts();
        let mut faces: Vec<_> = database.faces().collect();
        faces.sort_by_key(|face| {
            (
                face.style != Style::Normal,
                face.weight.0.abs_diff(Weight::NORMAL.0),
                face.monospaced,
            )
        });
        let faces = faces.iter().filter_map(|face| {
            let characters = database.with_face_data(face.id, characters)??;
            Some(Face {
                id: face.id,
                characters,
                font: None,
            })
        });
        Fallback {
            faces: faces.collect(),
            database,
            missing: HashSet::new(),
        }
    }

    /// Returns the first font that can draw `character`.
    fn font_with(&mut self, character: char) -> Option<&FontVec> {
        if self.missing.contains(&character) {
            return None;
        }
        for index in 0..self.faces.len() {
            if covers(&self.faces[index].characters, character)
                && self.load(index).is_some_and(|font| draws(font, character))
            {
                return self.faces[index].font.as_ref();
            }
        }
        self.missing.insert(character);
        None
    }

    fn load(&mut self, index: usize) -> Option<&FontVec> {
        let face = &mut self.faces[index];
        if face.font.is_none() {
            face.font = read(&self.database, face.id);
        }
        face.font.as_ref()
    }
}

/// Returns whether a font can draw a character. In fonts of coloured pictures, some characters have no outlines.
fn draws(font: &FontVec, character: char) -> bool {
    character.is_whitespace() || font.outline(font.glyph_id(character)).is_some()
}

#[expect(clippy::disallowed_methods, reason = "it is a font of the system")]
fn read(database: &Database, id: ID) -> Option<FontVec> {
    let (source, index) = database.face_source(id)?;
    let data = match source {
        Source::File(path) => std::fs::read(path).ok()?,
        Source::Binary(data) => data.as_ref().as_ref().to_vec(),
    };
    FontVec::try_from_vec_and_index(data, index).ok()
}

/// Returns the code points that a font maps to a glyph, as sorted ranges.
fn characters(data: &[u8], index: u32) -> Option<Vec<RangeInclusive<u32>>> {
    let font = ttf_parser::Face::parse(data, index).ok()?;
    let mut codes = Vec::new();
    // Not with ab_glyph, which lists only one code point for each glyph: 日 has the same glyph as ⽇ in many fonts.
    for subtable in font.tables().cmap?.subtables.into_iter().filter(is_of_characters) {
        subtable.codepoints(|code| {
            if subtable.glyph_index(code).is_some_and(|glyph| glyph.0 > 0) {
                codes.push(code);
            }
        });
    }
    codes.sort_unstable();
    Some(ranges(&codes))
}

/// Returns whether a table lists the characters that a font has. Format 13 is for last-resort fonts, which show one sign
/// for all characters of a script.
fn is_of_characters(table: &Subtable<'_>) -> bool {
    table.is_unicode() && !matches!(table.format, Format::ManyToOneRangeMappings(_))
}

/// Returns whether a character lies in one of these sorted ranges.
fn covers(ranges: &[RangeInclusive<u32>], character: char) -> bool {
    let code = u32::from(character);
    let next = ranges.partition_point(|range| *range.end() < code);
    ranges.get(next).is_some_and(|range| range.contains(&code))
}

fn ranges(sorted: &[u32]) -> Vec<RangeInclusive<u32>> {
    let runs = sorted.chunk_by(|before, after| after - before <= 1);
    runs.map(|run| run[0]..=run[run.len() - 1]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_a_range() {
        assert_eq!(ranges(&[]), []);
        assert_eq!(ranges(&[1, 2, 2, 3, 7, 9, 10]), [1..=3, 7..=7, 9..=10]);
    }

    #[test]
    fn the_characters_of_a_font_are_found() {
        let found = characters(super::super::BUNDLED, 0).unwrap();
        let has = |character| covers(&found, character);
        assert!(has('A') && has('ж') && has('→'));
        assert!(!has('猫'));
        assert_eq!(characters(b"no font", 0), None);
    }

    #[test]
    fn a_character_is_looked_up_among_ranges() {
        let has = |character| covers(&[0x41..=0x43, 0x50..=0x50, 0x60..=0x62], character);
        assert!("ABCP`ab".chars().all(has));
        assert!(!"@DOQ_c".chars().any(has));
        assert!(!covers(&[], 'A'));
    }

    /// Returns a font that has only this table of characters. The first two numbers of a group are its first and last
    /// code point, and the third one is a glyph.
    fn font_with(format: u16, groups: &[[u32; 3]]) -> Vec<u8> {
        let numbers = groups.iter().flatten().flat_map(|number| number.to_be_bytes());
        let length = 16 + 12 * groups.len() as u32;
        // One subtable for all of Unicode on Windows.
        let mut cmap = vec![0, 0, 0, 1, 0, 3, 0, 10, 0, 0, 0, 12];
        cmap.extend([&format.to_be_bytes()[..], &[0; 2], &length.to_be_bytes(), &[0; 4]].concat());
        cmap.extend((groups.len() as u32).to_be_bytes());
        cmap.extend(numbers);
        let bundled = ttf_parser::RawFace::parse(super::super::BUNDLED, 0).unwrap();
        let table = |name: &[u8; 4]| bundled.table(ttf_parser::Tag::from_bytes(name)).unwrap();
        let tables = [
            (b"cmap", &cmap[..]),
            (b"head", table(b"head")),
            (b"hhea", table(b"hhea")),
            (b"maxp", table(b"maxp")),
        ];
        let mut font = vec![0, 1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0];
        let mut at = font.len() + 16 * tables.len();
        for (name, table) in tables {
            let place = [at as u32, table.len() as u32].map(u32::to_be_bytes).concat();
            font.extend([&name[..], &[0; 4], &place].concat());
            at += table.len();
        }
        font.extend(tables.iter().flat_map(|(_, table)| *table));
        font
    }

    #[test]
    fn characters_that_share_a_glyph_are_all_found() {
        // The radicals ⽇ and ⽉, and the characters 日 and 月; the glyph 0 means that there is none.
        let groups = [
            [0x2f47, 0x2f47, 7],
            [0x2f49, 0x2f49, 8],
            [0x65e5, 0x65e5, 7],
            [0x6700, 0x6700, 0],
            [0x6708, 0x6708, 8],
        ];
        let found = characters(&font_with(12, &groups), 0).unwrap();
        assert!("⽇⽉日月".chars().all(|character| covers(&found, character)));
        assert!(!covers(&found, '最'));
        let last_resort = font_with(13, &[[0, 0xffff, 7]]);
        assert_eq!(characters(&last_resort, 0).unwrap(), []);
    }

    #[test]
    fn what_no_font_has_is_not_searched_again() {
        let mut database = Database::new();
        database.load_font_data(super::super::BUNDLED.to_vec());
        let face = Face {
            id: database.faces().next().unwrap().id,
            characters: vec![0x41..=0x41],
            font: None,
        };
        let mut fallback = Fallback {
            database,
            faces: Vec::new(),
            missing: HashSet::new(),
        };
        assert!(fallback.font_with('A').is_none());
        fallback.faces.push(face);
        assert!(fallback.font_with('A').is_none());
        fallback.missing.clear();
        assert!(fallback.font_with('A').is_some());
    }

    #[test]
    fn a_font_of_this_system_is_used_for_what_it_has() {
        let mut fallback = Fallback::of_system();
        for index in 0..fallback.faces.len() {
            let Some(letter) = fallback.faces[index]
                .characters
                .iter()
                .flat_map(Clone::clone)
                .find_map(letter)
            else {
                continue;
            };
            let font = fallback.font_with(letter);
            assert!(font.is_none_or(|font| font.glyph_id(letter).0 != 0), "{letter}");
        }
        assert!(fallback.font_with('\u{10fffe}').is_none());
    }

    fn letter(code: u32) -> Option<char> {
        char::from_u32(code).filter(|character| character.is_alphabetic())
    }
}
