//! Builds the archives that users get: for each system, one with the program, its documents and other files, and its
//! bill of materials.

mod archive;
mod bill;
mod contents;
mod licences;
mod program;
mod publish;
mod trial;

use std::fs;

use anyhow::{Context, Result};

use crate::deny;
use crate::process::target;
use archive::Kind;

/// Checks dependencies and packages, builds the program for each system, packs it, and tests the packed program.
pub(crate) fn make() -> Result<()> {
    deny::check()?;
    publish::check()?;
    let folder = target()?.join("dist");
    if folder.is_dir() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(&folder)?;
    let linux = program::linux()?;
    let programs = [
        (&linux, Kind::TarGz),
        (&program::arm()?, Kind::TarGz),
        (&program::windows()?, Kind::Zip),
    ];
    let common = contents::common(&linux.file)?;
    let mut sums = String::new();
    for (program, kind) in programs {
        let name = format!("franz-{}-{}", env!("CARGO_PKG_VERSION"), program.system);
        let files = contents::with_program(&common, program)?;
        let bytes = archive::pack(kind, &name, &files)?;
        let path = folder.join(format!("{name}.{}", kind.extension()));
        fs::write(&path, &bytes)?;
        sums += &archive::sum_line(&bytes, &path);
        let bill = bill::of(program.triple)?;
        let bill_path = folder.join(format!("{name}.cdx.json"));
        fs::write(&bill_path, &bill)?;
        sums += &archive::sum_line(&bill, &bill_path);
        archive::unpack(kind, &bytes, &folder.join("unpacked"))?;
        eprintln!("{}: {} bytes", path.display(), bytes.len());
    }
    fs::write(folder.join("SHA256SUMS"), sums)?;
    trial::all(&folder.join("unpacked"))
}
