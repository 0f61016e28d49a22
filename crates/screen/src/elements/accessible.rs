//! One object of a program's tree of accessible objects, and what it can be asked over D-Bus.

use franz_frame::Area;
use serde::Serialize;
use serde::de::DeserializeOwned;
use zbus::{Connection, DynamicType, OwnedObjectPath, Type};

use super::role::{Role, States};

const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
const COMPONENT: &str = "org.a11y.atspi.Component";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";

/// Coordinates count from the corner of the screen.
const OF_SCREEN: u32 = 0;

/// The relation of a field to the text beside it.
const LABELLED_BY: u32 = 2;

/// An object by its owner's name on the bus and its path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Accessible {
    pub(super) owner: String,
    path: OwnedObjectPath,
}

/// Objects as programs tell them.
type Objects = Vec<(String, OwnedObjectPath)>;

fn objects(told: Objects) -> Vec<Accessible> {
    told.into_iter()
        .map(|(owner, path)| Accessible { owner, path })
        .collect()
}

impl Accessible {
    /// The object whose children are the programs.
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
        let (x, y, width, height): (i32, i32, i32, i32) = self.ask(bus, COMPONENT, "GetExtents", &(OF_SCREEN,)).await?;
        let is_place = width > 0 && height > 0 && x > i32::MIN / 2 && y > i32::MIN / 2;
        Ok(is_place.then_some(Area {
            x,
            y,
            width: width.cast_unsigned(),
            height: height.cast_unsigned(),
        }))
    }

    /// Returns a property; `None` if it is not of this type.
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

    /// Returns the name of the text beside it that names it, if there is one.
    pub(super) async fn label(&self, bus: &Connection) -> zbus::Result<Option<String>> {
        let relations: Vec<(u32, Objects)> = self.ask(bus, ACCESSIBLE, "GetRelationSet", &()).await?;
        let mut labels = relations.into_iter().filter(|(kind, _)| *kind == LABELLED_BY);
        let label = labels.find_map(|(_, told)| objects(told).into_iter().next());
        match label {
            Some(label) => label.name(bus).await.map(Some),
            None => Ok(None),
        }
    }

    /// Returns the process that it belongs to.
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
