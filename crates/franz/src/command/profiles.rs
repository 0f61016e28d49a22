//! `franz profiles [NAME]`, `franz profiles --schema`

use std::io::Write;

use anyhow::Result;

use crate::config::profile::{BUILT_IN, BuiltIn};
use crate::config::schema::schema;
use crate::exit::Unusable;

pub(super) fn print(name: Option<&str>) -> Result<u8> {
    let mut out = std::io::stdout().lock();
    match name {
        None => {
            for profile in &BUILT_IN {
                writeln!(out, "{:<10} {}", profile.name, profile.summary())?;
            }
        }
        Some(name) => {
            let profile = BuiltIn::named(name)
                .ok_or_else(|| Unusable::usage(format!("there is no profile '{name}'; `franz profiles` lists them")))?;
            out.write_all(profile.text.as_bytes())?;
        }
    }
    Ok(0)
}

pub(super) fn print_schema() -> Result<u8> {
    writeln!(std::io::stdout(), "{:#}", schema())?;
    Ok(0)
}
