//! A turn without the model, measured as often as somebody asks on stdin; `cargo xtask bench turn` does, beside other programs.
//!
//! The first line on stdout tells the display and its authority file. Then each line on stdin is answered by one:
//!
//! | asked | answered |
//! |---|---|
//! | `change` | `changed`, once the desktop shows another text |
//! | `desktop WIDTH HEIGHT MARKS` | the microseconds of each stage and of the whole, and the bytes of the PNG file |
//! | `canvas DIRECTORY` | the same of a turn with eight drags that is recorded there |
#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "an example starts programs and writes files as anybody would"
)]

mod sheet;
mod stages;
mod test_pattern;

use std::error::Error;
use std::io::{self, Write};

use franz_screen::desktop::{Desktop, DesktopOptions, Pace};
use franz_screen::private_desktop;
use sheet::Sheet;
use stages::{Eye, Stages};
use test_pattern::TestPattern;

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let options = private_desktop::PrivateDesktopOptions {
        width: 1920,
        height: 1080,
    };
    let mut desktop = private_desktop::start(&options)?;
    let environment = desktop.environment();
    let authority = environment.iter().find(|(name, _)| *name == "XAUTHORITY");
    println!("{} {}", desktop.name(), authority.map_or("", |(_, file)| file));
    let mut pattern = TestPattern::on(&mut *desktop)?;
    let mut bench = Bench {
        screen: Desktop::new(
            desktop.open()?,
            DesktopOptions {
                monitor: None,
                region: None,
                cursor: true,
                pace: Pace::FAST,
            },
        )?,
        eye: Eye::default(),
        sheet: None,
    };
    for line in io::stdin().lines() {
        let line = line?;
        match line.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["change"] => {
                pattern.write()?;
                println!("changed");
            }
            ["desktop", width, height, marks] => {
                println!(
                    "{}",
                    bench.desktop((width.parse()?, height.parse()?), *marks == "classic")?
                );
            }
            ["canvas", directory] => println!("{}", bench.canvas(directory)?),
            _ => return Err(format!("not understood: {line}").into()),
        }
        io::stdout().flush()?;
    }
    Ok(())
}

struct Bench {
    screen: Desktop,
    eye: Eye,
    sheet: Option<Sheet>,
}

impl Bench {
    fn desktop(&mut self, size: (u32, u32), marked: bool) -> Result<Stages, Failure> {
        let mut stages = Stages::begin();
        let view = self.eye.look(&mut self.screen, size, marked, &mut stages)?;
        view.ask(&mut stages);
        Ok(stages)
    }

    fn canvas(&mut self, directory: &str) -> Result<Stages, Failure> {
        let sheet = match &mut self.sheet {
            Some(sheet) => sheet,
            none => none.insert(Sheet::new(directory.as_ref())?),
        };
        let mut stages = Stages::begin();
        sheet.turn(&mut stages)?;
        Ok(stages)
    }
}
