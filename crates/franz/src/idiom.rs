//! How a run's model writes calls: its family, which is chosen before the first request, and what its numbers mean on
//! this screen.

mod bound;
mod choice;
#[cfg(test)]
mod echoes;
mod mistakes;
mod part;
mod prompt;
#[cfg(test)]
mod ranges;
#[cfg(test)]
mod snapshots;

use anyhow::Result;
use franz_action::{Point, ToolSet};
use franz_dialect::family::CallChannel;
use franz_dialect::{Axes, Family, FamilyProtocol, Geometry, NO_FUNCTIONS, OwnForm, Protocol, Space};
use franz_record::ReadAs;

use crate::config::settings::Settings;
use crate::exit::Unusable;
use crate::families;
pub(crate) use bound::Bound;
pub(crate) use choice::{choose, picture};
pub(crate) use mistakes::prompt_mistakes;
use prompt::Places;
pub(crate) use prompt::coordinates;

/// The value of the setting that lets the model's name decide.
const AUTO: &str = "auto";
/// The family whose calls have FRANZ's own form.
const OWN: &str = "franz";

/// How a model writes calls for a screen.
#[derive(Clone, Debug)]
pub(crate) struct Idiom {
    pub(crate) family: Family,
    /// The meaning of its numbers, if a calibration contradicts the family.
    pub(crate) measured: Option<Measured>,
    /// The width and height of the screen.
    pub(crate) screen: (u32, u32),
    /// The pointer's position, from which some dialects drag; `None` if it is unknown.
    pub(crate) pointer: Option<Point>,
}

/// The meaning of the numbers according to a calibration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measured {
    pub(crate) geometry: Geometry,
    /// The size of the pictures used in the calibration; `None` means that the result applies to all sizes.
    pub(crate) sent: Option<(u32, u32)>,
}

impl Measured {
    /// Returns the meaning of the numbers in a picture of this size. `None` if that size was not measured, because a
    /// server might resize another size differently.
    fn on(&self, picture: (u32, u32)) -> Option<Geometry> {
        match self.sent {
            Some(sent) if sent != picture && self.geometry.space == Space::Pixels => None,
            Some(_) if self.geometry.space != Space::Pixels => Some(Geometry {
                picture: Some(picture),
                ..self.geometry
            }),
            _ => Some(self.geometry),
        }
    }
}

/// A choice of family, and a sentence that explains it, if it needs one.
pub(crate) struct Decided {
    pub(crate) family: Family,
    pub(crate) why: Option<String>,
}

/// Chooses a model's family: the one named in the settings, the one that fits the model's ID, or else FRANZ's own
/// forms.
pub(crate) fn decide(setting: &str, model: &str) -> Result<Decided> {
    if setting != AUTO {
        let family = families::named(setting)?;
        return Ok(Decided { family, why: None });
    }
    if let Some(family) = families::fitting(model)? {
        let why = (family.name != OWN).then(|| {
            let counts = match family.space {
                Space::Unknown => "the unit of its coordinates must be measured".to_owned(),
                space => format!("its coordinates are {}", space.name()),
            };
            format!(
                "'{model}' belongs to the {} family: it speaks {}, and {counts}",
                family.name, family.dialect.name
            )
        });
        return Ok(Decided { family, why });
    }
    let why = format!(
        "no family fits '{model}', so FRANZ asks it for FRANZ's own calls; name its family with --family (franz models lists them), or measure how it points with franz calibrate"
    );
    Ok(Decided {
        family: Family::franz(),
        why: Some(why),
    })
}

impl Decided {
    /// Lets a model name targets for the grounder, unless the person chose its family. Only FRANZ's own calls can name
    /// targets.
    pub(crate) fn with_grounder(self, settings: &Settings) -> Decided {
        if settings.grounder.upstream.is_none() || self.family.dialect.is_own() {
            return self;
        }
        let name = &self.family.name;
        if settings.model.family != AUTO {
            let why = format!("calls of the {name} family cannot name targets, so the grounder is not used");
            return Decided { why: Some(why), ..self };
        }
        Decided {
            why: Some(format!(
                "using FRANZ's own calls instead of those of the {name} family, so that the model can name targets"
            )),
            family: self.family.speaking_own(),
        }
    }
}

impl Idiom {
    /// Returns the size of the picture that the model gets: the configured size, or a smaller one if the family's
    /// models would otherwise resize it.
    pub(crate) fn picture(&self, settings: &Settings) -> (u32, u32) {
        self.family.picture.fitted(settings.image.size())
    }

    /// Returns the meaning of the model's numbers.
    pub(crate) fn geometry(&self, settings: &Settings) -> Geometry {
        let picture = self.picture(settings);
        let measured = self.measured.and_then(|measured| measured.on(picture));
        measured.unwrap_or_else(|| self.family.geometry(Some(picture), Some(self.screen)))
    }

    /// Returns, for the record, how to read replies to a request with these settings; `None` for FRANZ's own forms in
    /// thousandths.
    pub(crate) fn record(&self, settings: &Settings) -> Option<ReadAs> {
        let geometry = self.geometry(settings);
        let plain = self.family.name == OWN && (geometry.space, geometry.axes) == (Space::Thousandths, Axes::Xy);
        let size = |size: Option<(u32, u32)>| size.map_or([0; 2], |(width, height)| [width, height]);
        (!plain).then(|| ReadAs {
            family: self.family.name.clone(),
            space: geometry.space.name().to_owned(),
            axes: geometry.axes.name().to_owned(),
            picture: size(geometry.picture),
            screen: size(geometry.screen),
        })
    }

    /// Returns the idiom of a recorded reply, which can differ from that of the current model. If this version of FRANZ
    /// does not know its coordinate space, the idiom reads no coordinates.
    pub(crate) fn of(&self, recorded: Option<&ReadAs>) -> Idiom {
        let family = |name: &str| {
            let other = Some(name).filter(|name| *name != self.family.name);
            other.map_or_else(
                || self.family.clone(),
                |name| Family::named(name).unwrap_or_else(Family::franz),
            )
        };
        let Some(recorded) = recorded else {
            return Idiom {
                family: family(OWN),
                measured: None,
                screen: self.screen,
                pointer: self.pointer,
            };
        };
        let space = Space::NAMES.iter().find(|(name, _)| *name == recorded.space);
        let axes = Axes::NAMES.iter().find(|(name, _)| *name == recorded.axes);
        let size = |[width, height]: [u32; 2]| (width > 0 && height > 0).then_some((width, height));
        Idiom {
            family: family(&recorded.family),
            measured: Some(Measured {
                geometry: Geometry {
                    space: space.map_or(Space::Unknown, |(_, space)| *space),
                    axes: axes.map_or(Axes::Xy, |(_, axes)| *axes),
                    picture: size(recorded.picture),
                    screen: size(recorded.screen),
                },
                sent: None,
            }),
            screen: self.screen,
            pointer: self.pointer,
        }
    }

    /// Returns the protocol that reads replies.
    pub(crate) fn protocol(&self, settings: &Settings) -> Box<dyn Protocol> {
        let geometry = self.geometry(settings);
        let own = settings.protocol(self.tools(settings), geometry);
        let own_form = settings.own_form();
        if own_form == OwnForm::Python {
            return own;
        }
        let tools = self.tools(settings);
        let channel = self.channel(settings);
        let examples = prompt::examples(&part::composed(settings), &channel, &tools);
        let schema = match channel {
            Channel::Own => own.schema(),
            Channel::Native(schema) => Some(schema),
            Channel::Text | Channel::OwnText => (own_form == OwnForm::Tools).then(|| NO_FUNCTIONS.to_owned()),
        };
        Box::new(FamilyProtocol {
            own,
            own_form,
            calls: settings.protocol.calls,
            family: self.family.clone(),
            geometry,
            pointer: self.pointer,
            examples,
            schema,
            tools,
        })
    }

    /// Returns the system prompt with all placeholders filled in.
    pub(crate) fn system_prompt(&self, settings: &Settings, goal: &str) -> String {
        let places = Places {
            idiom: self,
            geometry: self.geometry(settings),
            channel: self.channel(settings),
            tools: self.tools(settings),
            elements: settings.tells_elements(),
            form: settings.own_form(),
            calls: settings.protocol.calls,
            goal,
        };
        places.fill(&part::composed(settings))
    }

    /// Returns the number that the family sets for the model under this name.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        let value = self.family.model.get(name)?;
        value
            .as_float()
            .or_else(|| value.as_integer().map(|whole| whole as f64))
    }

    /// Returns the tools that are switched on. In FRANZ's own calls, tools accept targets if there is a grounder, and
    /// elements if the model is told about them.
    fn tools(&self, settings: &Settings) -> ToolSet {
        let tools = settings.tools();
        if !self.family.dialect.is_own() {
            return tools;
        }
        let tools = if settings.tells_elements() {
            tools.with_elements()
        } else {
            tools
        };
        if settings.grounder.upstream.is_some() {
            tools.with_targets()
        } else {
            tools
        }
    }

    /// Returns the tools that are on but missing from the model's dialect. A dialect without a call for looking uses
    /// its call for waiting instead.
    pub(crate) fn wordless(&self, settings: &Settings) -> Vec<&'static str> {
        let geometry = self.geometry(settings);
        if geometry.space == Space::Unknown || !matches!(self.channel(settings), Channel::Text) {
            return Vec::new();
        }
        let tools = settings.tools().sorted().into_iter().map(|tool| tool.name);
        let is_looking = |name: &str| matches!(name, "observe" | "screenshot");
        let has_word = |name: &str| !self.family.verbs(&ToolSet::of([name]), &geometry).is_empty();
        tools.filter(|name| !is_looking(name) && !has_word(name)).collect()
    }

    /// Refuses a tool that the person switched on but the family has no call for; `is_own` says whether the person set
    /// a key. A tool that a profile switches on for all models is simply left out.
    pub(crate) fn refuse_wordless(&self, settings: &Settings, is_own: impl Fn(&str) -> bool) -> Result<()> {
        if matches!(self.channel(settings), Channel::Own | Channel::OwnText) {
            return Ok(());
        }
        let lacking = self.family.lacks(&settings.tools()).into_iter();
        let keys = lacking.map(|tool| format!("protocol.tools.{}", tool.name));
        let keys: Vec<String> = keys.filter(|key| is_own(key)).collect();
        if keys.is_empty() {
            return Ok(());
        }
        let (keys, name, dialect) = (keys.join(", "), &self.family.name, self.family.dialect.name);
        let why = format!(
            "{keys}: models of the {name} family have no call for it in their dialect, {dialect}; switch it off, or ask \
             for FRANZ's own calls with --family franz"
        );
        Err(Unusable::usage(why).into())
    }

    /// Returns the form of calls that the prompt asks for.
    fn channel(&self, settings: &Settings) -> Channel {
        let form = settings.own_form();
        let in_text = self.family.calls == CallChannel::Text || settings.calls_in_text();
        if self.family.dialect.is_own() && form == OwnForm::Tools && in_text {
            return Channel::OwnText;
        }
        if self.family.dialect.is_own() || self.family.dialect.is_read_only() || form == OwnForm::Python {
            return Channel::Own;
        }
        let native = form == OwnForm::Tools && !in_text;
        let schema = native
            .then(|| self.family.schema(&settings.tools(), &self.geometry(settings)))
            .flatten();
        schema.map_or(Channel::Text, Channel::Native)
    }
}

/// The form of calls that the prompt asks for.
enum Channel {
    /// In FRANZ's own form.
    Own,
    /// As calls of FRANZ's own functions, described and written in the text, because the server's template drops
    /// function definitions.
    OwnText,
    /// As calls of the family's own function, described by this array.
    Native(String),
    /// In the text, in the family's dialect.
    Text,
}

impl Channel {
    /// Checks whether the model writes calls in its text, as the prompt shows.
    fn is_text(&self) -> bool {
        matches!(self, Channel::Text | Channel::OwnText)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_calibration_applies_only_to_its_picture_size() {
        let measured = |space| Measured {
            geometry: Geometry {
                space,
                axes: Axes::Yx,
                picture: Some((1316, 868)),
                screen: Some((1920, 1080)),
            },
            sent: Some((1344, 896)),
        };
        let pixels = measured(Space::Pixels);
        assert_eq!(pixels.on((1344, 896)), Some(pixels.geometry));
        assert_eq!(pixels.on((1120, 672)), None);
        let thousandths = measured(Space::Thousandths).on((1120, 672)).unwrap();
        assert_eq!((thousandths.axes, thousandths.picture), (Axes::Yx, Some((1120, 672))));
        let recorded = Measured { sent: None, ..pixels };
        assert_eq!(recorded.on((1120, 672)), Some(pixels.geometry));
    }
}
