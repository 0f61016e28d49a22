//! Runs the measurements that the commands on stdin ask for.

mod curtain;
mod observer;
mod scene;
mod sheet;
mod stages;
mod test_pattern;
mod wallpaper;

use std::io::{self, Write};

use franz_screen::desktop::{Desktop, DesktopOptions, Pace};
use franz_screen::private_desktop::{self, PrivateDesktopOptions};
use franz_screen::{PrivateDesktop, Screen};

use crate::Failure;
use scene::Scene;
use sheet::Sheet;
use stages::{Eye, Stages, View};

/// Answers commands about turns on this desktop until there are no more.
pub(crate) fn answer(desktop: &str) -> Result<(), Failure> {
    let mut bench = Bench::of(desktop)?;
    let environment = bench.desktop.environment();
    let authority = environment.iter().find(|(name, _)| *name == "XAUTHORITY");
    println!("{} {}", bench.desktop.name(), authority.map_or("", |(_, file)| file));
    for line in io::stdin().lines() {
        let line = line?;
        match line.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["change"] => {
                bench.change()?;
                println!("changed");
            }
            ["desktop", width, height, marks] => {
                let size = (width.parse()?, height.parse()?);
                println!("{}", bench.turn(size, *marks == "classic")?);
            }
            ["canvas", directory] => println!("{}", bench.canvas(directory)?),
            ["show", file] => {
                std::fs::write(file, bench.last.as_ref().ok_or("there is no picture yet")?.png.as_ref())?;
                println!("shown");
            }
            _ => return Err(format!("not understood: {line}").into()),
        }
        io::stdout().flush()?;
    }
    Ok(())
}

struct Bench {
    scene: Box<dyn Scene>,
    screen: Desktop,
    eye: Eye,
    last: Option<View>,
    sheet: Option<Sheet>,
    desktop: Box<dyn PrivateDesktop>,
    _home: tempfile::TempDir,
}

impl Bench {
    fn of(name: &str) -> Result<Bench, Failure> {
        let (width, height) = scene::size(name);
        let mut desktop = private_desktop::start(&PrivateDesktopOptions {
            width,
            height,
            elements: false,
        })?;
        let home = tempfile::tempdir()?;
        let scene = scene::set(name, &mut *desktop, home.path())?;
        let options = DesktopOptions {
            monitor: None,
            region: None,
            cursor: true,
            pace: Pace::FAST,
        };
        Ok(Bench {
            screen: Desktop::new(desktop.open()?, options)?,
            scene,
            eye: Eye::default(),
            last: None,
            sheet: None,
            desktop,
            _home: home,
        })
    }

    /// Makes the whole desktop new to our screen.
    fn change(&mut self) -> Result<(), Failure> {
        self.scene.hide()?;
        self.screen.capture()?;
        self.scene.show()
    }

    fn turn(&mut self, size: (u32, u32), marked: bool) -> Result<Stages, Failure> {
        let mut stages = Stages::begin();
        let view = self.eye.look(&mut self.screen, size, marked, &mut stages)?;
        view.ask(&mut stages);
        self.last = Some(view);
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
