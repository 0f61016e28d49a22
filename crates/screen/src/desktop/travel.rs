//! The way of the pointer from one position to another, in steps.

/// A position on the desktop, in pixels.
type Pixel = (i32, i32);

/// A movement of the pointer the way a hand does it: slow, fast, slow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Travel {
    from: Pixel,
    to: Pixel,
    steps: u32,
    done: u32,
}

impl Travel {
    pub(super) fn new(from: Pixel, to: Pixel, steps: u32) -> Travel {
        Travel {
            from,
            to,
            steps: steps.max(1),
            done: 0,
        }
    }

    /// Returns the position after the next step, or `None` at the end.
    pub(super) fn ahead(&self) -> Option<Pixel> {
        (self.done < self.steps).then(|| self.after(self.done + 1))
    }

    /// Takes the next step.
    pub(super) fn go_on(&mut self) {
        self.done += 1;
    }

    /// Returns whether any step has been taken.
    pub(super) fn has_begun(&self) -> bool {
        self.done > 0
    }

    /// Returns the current position.
    pub(super) fn at(&self) -> Pixel {
        self.after(self.done)
    }

    /// Returns whether this movement leads from one position, where it was broken off, to the other. Some systems round
    /// the pointer's position.
    pub(super) fn leads(&self, here: Option<Pixel>, to: Pixel) -> bool {
        let (x, y) = self.at();
        self.to == to && here.is_some_and(|here| here.0.abs_diff(x) <= 1 && here.1.abs_diff(y) <= 1)
    }

    /// Returns the position after so many steps, by the smoothstep `t * t * (3 - 2 * t)` of the distance.
    fn after(&self, steps: u32) -> Pixel {
        let t = f64::from(steps) / f64::from(self.steps);
        let way = t * t * (3.0 - 2.0 * t);
        let at = |from: i32, to: i32| (f64::from(from) + (f64::from(to) - f64::from(from)) * way).round() as i32;
        (at(self.from.0, self.to.0), at(self.from.1, self.to.1))
    }
}
