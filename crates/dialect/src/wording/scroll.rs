//! How a dialect writes a scroll: a signed amount, or a direction with an amount.

use franz_action::Point;

use super::said::Said;
use super::{Call, CallArgs, Nth, Writer};
use crate::manner::{ScrollUnit, Swipe};
use crate::meaning::{Means, Wheel};

impl Writer<'_> {
    /// Writes a scroll, or returns `None` if the dialect cannot express it exactly.
    pub(super) fn scroll(&self, (dy, dx): (i32, i32), at: Option<Point>) -> Option<Call> {
        let rows = self.dialect.rows.iter();
        let mut offered = rows.filter_map(|row| Some((row.means, self.spelled(row)?)));
        offered.find_map(|(means, verb)| {
            let amount = match means {
                Means::Scroll(wheel) => self.turned(wheel, dy, dx)?,
                Means::Swipe => self.swiped(dy, dx)?,
                _ => return None,
            };
            let mut args = Vec::new();
            if let Some(at) = at {
                self.put(&mut args, self.wording.place, at, Nth::Only);
            }
            // In code, the amount comes first.
            let signed = self.wording.scroll.0.is_empty();
            let args = if signed { [amount, args] } else { [args, amount] };
            Some(Call {
                verb,
                args: args.concat(),
            })
        })
    }

    fn turned(&self, wheel: Wheel, dy: i32, dx: i32) -> Option<CallArgs> {
        let (direction, amount) = self.wording.scroll;
        let signed = |number: Said| Some(vec![(amount.unwrap_or("amount").to_owned(), number)]);
        match wheel {
            Wheel::Up if dx == 0 && dy != 0 => signed(self.mixed(-dy)),
            Wheel::Right if dy == 0 && dx != 0 => signed(self.mixed(dx)),
            Wheel::UpNotches if dx == 0 && dy != 0 => signed(self.amount(-dy)),
            Wheel::RightNotches if dy == 0 && dx != 0 => signed(self.amount(dx)),
            Wheel::Notches(usual) => {
                let (word, notches) = directed(dy, dx)?;
                let mut args = vec![(direction.to_owned(), Said::text(word))];
                match amount {
                    Some(amount) => args.push((amount.to_owned(), self.amount(notches))),
                    None if notches == usual => {}
                    None => return None,
                }
                Some(args)
            }
            _ => None,
        }
    }

    /// Writes a number of notches in the family's unit.
    fn amount(&self, notches: i32) -> Said {
        let pixels = self.manner.scroll == ScrollUnit::Pixels;
        let number = if pixels { notches * 100 } else { notches };
        Said::Bare(number.to_string())
    }

    /// Writes a number of notches in dialects where a hundred or more always means pixels.
    fn mixed(&self, notches: i32) -> Said {
        if notches.abs() >= 100 {
            return Said::Bare((notches * 100).to_string());
        }
        self.amount(notches)
    }

    /// Writes a swipe, which always has its usual length.
    fn swiped(&self, dy: i32, dx: i32) -> Option<CallArgs> {
        let sign = if self.manner.swipe == Swipe::Finger { -1 } else { 1 };
        let (word, notches) = directed(dy * sign, dx * sign)?;
        (notches == Wheel::USUAL).then(|| vec![("direction".to_owned(), Said::text(word))])
    }
}

/// Returns the direction and the notches of a scroll along one axis.
fn directed(dy: i32, dx: i32) -> Option<(&'static str, i32)> {
    match (dy, dx) {
        (0, 0) => None,
        (down, 0) => Some((if down < 0 { "up" } else { "down" }, down.abs())),
        (0, right) => Some((if right < 0 { "left" } else { "right" }, right.abs())),
        _ => None,
    }
}
