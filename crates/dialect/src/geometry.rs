//! Geometry: the only code that turns the numbers written by a model into a point on the screen.

mod axes;
mod space;

use franz_action::{Action, Point};

pub use self::axes::Axes;
pub use self::space::Space;

/// A place as a model wrote it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spot {
    /// Two numbers, in the model's order of axes.
    Point([f64; 2]),
    /// The corners of a box, in the model's order of axes.
    Corners([f64; 4]),
    /// Two numbers that the model named x and y.
    Named([f64; 2]),
    /// The corners of a box whose numbers the model named, each as x and y.
    NamedCorners([f64; 4]),
}

impl Spot {
    pub(crate) fn numbers(&self) -> &[f64] {
        match self {
            Spot::Point(numbers) | Spot::Named(numbers) => numbers,
            Spot::Corners(numbers) | Spot::NamedCorners(numbers) => numbers,
        }
    }

    /// Returns the two numbers of a point, or the middle of a box, as the model wrote them or, if it named them, x
    /// before y.
    pub fn middle(&self) -> [f64; 2] {
        match *self {
            Spot::Point(point) | Spot::Named(point) => point,
            Spot::Corners([a, b, c, d]) | Spot::NamedCorners([a, b, c, d]) => {
                [f64::midpoint(a, c), f64::midpoint(b, d)]
            }
        }
    }

    /// Returns the middle as a model with this order of axes writes it without names.
    pub fn unnamed(&self, axes: Axes) -> [f64; 2] {
        match self.axes(axes) {
            order if order == axes => self.middle(),
            _ => axes.ordered(self.middle()),
        }
    }

    /// Returns the place with numbers that are named x and y.
    pub(crate) fn named(self) -> Spot {
        match self {
            Spot::Point(point) | Spot::Named(point) => Spot::Named(point),
            Spot::Corners(corners) | Spot::NamedCorners(corners) => Spot::NamedCorners(corners),
        }
    }

    /// Returns the order of the numbers if the model writes those without names in this order.
    fn axes(&self, unnamed: Axes) -> Axes {
        match self {
            Spot::Point(_) | Spot::Corners(_) => unnamed,
            Spot::Named(_) | Spot::NamedCorners(_) => Axes::Xy,
        }
    }
}

/// What a model's numbers mean on this screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Geometry {
    /// The coordinate space.
    pub space: Space,
    /// The order of a place's two numbers.
    pub axes: Axes,
    /// The width and height of the picture as the model saw it.
    pub picture: Option<(u32, u32)>,
    /// The width and height of the screen; `None` if they equal those of the picture.
    pub screen: Option<(u32, u32)>,
}

/// Why a place cannot be turned into a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// The coordinate space is unknown.
    #[error("the meaning of the numbers is unknown")]
    Unknown,
    /// The coordinate space depends on the picture's size, which is unknown.
    #[error("the meaning of the numbers depends on the size of the picture, which is unknown")]
    Unsized,
    /// A number is outside the range.
    #[error("the place is outside: x goes from 0 to {0} and y from 0 to {1}")]
    Outside(u32, u32),
    /// The point is in the padding that makes the picture square.
    #[error("the place is outside the picture: x goes from {0} to {1} and y from {2} to {3}")]
    Border(u32, u32, u32, u32),
    /// A number is a fraction although the model should write whole numbers.
    #[error("fractions are not used here: x goes from 0 to {0} and y from 0 to {1}")]
    Fractions(u32, u32),
    /// The box's second corner is not below and to the right of the first, in this order of axes.
    #[error("the second corner of the box is not beyond the first: a box is {}", .0.box_form())]
    Turned(Axes),
}

impl Geometry {
    /// Returns thousandths in the order x, y: the coordinates that FRANZ's own prompts use.
    pub const THOUSANDTHS: Geometry = Geometry {
        space: Space::Thousandths,
        axes: Axes::Xy,
        picture: None,
        screen: None,
    };

    /// Returns this geometry with a different space.
    #[must_use]
    pub fn counting(self, space: Space) -> Geometry {
        Geometry { space, ..self }
    }

    /// Returns the exact thousandths of a place.
    /// # Errors
    /// Fails if the place is outside the screen, if its box is turned, or if the meaning of its numbers is unknown. A
    /// place outside the screen is never moved to the edge.
    pub fn thousandths(&self, spot: &Spot) -> Result<[f64; 2], PlaceError> {
        let (width, height) = self.limits()?;
        let outside = |error: fn(u32, u32) -> PlaceError| {
            let [x, y] = self.last().unwrap_or([width, height]);
            error(x, y)
        };
        let axes = spot.axes(self.axes);
        if let Spot::Corners([a, b, c, d]) | Spot::NamedCorners([a, b, c, d]) = *spot
            && !(c > a && d > b)
            && (a, b) != (c, d)
        {
            return Err(PlaceError::Turned(axes));
        }
        let numbers = spot.numbers();
        let small = numbers.iter().all(|number| (0.0..=1.0).contains(number));
        if self.space != Space::Fractions && small && numbers.iter().any(|number| number.fract() != 0.0) {
            return Err(outside(PlaceError::Fractions));
        }
        for (number, limit) in numbers.iter().zip(axes.ordered([width, height]).into_iter().cycle()) {
            if !(0.0..=f64::from(limit)).contains(number) {
                return Err(outside(PlaceError::Outside));
            }
        }
        let [x, y] = axes.ordered(spot.middle());
        if self.space == Space::Letterboxed {
            self.check_border([x, y])?;
        }
        Ok(self.scaled(x, y))
    }

    /// Returns the point at a place.
    ///
    /// # Errors
    /// See [`Geometry::thousandths`].
    pub fn point(&self, spot: &Spot) -> Result<Point, PlaceError> {
        self.thousandths(spot).map(|[x, y]| Point::nearest(x, y))
    }

    /// Returns the numbers that mean this point, as the model would write them.
    pub fn written(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let picture = self.picture.unwrap_or((1, 1));
        let screen = self.screen.unwrap_or(picture);
        let axis = |value: f64, size: u32, screen: u32| match self.space {
            Space::Thousandths | Space::Unknown => value,
            Space::Parts1024 => value * 1.024,
            Space::Fractions => value / 1000.0,
            Space::Percent => value / 10.0,
            Space::Pixels => to_picture(value, size, screen),
            Space::Letterboxed => {
                let square = picture.0.max(picture.1);
                let pixel = to_picture(value, size, screen) + border(size, square);
                pixel / last(square) * 1000.0
            }
        };
        self.axes
            .ordered([axis(x, picture.0, screen.0), axis(y, picture.1, screen.1)])
    }

    /// Returns whether the model writes places exactly as an action's canonical text does.
    pub(crate) fn is_canonical(&self) -> bool {
        matches!(self.space, Space::Thousandths | Space::Unknown) && self.axes == Axes::Xy
    }

    /// Returns an action's canonical text, with places in the form in which this model writes them.
    pub fn spoken(&self, action: &Action) -> String {
        action.call(|at| self.pair(*at).join(", "))
    }

    /// Returns the two numbers of a point in the form in which this model writes them. Thousandths keep the point's
    /// decimals.
    pub fn pair(&self, at: Point) -> [String; 2] {
        match self.space {
            Space::Thousandths | Space::Unknown => self.axes.ordered([at.x.to_string(), at.y.to_string()]),
            Space::Pixels => self
                .written([at.x.get(), at.y.get()])
                .map(|pixel| (pixel.round() + 0.0).to_string()),
            Space::Fractions | Space::Percent | Space::Parts1024 | Space::Letterboxed => {
                let exact = self.written([at.x.get(), at.y.get()]);
                let rounded = |scale: f64| exact.map(|number| (number * scale).round() / scale);
                let reads_back = |pair: &[f64; 2]| self.point(&Spot::Point(*pair)) == Ok(at);
                let shortest = [1.0, 1e1, 1e2, 1e3].map(rounded).into_iter().find(reads_back);
                shortest
                    .unwrap_or_else(|| rounded(1e4))
                    .map(|number| number.to_string())
            }
        }
    }

    /// Returns the x and y of the bottom right corner, which all text written for a model gives as the ends of the
    /// axes. Returns `None` if the coordinate space is unknown.
    pub fn last(&self) -> Option<[u32; 2]> {
        let (width, height) = self.limits().ok()?;
        Some(match self.space {
            Space::Pixels => [width - 1, height - 1],
            _ => [width, height],
        })
    }

    /// Returns the names of a place's two numbers, written as a list.
    pub(crate) fn place_names(&self) -> &'static str {
        match self.axes {
            Axes::Xy => "[x, y]",
            Axes::Yx => "[y, x]",
        }
    }

    /// Returns how to write a place, with its range: `[x, y] from 0 to 1000`, `[x, y] up to [1343, 895]`.
    pub(crate) fn place_form(&self) -> String {
        let names = self.place_names();
        match self.last().map(|last| self.axes.ordered(last)) {
            None => names.to_owned(),
            Some([first, second]) if first == second => format!("{names} from 0 to {first}"),
            Some([first, second]) => format!("{names} up to [{first}, {second}]"),
        }
    }

    /// Returns the highest x and y that are valid.
    fn limits(&self) -> Result<(u32, u32), PlaceError> {
        match self.space {
            Space::Thousandths => Ok((1000, 1000)),
            Space::Parts1024 => Ok((1024, 1024)),
            Space::Fractions => Ok((1, 1)),
            Space::Percent => Ok((100, 100)),
            Space::Pixels => self.size(),
            Space::Letterboxed => self.size().map(|_| (1000, 1000)),
            Space::Unknown => Err(PlaceError::Unknown),
        }
    }

    fn size(&self) -> Result<(u32, u32), PlaceError> {
        let seen = self.picture.filter(|(w, h)| *w > 0 && *h > 0);
        seen.ok_or(PlaceError::Unsized)
    }

    /// Checks that a place in the padded square is in the picture and not in the border.
    fn check_border(&self, place: [f64; 2]) -> Result<(), PlaceError> {
        let (width, height) = self.size()?;
        let square = width.max(height);
        let ends = [width, height].map(|size| {
            let first = (border(size, square) - 0.5) / last(square) * 1000.0;
            let beyond = (border(size, square) + f64::from(size) - 0.5) / last(square) * 1000.0;
            (first.max(0.0), beyond.min(1000.0))
        });
        if place
            .iter()
            .zip(ends)
            .all(|(at, (low, high))| (low..=high).contains(at))
        {
            return Ok(());
        }
        let [x, y] = ends.map(|(low, high)| (low.ceil() as u32, high.floor() as u32));
        Err(PlaceError::Border(x.0, x.1, y.0, y.1))
    }

    fn scaled(&self, x: f64, y: f64) -> [f64; 2] {
        let picture = self.picture.unwrap_or((1, 1));
        let screen = self.screen.unwrap_or(picture);
        let axis = |number: f64, size: u32, screen: u32| match self.space {
            Space::Thousandths | Space::Unknown => number,
            Space::Parts1024 => number / 1.024,
            Space::Fractions => number * 1000.0,
            Space::Percent => number * 10.0,
            Space::Pixels => to_screen(number, size, screen),
            Space::Letterboxed => {
                let square = picture.0.max(picture.1);
                to_screen(number / 1000.0 * last(square) - border(size, square), size, screen)
            }
        };
        [axis(x, picture.0, screen.0), axis(y, picture.1, screen.1)]
    }
}

/// Returns the position in the picture, in fractional pixels, that shows these thousandths of the screen.
fn to_picture(thousandths: f64, size: u32, screen: u32) -> f64 {
    let pixel = thousandths / 1000.0 * f64::from(screen.saturating_sub(1));
    (pixel + 0.5) * f64::from(size) / f64::from(screen.max(1)) - 0.5
}

/// Returns the thousandths of the screen at the centre of one of the picture's pixels.
fn to_screen(pixel: f64, size: u32, screen: u32) -> f64 {
    let pixel = (pixel + 0.5) * f64::from(screen) / f64::from(size) - 0.5;
    // The outer half of a pixel at the edge still belongs to the screen.
    (pixel / last(screen) * 1000.0).clamp(0.0, 1000.0)
}

/// Returns the width of the border that pads a side to the square's length.
fn border(side: u32, square: u32) -> f64 {
    f64::from(square.saturating_sub(side)) / 2.0
}

/// Returns the index of a side's last pixel.
fn last(side: u32) -> f64 {
    f64::from(side.saturating_sub(1).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(picture: (u32, u32), screen: (u32, u32)) -> Geometry {
        Geometry {
            space: Space::Pixels,
            picture: Some(picture),
            screen: Some(screen),
            ..Geometry::THOUSANDTHS
        }
    }

    #[test]
    fn pixels_of_the_picture_become_pixels_of_the_screen() {
        let same = pixels((1920, 1080), (1920, 1080));
        for (x, y) in [(0, 0), (1919, 1079), (1, 1078), (960, 540)] {
            let point = same.point(&Spot::Point([f64::from(x), f64::from(y)])).unwrap();
            assert_eq!((point.x.to_pixel(1920), point.y.to_pixel(1080)), (x, y));
        }
        let large = pixels((1344, 896), (3840, 2160));
        for p in 0..1344 {
            let point = large.point(&Spot::Point([f64::from(p), 5.0])).unwrap();
            let wanted = (f64::from(p) + 0.5) * 3840.0 / 1344.0 - 0.5;
            assert!((f64::from(point.x.to_pixel(3840)) - wanted).abs() <= 1.0, "{p}");
        }
    }

    #[test]
    fn spaces_and_axes() {
        let fractions = Geometry::THOUSANDTHS.counting(Space::Fractions);
        assert_eq!(fractions.thousandths(&Spot::Point([0.5, 0.3])), Ok([500.0, 300.0]));
        let percent = Geometry::THOUSANDTHS.counting(Space::Percent);
        assert_eq!(percent.thousandths(&Spot::Point([43.0, 58.0])), Ok([430.0, 580.0]));
        let yx = Geometry {
            axes: Axes::Yx,
            ..Geometry::THOUSANDTHS
        };
        let spot = Spot::Corners([171.0, 75.0, 245.0, 308.0]);
        assert_eq!(yx.thousandths(&spot), Ok([191.5, 208.0]));
        let named = Spot::NamedCorners([171.0, 75.0, 245.0, 308.0]);
        assert_eq!(yx.thousandths(&named), Ok([208.0, 191.5]));
        let named = Spot::Named([5.0, 3.0]);
        assert_eq!(yx.thousandths(&named), Ok([5.0, 3.0]));
        let unnamed = [Axes::Xy, Axes::Yx].map(|axes| (named.unnamed(axes), Spot::Point([5.0, 3.0]).unnamed(axes)));
        assert_eq!(unnamed, [([5.0, 3.0], [5.0, 3.0]), ([3.0, 5.0], [5.0, 3.0])]);
    }

    #[test]
    fn a_picture_in_a_square_has_borders() {
        let boxed = pixels((1000, 600), (1000, 600)).counting(Space::Letterboxed);
        let middle = boxed.thousandths(&Spot::Point([500.0, 500.0])).unwrap();
        assert!(
            (middle[0] - 500.0).abs() < 0.5 && (middle[1] - 500.0).abs() < 0.5,
            "{middle:?}"
        );
        assert_eq!(boxed.point(&Spot::Point([500.0, 200.2])).unwrap().y.to_pixel(600), 0);
        assert_eq!(boxed.point(&Spot::Point([500.0, 799.8])).unwrap().y.to_pixel(600), 599);
        assert_eq!(
            boxed.point(&Spot::Point([500.0, 100.0])),
            Err(PlaceError::Border(0, 1000, 200, 800))
        );
        let upright = pixels((600, 1000), (600, 1000)).counting(Space::Letterboxed);
        let yx = Geometry {
            axes: Axes::Yx,
            ..upright
        };
        assert!(yx.point(&Spot::Point([100.0, 500.0])).is_ok());
        assert!(yx.point(&Spot::Point([500.0, 100.0])).is_err());
        let blind = Geometry { picture: None, ..boxed };
        assert_eq!(blind.point(&Spot::Point([5.0, 3.0])), Err(PlaceError::Unsized));
    }

    #[test]
    fn places_out_of_range_are_refused_and_never_clamped() {
        let thousandths = Geometry::THOUSANDTHS;
        let told = |spot| thousandths.point(&spot).unwrap_err();
        assert_eq!(told(Spot::Point([1001.0, 5.0])), PlaceError::Outside(1000, 1000));
        assert_eq!(told(Spot::Point([-1.0, -1.0])), PlaceError::Outside(1000, 1000));
        assert_eq!(told(Spot::Point([f64::NAN, 5.0])), PlaceError::Outside(1000, 1000));
        assert_eq!(told(Spot::Point([0.36, 0.9])), PlaceError::Fractions(1000, 1000));
        assert_eq!(told(Spot::Corners([9.0, 9.0, 5.0, 12.0])), PlaceError::Turned(Axes::Xy));
        assert!(thousandths.point(&Spot::Point([0.0, 1.0])).is_ok());
        assert!(thousandths.point(&Spot::Point([1000.0, 1000.0])).is_ok());
        assert!(thousandths.point(&Spot::Corners([5.0, 5.0, 5.0, 5.0])).is_ok());
        let seen = pixels((1428, 896), (1440, 900));
        assert_eq!(
            seen.point(&Spot::Point([1500.0, 3.0])),
            Err(PlaceError::Outside(1427, 895))
        );
        let blind = Geometry { picture: None, ..seen };
        assert_eq!(blind.point(&Spot::Point([5.0, 3.0])), Err(PlaceError::Unsized));
    }

    #[test]
    fn an_action_is_written_in_the_models_own_numbers() {
        let action = Action::drag(Point::nearest(250.0, 299.6), Point::clamped(1000, 0));
        let scroll = Action::Scroll {
            dy: -3,
            dx: 1,
            at: Some(Point::clamped(500, 250)),
        };
        let seen = |space| pixels((1344, 896), (1344, 896)).counting(space);
        let cases = [
            (
                Space::Thousandths,
                "drag(250, 299.6, 1000, 0)",
                "scroll(-3, 500, 250, dx=1)",
            ),
            (Space::Pixels, "drag(336, 268, 1343, 0)", "scroll(-3, 672, 224, dx=1)"),
            (
                Space::Fractions,
                "drag(0.25, 0.2996, 1, 0)",
                "scroll(-3, 0.5, 0.25, dx=1)",
            ),
            (Space::Percent, "drag(25, 29.96, 100, 0)", "scroll(-3, 50, 25, dx=1)"),
        ];
        for (space, dragged, scrolled) in cases {
            assert_eq!(seen(space).spoken(&action), dragged);
            assert_eq!(seen(space).spoken(&scroll), scrolled);
        }
        let yx = Geometry {
            axes: Axes::Yx,
            ..Geometry::THOUSANDTHS
        };
        assert_eq!(yx.spoken(&scroll), "scroll(-3, 250, 500, dx=1)");
        assert_eq!(yx.spoken(&Action::typing("a".to_owned())), "type(\"a\")");
    }

    #[test]
    fn what_is_written_reads_back() {
        for (_, space) in Space::NAMES.into_iter().filter(|(_, space)| *space != Space::Unknown) {
            let geometry = pixels((1344, 896), (3840, 2160)).counting(space);
            let written = geometry.written([250.0, 700.5]);
            let [x, y] = geometry.thousandths(&Spot::Point(written)).unwrap();
            assert!((x - 250.0).abs() < 1e-6 && (y - 700.5).abs() < 1e-6, "{space:?}");
        }
    }
}
