//! The pages on which tasks are played. Each paints every thing that a model looks for in a colour of its own, and
//! turns green when the task is done.

use super::picture::Rgb;

/// A task and its page.
pub(super) struct Page {
    pub(super) task: &'static str,
    pub(super) kind: Kind,
    body: &'static str,
}

/// The kind of task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Form,
    List,
    Pattern,
    Counter,
    Selection,
    Flash,
}

/// The colour of the whole page once the task is done.
pub(super) const DONE: Rgb = [0, 128, 64];
/// The colour of the control to click in order to continue: the button of a form, a list or a counter.
pub(super) const GO: Rgb = [30, 30, 200];
/// The colour of the bar that shows how much is left to do.
pub(super) const LEFT: Rgb = [200, 120, 20];

/// The strings to enter in the form's fields.
pub(super) const TEXTS: [&str; 4] = ["Ada Lovelace", "12 Park Street", "London", "ada@example.org"];
/// The dots of the pattern, in the order in which to join them.
pub(super) const PATTERN: [u8; 9] = [0, 1, 2, 5, 4, 3, 6, 7, 8];

/// Returns the colour of the item with this number.
pub(super) const fn numbered(number: u8) -> Rgb {
    [180, 10 + 20 * number, 60]
}

/// Returns the flash colour of the answer with this number.
pub(super) const fn flashed(number: u8) -> Rgb {
    [181, 10 + 20 * number, 61]
}

pub(super) static PAGES: [Page; 6] = [
    Page {
        task: "correct four fields of a form and send it",
        kind: Kind::Form,
        body: "
            texts.forEach((text, n) => {
                const row = add(document.body, 'p'), dot = add(row, 'i'), field = add(row, 'input');
                dot.style.background = numbered(n); field.value = 'to be replaced ' + n;
                field.oninput = () => dot.style.visibility = field.value === text ? 'hidden' : 'visible';
            });
            button(document.body, go).onclick = () => {
                if ([...document.querySelectorAll('input')].every((field, n) => field.value === texts[n])) done();
            };",
    },
    Page {
        task: "delete the marked entries of a list",
        kind: Kind::List,
        body: "
            for (let n = 0; n < 8; n++) {
                const row = add(document.body, 'p'), dot = add(row, 'i'), remove = add(row, 'button');
                const marked = n % 3 === 1 || n === 6;
                dot.style.background = marked ? numbered(n) : 'white';
                remove.textContent = 'Delete entry ' + n;
                remove.onclick = () => { row.remove(); if (!document.querySelector('.marked')) done(); };
                row.className = marked ? 'marked' : '';
            }",
    },
    Page {
        task: "join nine dots by one stroke",
        kind: Kind::Pattern,
        body: "
            let joined = null;
            for (let n = 0; n < 9; n++) {
                const dot = add(document.body, 'i'); dot.dataset.n = n;
                dot.style.cssText = `position:fixed; width:40px; height:40px; background:${numbered(n)}; ` +
                    `left:${100 + 150 * (n % 3)}px; top:${80 + 150 * Math.floor(n / 3)}px`;
            }
            const join = event => {
                const n = document.elementFromPoint(event.clientX, event.clientY)?.dataset.n;
                if (joined && n != null && !joined.includes(+n)) joined.push(+n);
            };
            onmousedown = event => { joined = []; join(event); event.preventDefault(); };
            onmousemove = join;
            onmouseup = event => { join(event); if (String(joined) === '0,1,2,5,4,3,6,7,8') done(); joined = null; };",
    },
    Page {
        task: "click a button seven times",
        kind: Kind::Counter,
        body: "
            let left = 7;
            const bar = add(document.body, 'i'), more = button(add(document.body, 'p'), go);
            const draw = () => { bar.style.cssText = `background:rgb(200,120,20); width:${left * 24}px; margin:40px`; };
            more.onclick = () => { left--; if (left) draw(); else done(); };
            draw();",
    },
    Page {
        task: "select three files at once, then confirm",
        kind: Kind::Selection,
        body: "
            let chosen = new Set();
            for (let n = 0; n < 3; n++) {
                const row = add(document.body, 'p'), dot = add(row, 'i');
                dot.style.background = numbered(n);
                row.append(' file ' + n);
                row.onclick = event => {
                    if (!event.ctrlKey) chosen.clear();
                    chosen.add(n);
                    document.querySelectorAll('p').forEach((row, n) => row.style.background = chosen.has(n) ? '#cde' : 'white');
                };
            }
            button(document.body, go).onclick = () => { if (chosen.size === 3) done(); };",
    },
    Page {
        task: "say which colour flashed for 0.4 seconds",
        kind: Kind::Flash,
        body: "
            let secret = 0;
            const start = button(document.body, go);
            const light = add(document.body, 'i');
            light.style.cssText = 'position:fixed; left:600px; top:200px; width:300px; height:200px';
            start.onclick = () => setTimeout(() => {
                secret = (secret + 1) % 3; light.style.background = `rgb(181, ${10 + 20 * secret}, 61)`;
                setTimeout(() => light.style.background = 'white', 400);
            }, 900);
            for (let n = 0; n < 3; n++) {
                const row = add(document.body, 'p'), answer = button(row, numbered(n));
                answer.onclick = () => { if (secret === n && light.style.background === 'white') done(); secret = 3; };
            }",
    },
];

impl Page {
    /// Returns the page as an HTML document.
    pub(super) fn html(&self) -> String {
        let texts = serde_json::json!(TEXTS);
        format!(
            "<!doctype html><meta charset=utf-8><title>Task</title><style>
            body {{ font: 18px sans-serif; background: white; margin: 30px }} p {{ margin: 0 0 12px; height: 44px }}
            i {{ display: inline-block; width: 30px; height: 30px }} input {{ width: 320px; font-size: 18px; margin-left: 20px }}
            button {{ font-size: 18px; height: 40px; min-width: 60px; margin-left: 20px; border: 0 }}
            </style><body></body><script>
            const texts = {texts}, go = 'rgb(30, 30, 200)';
            const numbered = n => `rgb(180, ${{10 + 20 * n}}, 60)`;
            const add = (parent, kind) => parent.appendChild(document.createElement(kind));
            const button = (parent, color) => {{ const made = add(parent, 'button'); made.style.background = color; return made; }};
            const done = () => {{ document.body.innerHTML = ''; document.documentElement.style.background = document.body.style.background = 'rgb(0, 128, 64)'; }};
            {}
            </script>",
            self.body
        )
    }
}
