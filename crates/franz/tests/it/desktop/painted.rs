//! A window that a test paints step by step, by running Tcl in it.

use std::path::PathBuf;

use crate::desktop::stage::{Stage, until};

/// Runs each script that the test writes, paints the result and, once the X server has done so, removes the script.
const LOOP: &str = r"
wm title . Painted
wm geometry . 900x600+20+20
canvas .c -width 900 -height 600 -background white -highlightthickness 0
pack .c
set clicks 0
bind .c <Button-1> {incr clicks}
proc look {} {
    if {[file exists do.tcl]} {
        # Read what the X server has sent, so that a script sees every click before it.
        winfo pointerx .
        update
        source do.tcl
        update
        winfo pointerx .
        file delete do.tcl
    }
    after 20 look
}
look
";

pub(crate) struct Painted {
    directory: PathBuf,
}

impl Painted {
    /// Opens the window, runs a script in it, and waits until it has the keyboard focus.
    pub(crate) fn open(stage: &mut Stage, script: &str) -> Painted {
        let directory = stage.path("painted");
        std::fs::create_dir(&directory).unwrap();
        let file = directory.join("painted.tcl");
        std::fs::write(&file, format!("cd {}\n{LOOP}\n{script}", directory.display())).unwrap();
        stage.run("wish", &[file.to_str().unwrap()]);
        stage.client.focused("painted");
        let painted = Painted { directory };
        painted.does("");
        painted
    }

    /// Runs a script, and waits until its result is on the screen.
    pub(crate) fn does(&self, script: &str) {
        let (part, file) = (self.directory.join("do.part"), self.directory.join("do.tcl"));
        std::fs::write(&part, script).unwrap();
        std::fs::rename(part, &file).unwrap();
        until("the script has run", || (!file.exists()).then_some(()));
    }

    /// Returns the value of a Tcl expression.
    pub(crate) fn value(&self, expression: &str) -> String {
        let file = self.directory.join("value");
        let path = file.display();
        self.does(&format!(
            "set f [open {path} w]; puts -nonewline $f [expr {{{expression}}}]; close $f"
        ));
        std::fs::read_to_string(file).unwrap()
    }
}
