//! Drags along a path of points.

use franz_action::{Action, Path, Tool};
use franz_python::Arg;

use super::{BindError, MOST_POINTS};
use crate::geometry::{Geometry, Spot};

/// The possible names of the argument that gives a path's points, with the offered name first.
pub(super) const PATHS: [&str; 2] = ["points", "path"];

/// Returns a drag along these points.
pub(super) fn along(tool: &'static Tool, points: &[Arg], geometry: &Geometry) -> Result<Action, BindError> {
    let wrong = |why: &dyn std::fmt::Display| BindError::Value(format!("{}(): {why}", tool.name));
    if points.len() > MOST_POINTS {
        return Err(wrong(&format!(
            "a path can have at most {MOST_POINTS} points, not {}",
            points.len()
        )));
    }
    let point = |point: &Arg| {
        let numbers = match point {
            Arg::Sequence(_, numbers) => numbers.iter().map(Arg::number).collect::<Option<Vec<f64>>>(),
            _ => None,
        };
        let Some([first, second]) = numbers.as_deref() else {
            return Err(wrong(&"each point of a path is two numbers: points=[[x, y], [x, y]]"));
        };
        let point = geometry.point(&Spot::Point([*first, *second]));
        point.map_err(|error| wrong(&error))
    };
    let points = points.iter().map(point).collect::<Result<_, _>>()?;
    let path = Path::along(points).ok_or_else(|| wrong(&format!("{ONE_POINT}: points=[[x, y], [x, y]]")))?;
    Ok(Action::Drag(path))
}

/// Tells the model that a drag needs more than one point.
pub(crate) const ONE_POINT: &str = "a drag needs two or more points";
