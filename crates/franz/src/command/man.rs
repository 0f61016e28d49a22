//! `franz man [COMMAND]`

use std::io::Write;

use anyhow::Result;
use clap::CommandFactory;
use clap_mangen::Man;

use crate::cli::Cli;
use crate::exit::Unusable;

pub(super) fn print(command: Option<&str>) -> Result<u8> {
    std::io::stdout().write_all(&page(command)?)?;
    Ok(0)
}

/// Returns the manual page of the program, or of one of its commands.
fn page(command: Option<&str>) -> Result<Vec<u8>> {
    let mut whole = Cli::command();
    whole.build();
    let shown = match command {
        None => whole,
        Some(name) => {
            let found = whole.find_subcommand(name).filter(|found| !found.is_hide_set());
            let none = || Unusable::usage(format!("there is no command {name}; `franz --help` lists them"));
            found.ok_or_else(none)?.clone()
        }
    };
    let mut text = Vec::new();
    Man::new(shown).render(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_unless_it_is_hidden() {
        let whole = String::from_utf8(page(None).unwrap()).unwrap();
        let command = Cli::command();
        let (hidden, shown): (Vec<_>, Vec<_>) = command.get_subcommands().partition(|one| one.is_hide_set());
        for name in shown.iter().map(|one| one.get_name()) {
            let own = String::from_utf8(page(Some(name)).unwrap()).unwrap();
            assert!(own.contains(&format!(".TH franz-{name} 1")), "{own}");
            assert!(
                whole.contains(&format!("franz\\-{}(1)", name.replace('-', "\\-"))),
                "{name}: {whole}"
            );
        }
        for name in hidden.iter().map(|one| one.get_name()) {
            assert!(
                page(Some(name)).is_err() && !whole.contains(&format!("franz\\-{name}(1)")),
                "{name}"
            );
        }
    }
}
