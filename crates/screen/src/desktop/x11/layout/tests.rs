//! Tests [`super`] on a small keyboard with the features that make layouts difficult.

use super::*;
use x11rb::protocol::xkb::KTMapEntry;
use x11rb::protocol::xproto::ModMask;

const LEVEL3: u8 = 0x80;

fn kind(mask: u8, levels: &[(u8, u8)]) -> KeyType {
    let map = levels.iter().map(|&(modifiers, level)| KTMapEntry {
        active: true,
        mods_mask: ModMask::from(modifiers),
        level,
        mods_mods: ModMask::from(modifiers),
        mods_vmods: 0u16.into(),
    });
    KeyType {
        mods_mask: ModMask::from(mask),
        mods_mods: ModMask::from(mask),
        mods_vmods: 0u16.into(),
        num_levels: levels.len() as u8 + 1,
        has_preserve: false,
        map: map.collect(),
        preserve: Vec::new(),
    }
}

fn key(kind: u8, groups: u8, symbols: &[u32]) -> KeySymMap {
    KeySymMap {
        kt_index: [kind; 4],
        group_info: groups,
        width: symbols.len() as u8 / groups.max(1),
        syms: symbols.to_vec(),
    }
}

fn keyboard() -> Keys {
    let four = kind(1 | LEVEL3, &[(1, 1), (LEVEL3, 2), (1 | LEVEL3, 3)]);
    let [a, q, at, e, umlaut] = ['a', 'q', '@', 'é', 'Ω'].map(symbol_of);
    Keys {
        types: vec![kind(0, &[]), kind(1, &[(1, 1)]), four],
        maps: vec![
            (20, key(0, 0, &[])),
            (24, key(2, 1, &[q, symbol_of('Q'), at, umlaut])),
            (38, key(1, 2, &[a, symbol_of('A'), symbol_of('ф'), symbol_of('Ф')])),
            (40, key(0, 1, &[e])),
            (50, key(0, 1, &[xkeysym::key::Shift_L])),
            (77, key(0, 1, &[xkeysym::key::Num_Lock])),
            (87, key(0, 1, &[xkeysym::key::KP_1])),
            (108, key(0, 1, &[xkeysym::key::ISO_Level3_Shift])),
            (92, key(0, 1, &[xkeysym::key::ISO_Level3_Shift])),
            (200, key(0, 1, &[a])),
            (201, key(0, 0, &[])),
            (202, key(0, 1, &[0])),
        ],
        modifiers: HashMap::from([(50, SHIFT), (92, LEVEL3), (77, 0x10)]),
    }
}

#[test]
fn a_character_maps_to_a_key_and_its_modifiers() {
    let layout = keyboard().layout(0);
    for (character, code, held) in [
        ('q', 24, vec![]),
        ('Q', 24, vec![50]),
        ('@', 24, vec![92]),
        ('Ω', 24, vec![50, 92]),
        ('a', 38, vec![]),
        ('é', 40, vec![]),
    ] {
        assert_eq!(layout.character(character), Some(&Stroke { code, held }), "{character}");
    }
    assert_eq!(layout.character('1'), None, "the number pad types it only with NumLock");
    assert_eq!(layout.character('ф'), None, "it is in the other group");
    assert_eq!(layout.spare(), [201, 202, 20]);
    assert_eq!(layout.num_lock, 0x10);
    assert_eq!(layout.plain(38), symbol_of('a'));
}

#[test]
fn a_key_with_fewer_groups_wraps_clamps_or_redirects() {
    let layout = keyboard().layout(1);
    assert_eq!(layout.character('ф').map(|stroke| stroke.code), Some(38));
    assert_eq!(
        layout.character('q').map(|stroke| stroke.code),
        Some(24),
        "it has but one group"
    );
    for (info, group, counts) in [
        (2, 3, 1),
        (0x42, 3, 1),
        (0x43, 3, 2),
        (0x92, 2, 1),
        (0xb2, 2, 0),
        (2, 1, 1),
    ] {
        assert_eq!(in_range(&key(0, info, &[]), group), counts, "{info:#x}");
    }
}
