//! Stored calibrations: a file for each server and model, with an entry for each size of picture.

mod entry;
mod folder;

use std::collections::BTreeMap;

use franz_dialect::Space;
use franz_dialect::calibration::Decision;
use serde::{Deserialize, Serialize};

use self::entry::Entry;
pub(crate) use self::folder::forget;
use super::calibrated::{Calibrated, NotUsed};
use super::cost::Cost;
use super::served_model::{ModelHome, ServedModel};
use crate::config::layer::Layer;
use crate::config::origin::Origin;
use crate::state_folder::StateError;
use crate::terminal::one_line;

/// The settings that are remembered for a model.
const SETTINGS: [&str; 9] = [
    "memory.empty_story",
    "memory.most_screenshots",
    "memory.shape",
    "model.calls",
    "model.constrain",
    "model.limit_field",
    "model.send_sampling",
    "model.stream",
    "model.stream_usage",
];

/// The contents of a file.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    server: ModelHome,
    model: String,
    #[serde(default)]
    pictures: BTreeMap<String, Entry>,
    /// Settings without which the server refuses requests, by key.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    settings: toml::Table,
}

impl Calibrated {
    /// Returns the stored calibration for a model, its family and pictures of this size. For other sizes, the newest one
    /// applies, unless its numbers are pixels or the family's calibrations disagree.
    ///
    /// # Errors If the stored calibration cannot be used: FRANZ tells the person, and the run continues as if there
    /// were none.
    pub(crate) fn find(model: &ServedModel, family: &str, picture: (u32, u32)) -> Result<Option<Calibrated>, NotUsed> {
        let Some(stored) = folder::look_up(model)? else {
            return Ok(None);
        };
        stored.find(family, picture)
    }
}

impl ServedModel {
    /// Returns the settings without which the model's server refuses requests.
    pub(crate) fn settings(&self) -> Result<Layer, NotUsed> {
        let Some(stored) = folder::look_up(self)? else {
            return Ok(Layer::default());
        };
        let text = toml::to_string(&stored.settings).unwrap_or_default();
        let layer = Layer::parse(&text, &Origin::Learned).map_err(|error| NotUsed::Settings(error.to_string()))?;
        Ok(layer.part(|name| SETTINGS.contains(&name)))
    }

    /// Remembers settings that helped.
    pub(crate) fn keep_settings(&self, helped: &Layer) -> Result<(), StateError> {
        if self.server == ModelHome::record() {
            return Ok(());
        }
        let helped = helped.part(|name| SETTINGS.contains(&name));
        folder::change(self, |stored| {
            let values = helped.iter().map(|(name, value)| (name.clone(), value.clone()));
            stored.settings.extend(values);
        })?;
        Ok(())
    }
}

/// Stores the decision and returns where it is stored.
pub(super) fn store(
    model: &ServedModel,
    picture: (u32, u32),
    decision: &Decision,
    cost: &Cost,
    family: &str,
) -> Result<String, StateError> {
    folder::change(model, |stored| {
        let entry = Entry::new(decision, cost, family);
        stored.pictures.insert(written(picture), entry);
    })
}

impl Stored {
    fn new(model: &ServedModel) -> Stored {
        Stored {
            server: model.server.clone(),
            model: model.name.clone(),
            pictures: BTreeMap::new(),
            settings: toml::Table::new(),
        }
    }

    /// Parses a file that should be about this model. The error names the mistake in the file.
    fn parse(text: &str, model: &ServedModel) -> Result<Stored, String> {
        let stored: Stored = toml::from_str(text).map_err(|error| with_line(text, &error))?;
        stored.check(model).map(|()| stored)
    }

    fn find(&self, family: &str, picture: (u32, u32)) -> Result<Option<Calibrated>, NotUsed> {
        let size = written(picture);
        let (own, foreign): (Vec<_>, Vec<_>) = self.pictures.iter().partition(|(_, entry)| entry.family == family);
        if let Some((_, entry)) = own.iter().find(|(of, _)| **of == size) {
            return Ok(entry.calibrated());
        }
        let Some((_, newest)) = own.iter().max_by_key(|(_, entry)| &entry.date) else {
            let Some((_, entry)) = foreign.first() else {
                return Ok(None);
            };
            return Err(NotUsed::OtherFamily {
                family: family.to_owned(),
                calibrated: one_line(&entry.family),
            });
        };
        let others: Vec<&str> = own.iter().map(|(of, _)| of.as_str()).collect();
        let others = others.join(", ");
        if own.iter().any(|(_, entry)| !entry.agrees(newest)) {
            return Err(NotUsed::Disagreement { size, others });
        }
        match newest.calibrated() {
            Some(found) if found.coordinates.space == Space::Pixels => Err(NotUsed::OtherSize { size, others }),
            found => Ok(found),
        }
    }

    /// Checks that the file is about this model, and that its entries are plausible.
    fn check(&self, model: &ServedModel) -> Result<(), String> {
        if (&self.server, &self.model) != (&model.server, &model.name) {
            return Err(format!("it is for {} on {}", self.model, self.server));
        }
        self.pictures
            .iter()
            .try_for_each(|(size, entry)| entry.check(size).map_err(|why| format!("pictures.{size}: {why}")))
    }
}

/// Adds the line number to an error.
fn with_line(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().and_then(|span| text.get(..span.start));
    let line = line.map_or(1, |before| before.matches('\n').count() + 1);
    format!("line {line}: {}", error.message())
}

/// Formats a size as in the files.
fn written((width, height): (u32, u32)) -> String {
    format!("{width}x{height}")
}

#[cfg(test)]
mod tests {
    use franz_chat::Endpoint;

    use super::*;

    fn model() -> ServedModel {
        ServedModel {
            server: ModelHome::server(&"http://127.0.0.1:1234".parse::<Endpoint>().unwrap()),
            name: "ui-tars".to_owned(),
        }
    }

    fn stored(pictures: &str) -> Result<Stored, String> {
        let text = format!("server = \"http://127.0.0.1:1234\"\nmodel = \"ui-tars\"\n{pictures}");
        Stored::parse(&text, &model())
    }

    fn entry(size: &str, space: &str, of: &str) -> String {
        format!(
            "[pictures.{size}]\ndate = \"2026-11-23\"\nfamily = \"ui-tars\"\nspace = \"{space}\"\naxes = \"xy\"\n{of}\nmedian = [4.0, 3.0, 6.0]\nninety = [7.0, 5.0, 11.0]\nhits = 6\n"
        )
    }

    #[test]
    fn the_calibration_for_a_picture_size_is_found_and_described() {
        let both = entry("1344x896", "pixels", "of = [1316, 896]") + &entry("512x288", "pixels", "of = [500, 281]");
        let found = stored(&both).unwrap().find("ui-tars", (1344, 896)).unwrap().unwrap();
        assert_eq!(found.coordinates.of, Some([1316.0, 896.0]));
        assert_eq!(
            found.sentence,
            "calibrated on 2026-11-23: pixels of 1316x896 (x, y) (median error 4 px)"
        );
    }

    #[test]
    fn a_prompt_cache_that_was_seen_is_told() {
        for (seen, told) in [
            ("reuses = true", "; the server had a prompt cache"),
            ("reuses = false", "; the server had no prompt cache"),
            ("", "px)"),
        ] {
            let found = stored(&(entry("512x288", "percent", "") + seen)).unwrap();
            let sentence = found.find("ui-tars", (512, 288)).unwrap().unwrap().sentence;
            assert!(sentence.ends_with(told), "{sentence}");
        }
    }

    #[test]
    fn a_pixel_calibration_is_refused_for_another_picture_size() {
        let pixels = stored(&entry("1344x896", "pixels", "of = [1316, 896]")).unwrap();
        let told = pixels.find("ui-tars", (1120, 672)).unwrap_err().to_string();
        assert_eq!(
            told,
            "ignoring the calibration for pictures of 1344x896, because this run sends 1120x672; run franz calibrate --picture \
             1120x672"
        );
        for space in ["thousandths", "1024ths", "fractions", "percent", "letterboxed"] {
            let lasting = stored(&entry("1344x896", space, "")).unwrap();
            let found = lasting.find("ui-tars", (1120, 672)).unwrap().unwrap();
            assert_eq!(found.coordinates.space.name(), space);
        }
        assert_eq!(stored("").unwrap().find("ui-tars", (1120, 672)), Ok(None));
    }

    #[test]
    fn for_another_size_the_newest_calibration_of_the_family_is_used() {
        let (old, new) = (entry("1344x896", "percent", ""), entry("512x288", "percent", ""));
        let new = new.replace("11-23", "11-28");
        let find = |pictures: String| stored(&pictures).unwrap().find("ui-tars", (1120, 672));
        let found = find(old.clone() + &new).unwrap().unwrap();
        assert!(found.sentence.contains("2026-11-28"), "{}", found.sentence);
        let found = find(old.clone() + &new.replace("ui-tars", "holo")).unwrap().unwrap();
        assert!(found.sentence.contains("2026-11-23"), "{}", found.sentence);
        for other in [new.replace("xy", "yx"), entry("512x288", "pixels", "of = [500, 281]")] {
            let told = find(old.clone() + &other).unwrap_err().to_string();
            assert_eq!(
                told,
                "ignoring the calibrations for pictures of 1344x896, 512x288, because they disagree; run franz calibrate \
                 --picture 1120x672"
            );
        }
        let told = find(old.replace("ui-tars", "holo")).unwrap_err().to_string();
        assert!(told.contains("calibration for family holo"), "{told}");
    }

    #[test]
    fn mistakes_are_named() {
        for (pictures, why) in [
            (entry("1344x896", "inches", ""), "no coordinate space 'inches'"),
            (entry("1344x896", "unknown", ""), "no coordinate space 'unknown'"),
            (entry("1344x896", "pixels", "of = [9000, 896]"), "9000x896"),
            (entry("1344x896", "pixels", "of = [0, 896]"), "0x896"),
            (
                entry("1344x896", "percent", "of = [100, 100]"),
                "only pixel coordinates",
            ),
            (entry("wide", "percent", ""), "such as 1344x896"),
            (entry("1344x896", "percent", "colour = 1"), "line 8: unknown field"),
            ("pictures = 5".to_owned(), "line 3: invalid type"),
            ("[[".to_owned(), "line 3"),
        ] {
            let told = stored(&pictures).unwrap_err();
            assert!(told.contains(why), "{told}");
        }
        let other = ServedModel {
            name: "other".to_owned(),
            ..model()
        };
        let told = stored("").unwrap().check(&other).unwrap_err();
        assert_eq!(told, "it is for ui-tars on http://127.0.0.1:1234");
    }
}
