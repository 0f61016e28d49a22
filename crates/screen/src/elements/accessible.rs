//! One object of a program's accessibility tree, with its D-Bus queries.

use franz_frame::Area;
use serde::Serialize;
use serde::de::DeserializeOwned;
use zbus::{Connection, DynamicType, OwnedObjectPath, Type};

use super::role::Role;
use super::states::States;

const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
const COMPONENT: &str = "org.a11y.atspi.Component";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";

/// Coordinates are relative to the corner of the screen.
const OF_SCREEN: u32 = 0;

/// The relation between a field and the text next to it.
const LABELLED_BY: u32 = 2;

/// An object, identified by its owner's name on the bus and its path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Accessible {
    pub(super) owner: String,
    path: OwnedObjectPath,
}

/// Objects as programs report them.
type Objects = Vec<(String, OwnedObjectPath)>;

fn objects(told: Objects) -> Vec<Accessible> {
    told.into_iter()
        .map(|(owner, path)| Accessible { owner, path })
        .collect()
}

/// Returns an object's place, or `None` if it is outside any X screen, whose coordinates are 16-bit numbers.
fn placed((x, y, width, height): (i32, i32, i32, i32)) -> Option<Area> {
    const FARTHEST: i32 = 1 << 16;
    let is_on = |at: i32, length: i32| (-FARTHEST..FARTHEST).contains(&at) && (1..FARTHEST).contains(&length);
    (is_on(x, width) && is_on(y, height)).then_some(Area {
        x,
        y,
        width: width.cast_unsigned(),
        height: height.cast_unsigned(),
    })
}

impl Accessible {
    /// Returns the object whose children are the programs.
    pub(super) fn desktop() -> Option<Accessible> {
        Some(Accessible {
            owner: "org.a11y.atspi.Registry".to_owned(),
            path: OwnedObjectPath::try_from("/org/a11y/atspi/accessible/root").ok()?,
        })
    }

    async fn ask<T: DeserializeOwned + Type>(
        &self,
        bus: &Connection,
        interface: &str,
        what: &str,
        body: &(impl Serialize + DynamicType),
    ) -> zbus::Result<T> {
        let asked = bus.call_method(Some(self.owner.as_str()), &self.path, Some(interface), what, body);
        asked.await?.body().deserialize()
    }

    pub(super) async fn role(&self, bus: &Connection) -> zbus::Result<Role> {
        self.ask(bus, ACCESSIBLE, "GetRole", &()).await.map(Role)
    }

    pub(super) async fn states(&self, bus: &Connection) -> zbus::Result<States> {
        let numbers: Vec<u32> = self.ask(bus, ACCESSIBLE, "GetState", &()).await?;
        Ok(States::of(&numbers))
    }

    pub(super) async fn children(&self, bus: &Connection) -> zbus::Result<Vec<Accessible>> {
        self.ask(bus, ACCESSIBLE, "GetChildren", &()).await.map(objects)
    }

    pub(super) async fn place(&self, bus: &Connection) -> zbus::Result<Option<Area>> {
        let extents = self.ask(bus, COMPONENT, "GetExtents", &(OF_SCREEN,)).await?;
        Ok(placed(extents))
    }

    /// Returns a property, or `None` if it has another type.
    async fn property<T: TryFrom<zbus::OwnedVariant>>(&self, bus: &Connection, name: &str) -> zbus::Result<Option<T>> {
        let value: zbus::OwnedVariant = self.ask(bus, PROPERTIES, "Get", &(ACCESSIBLE, name)).await?;
        Ok(T::try_from(value).ok())
    }

    pub(super) async fn name(&self, bus: &Connection) -> zbus::Result<String> {
        Ok(self.property(bus, "Name").await?.unwrap_or_default())
    }

    pub(super) async fn description(&self, bus: &Connection) -> zbus::Result<String> {
        Ok(self.property(bus, "Description").await?.unwrap_or_default())
    }

    pub(super) async fn child_count(&self, bus: &Connection) -> zbus::Result<i32> {
        Ok(self.property(bus, "ChildCount").await?.unwrap_or_default())
    }

    /// Returns the text next to the object that serves as its name, if there is one.
    pub(super) async fn label(&self, bus: &Connection) -> zbus::Result<Option<String>> {
        let relations: Vec<(u32, Objects)> = self.ask(bus, ACCESSIBLE, "GetRelationSet", &()).await?;
        let mut labels = relations.into_iter().filter(|(kind, _)| *kind == LABELLED_BY);
        let label = labels.find_map(|(_, told)| objects(told).into_iter().next());
        match label {
            Some(label) => label.name(bus).await.map(Some),
            None => Ok(None),
        }
    }

    /// Returns the process that the object belongs to.
    pub(super) async fn process(&self, bus: &Connection) -> zbus::Result<u32> {
        let daemon = "org.freedesktop.DBus";
        let body = (self.owner.as_str(),);
        let asked = bus.call_method(
            Some(daemon),
            "/org/freedesktop/DBus",
            Some(daemon),
            "GetConnectionUnixProcessID",
            &body,
        );
        asked.await?.body().deserialize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_no_screen_has_are_none() {
        let area = Area {
            x: -5,
            y: 7,
            width: 20,
            height: 10,
        };
        assert_eq!(placed((-5, 7, 20, 10)), Some(area));
        for extents in [
            (0, 0, 0, 10),
            (0, 0, 10, -1),
            (i32::MAX, 0, 10, 10),
            (0, i32::MIN, 10, 10),
            (1, 1, i32::MAX, 10),
        ] {
            assert_eq!(placed(extents), None, "{extents:?}");
        }
    }
}
