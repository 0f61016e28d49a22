//! Actions that take a while, so that something can happen in the middle of them.

use franz_demo::DemoHandle;

use crate::desktop::stage::Stage;
use crate::harness::{python, wait_until};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    Drag,
    /// Many chords, because each is held only for a moment.
    Chords,
    /// The same chords with a key that is given its symbol for each one.
    LentChords,
    Text,
    /// The same text just before its first character, when keys have been given other symbols and programs get time to
    /// notice.
    TextBegins,
    /// Keys that are held for a while.
    Hold,
    /// A button that an earlier action has left pressed.
    Kept,
}

impl Work {
    pub(crate) const ALL: [Work; 7] = [
        Work::Drag,
        Work::Chords,
        Work::LentChords,
        Work::Text,
        Work::TextBegins,
        Work::Hold,
        Work::Kept,
    ];

    /// Starts a model that requests this work once.
    pub(crate) fn model(self) -> DemoHandle {
        python(&[self.code(), "pass"])
    }

    fn code(self) -> &'static str {
        match self {
            Work::Drag => "drag(100, 100, 900, 900)",
            Work::Chords => "for n in range(400):\n    press('ctrl+shift+f9')",
            Work::LentChords => "for n in range(400):\n    press('ctrl+ж')",
            // No key has these characters, so keys are temporarily given other symbols.
            Work::Text | Work::TextBegins => "type('Grüße, 漢字 und Ωμέγα, ' * 40)",
            Work::Hold => "hold('ctrl+shift', 30)",
            Work::Kept => "mouse_down(300, 300)\nwait(30)",
        }
    }

    /// Waits until the work is well under way.
    pub(crate) fn wait(self, stage: &Stage) {
        let client = &stage.client;
        match self {
            Work::Drag => {
                wait_until("a drag", || (client.down().1 != 0).then_some(()));
                let began = client.pointer();
                wait_until("a movement", || (client.pointer() != began).then_some(()));
            }
            Work::Hold => wait_until("held keys", || (client.down().0.len() == 2).then_some(())),
            Work::Kept => wait_until("a held button", || (client.down().1 != 0).then_some(())),
            Work::Chords => wait_until("a chord", || (client.down().0.len() == 3).then_some(())),
            Work::LentChords | Work::TextBegins => {
                wait_until("a changed keyboard", || stage.has_changed_keys().then_some(()));
            }
            Work::Text => {
                Work::TextBegins.wait(stage);
                let events = stage.events();
                let mut count = 0;
                // Wait until just after a character for which a key was given another symbol, which is the worst
                // moment.
                wait_until("typing", || {
                    count += events.count();
                    (count > 16).then_some(())
                });
            }
        }
    }
}
