//! Tests FRANZ on the screens of third-party VNC servers: x11vnc, QEMU with our own guest, and wayvnc.

mod boot_sector;
mod partner_screen;
mod visit;
mod witness;

use std::path::Path;

use anyhow::{Context as _, Result};

use partner_screen::{PARTNERS, PartnerScreen};
use visit::Visit;

/// Returns the screens whose names contain one of these words.
pub(super) fn named(words: &[String]) -> Vec<&'static PartnerScreen> {
    let named = |screen: &&PartnerScreen| words.is_empty() || words.iter().any(|word| screen.name.contains(word));
    PARTNERS.iter().filter(named).collect()
}

/// Visits these screens and prints a row for each. Returns how many visits ended badly.
pub(super) fn check(franz: &Path, place: &Path, screens: &[&PartnerScreen]) -> Result<usize> {
    println!("| VNC server | version | picture | click | text | drag | stop |\n|---|---|---|---|---|---|---|");
    let mut bad = 0;
    for screen in screens {
        let own = place.join("runs").join(screen.name);
        let _ = std::fs::remove_dir_all(&own);
        std::fs::create_dir_all(&own).with_context(|| format!("cannot create {}", own.display()))?;
        let visited = screen
            .start(franz, &own)
            .and_then(|started| Visit::pay(franz, &own, &started));
        match visited {
            Ok(visit) => println!("| {} | {} | {visit} |", screen.name, screen.version()?),
            Err(why) => {
                bad += 1;
                println!(
                    "| {} | **badly**: {} | | | | | |",
                    screen.name,
                    format!("{why:#}").replace('\n', " ")
                );
            }
        }
    }
    Ok(bad)
}
