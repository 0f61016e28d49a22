//! Stored calibrations: a file for each server and model in the person's state folder, with an entry for each size of
//! picture.

use std::collections::BTreeMap;
use std::fmt;

use franz_chat::ServerOrigin;
use franz_dialect::calibration::{Coordinates, Decision, Estimate};
use franz_dialect::{Axes, Space};
use franz_home::View;
use franz_record::digest::sha256_hex;
use serde::{Deserialize, Serialize};

use super::cost::Cost;
use crate::config::layer::Layer;
use crate::config::origin::Origin;
use crate::state_folder::{self, StateError, unusable};
use crate::terminal::one_line;

/// The folder in the state folder.
const FOLDER: &str = "models";
/// What is appended to the name of a file that cannot be read.
const BROKEN: &str = ".broken";
/// The most bytes of a file.
const MOST_BYTES: u64 = 1 << 20;
/// The settings that are remembered.
const SETTINGS: [&str; 5] = [
    "memory.empty_story",
    "memory.most_screenshots",
    "memory.shape",
    "model.calls",
    "model.constrain",
];
/// How much longer than sent the model may see a side.
const LARGEST: f64 = 1.1;

const HEAD: &str = "\
# What FRANZ found out about this model on this server. Forget it with franz models --forget, or delete the file.

";

/// A model on a server: what a calibration holds for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServedModel {
    pub(crate) server: ModelHome,
    pub(crate) name: String,
}

/// Where a model is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ModelHome(String);

impl ModelHome {
    /// A server.
    pub(crate) fn server(origin: &ServerOrigin) -> ModelHome {
        ModelHome(origin.to_string())
    }

    /// The built-in model, wherever it listens.
    pub(crate) fn built_in() -> ModelHome {
        ModelHome("demo".to_owned())
    }
}

/// A calibration that is stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Calibrated {
    /// What the numbers mean.
    pub(crate) coordinates: Coordinates,
    /// The family whose words the model was asked in: asked in others, it may count otherwise.
    family: String,
    /// What a run says of it.
    pub(crate) sentence: String,
}

/// Why what is stored is not used, for the person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotUsed {
    /// The file is not as FRANZ writes it.
    #[error("the calibration in {file} is not used: {why}; run franz calibrate again")]
    Mistake {
        /// The file.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// The model was asked in the words of another family.
    #[error(
        "the calibration as family {calibrated} is not used for family {family}; run franz calibrate --family {family}"
    )]
    OtherFamily {
        /// The family of the run.
        family: String,
        /// That of the calibration.
        calibrated: String,
    },
    /// There are calibrations only for other sizes of pictures.
    #[error("what is remembered of the model is not used: {0}; forget it with franz models --forget")]
    Settings(String),
    #[error("the calibration for pictures of {others} is not used for {size}; run franz calibrate --picture {size}")]
    OtherSize {
        /// The size that is sent.
        size: String,
        /// The sizes that were calibrated.
        others: String,
    },
}

/// A file.
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

/// What was measured with pictures of one size.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    date: String,
    family: String,
    space: String,
    axes: String,
    /// The size that pixels count.
    of: Option<[u32; 2]>,
    /// Half of all hits are nearer, in pixels: the best guess, then the interval.
    median: [f64; 3],
    /// Nine of ten are nearer.
    ninety: [f64; 3],
    hits: usize,
    /// Tokens of a picture.
    tokens: Option<u64>,
    /// Whether the server read a picture only once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reuses: Option<bool>,
}

impl Calibrated {
    /// Returns what is stored for a model and pictures of this size. What does not depend on the size holds for others.
    ///
    /// # Errors
    /// If something is stored that cannot be used: the person is told, and the run goes on as if there were nothing.
    pub(crate) fn find(model: &ServedModel, family: &str, picture: (u32, u32)) -> Result<Option<Calibrated>, NotUsed> {
        let Some(folder) = state_folder::look(FOLDER) else {
            return Ok(None);
        };
        let Some(stored) = read(&folder, model)? else {
            return Ok(None);
        };
        match stored.find(picture)? {
            Some(found) if found.family != family => Err(NotUsed::OtherFamily {
                family: family.to_owned(),
                calibrated: one_line(&found.family),
            }),
            found => Ok(found),
        }
    }
}

impl Stored {
    fn find(&self, picture: (u32, u32)) -> Result<Option<Calibrated>, NotUsed> {
        let size = written(picture);
        if let Some(entry) = self.pictures.get(&size) {
            return Ok(entry.calibrated());
        }
        let all = || self.pictures.values().filter_map(Entry::calibrated);
        let lasting = all().find(|calibrated| calibrated.coordinates.space != Space::Pixels);
        if lasting.is_some() || self.pictures.is_empty() {
            return Ok(lasting);
        }
        let others: Vec<&str> = self.pictures.keys().map(String::as_str).collect();
        let others = others.join(", ");
        Err(NotUsed::OtherSize { size, others })
    }

    /// Returns what is wrong with what a file says.
    fn check(&self, model: &ServedModel) -> Result<(), String> {
        if (&self.server, &self.model) != (&model.server, &model.name) {
            return Err(format!("it is for {} on {}", self.model, self.server));
        }
        self.pictures
            .iter()
            .try_for_each(|(size, entry)| entry.check(size).map_err(|why| format!("pictures.{size}: {why}")))
    }
}

impl Entry {
    fn new(decision: &Decision, cost: &Cost, family: &str) -> Entry {
        let Coordinates { space, axes, of } = decision.coordinates;
        let whole = |[width, height]: [f64; 2]| [width.round() as u32, height.round() as u32];
        let estimate = |one: Estimate| [one.value, one.low, one.high].map(|pixels| (pixels * 10.0).round() / 10.0);
        Entry {
            date: jiff::Zoned::now().strftime("%Y-%m-%d").to_string(),
            family: family.to_owned(),
            space: space.name().to_owned(),
            axes: axes.name().to_owned(),
            of: of.map(whole),
            median: estimate(decision.precision.median),
            ninety: estimate(decision.precision.ninety),
            hits: decision.precision.hits,
            tokens: cost.picture,
            reuses: cost.reuses,
        }
    }

    fn space(&self) -> Option<Space> {
        let found = Space::NAMES.iter().find(|(name, _)| *name == self.space);
        found.map(|(_, space)| *space).filter(|space| *space != Space::Unknown)
    }

    fn coordinates(&self) -> Option<Coordinates> {
        let axes = Axes::NAMES.iter().find(|(name, _)| *name == self.axes)?;
        Some(Coordinates {
            of: self.of.map(|of| of.map(f64::from)),
            ..Coordinates::new(self.space()?, axes.1)
        })
    }

    fn check(&self, size: &str) -> Result<(), String> {
        let sent: Vec<f64> = size.split('x').filter_map(|side| side.parse().ok()).collect();
        let [width, height] = sent[..] else {
            return Err("the key is a size such as 1344x896".to_owned());
        };
        let Some(coordinates) = self.coordinates() else {
            return Err(format!(
                "there are no coordinates '{}' in the order '{}'",
                self.space, self.axes
            ));
        };
        let fits = |[w, h]: [f64; 2]| w >= 1.0 && h >= 1.0 && w <= width * LARGEST && h <= height * LARGEST;
        match (coordinates.space, coordinates.of) {
            (Space::Pixels, Some(of)) if !fits(of) => Err(format!("no server makes that {:.0}x{:.0}", of[0], of[1])),
            (Space::Pixels, _) | (_, None) => Ok(()),
            (_, Some(_)) => Err("only pixels have a size of their own".to_owned()),
        }
    }

    fn calibrated(&self) -> Option<Calibrated> {
        let coordinates = self.coordinates()?;
        let (date, median) = (one_line(&self.date), self.median[0]);
        let cache = match self.reuses {
            Some(true) => "; the server had a prompt cache",
            Some(false) => "; the server had no prompt cache",
            None => "",
        };
        Some(Calibrated {
            coordinates,
            family: self.family.clone(),
            sentence: format!("calibrated on {date}: {coordinates} (median error {median:.0} px){cache}"),
        })
    }
}

/// Stores what was decided, and returns where.
pub(super) fn store(
    model: &ServedModel,
    picture: (u32, u32),
    decision: &Decision,
    cost: &Cost,
    family: &str,
) -> Result<String, StateError> {
    change(model, |stored| {
        let entry = Entry::new(decision, cost, family);
        stored.pictures.insert(written(picture), entry);
    })
}

/// Changes a model's file, or makes one, and returns its path.
fn change(model: &ServedModel, change: impl FnOnce(&mut Stored)) -> Result<String, StateError> {
    let folder = state_folder::make(FOLDER)?;
    let file = file(model);
    let known = if let Ok(known) = read(&folder, model) {
        known
    } else {
        // What cannot be read is kept beside what is written now.
        folder.rename(&file, &format!("{file}{BROKEN}")).map_err(unusable)?;
        None
    };
    let mut stored = known.unwrap_or_else(|| Stored {
        server: model.server.clone(),
        model: model.name.clone(),
        pictures: BTreeMap::new(),
        settings: toml::Table::new(),
    });
    change(&mut stored);
    let text = toml::to_string(&stored).map_err(unusable)?;
    let bytes = format!("{HEAD}{text}").into_bytes();
    folder.replace(&file, &bytes, false).map_err(unusable)?;
    Ok(folder.path_of(&file).display().to_string())
}

impl ServedModel {
    /// Returns the settings without which its server refuses requests.
    pub(crate) fn settings(&self) -> Result<Layer, NotUsed> {
        let stored = state_folder::look(FOLDER).and_then(|folder| read(&folder, self).transpose());
        let Some(stored) = stored.transpose()? else {
            return Ok(Layer::default());
        };
        let text = toml::to_string(&stored.settings).unwrap_or_default();
        let layer = Layer::parse(&text, &Origin::Learned).map_err(|error| NotUsed::Settings(error.to_string()))?;
        Ok(layer.part(|name| SETTINGS.contains(&name)))
    }

    /// Remembers the settings that helped.
    pub(crate) fn keep_settings(&self, helped: &Layer) -> Result<(), StateError> {
        let helped = helped.part(|name| SETTINGS.contains(&name));
        change(self, |stored| {
            let values = helped.iter().map(|(name, value)| (name.clone(), value.clone()));
            stored.settings.extend(values);
        })?;
        Ok(())
    }
}

/// Forgets every model, or those of one server or of one name. Returns which. What cannot be read belongs to nobody, so it
/// goes only when everything does.
pub(crate) fn forget(server: Option<&ModelHome>, name: Option<&str>) -> Result<Vec<String>, StateError> {
    let Some(folder) = state_folder::look(FOLDER) else {
        return Ok(Vec::new());
    };
    let mut forgotten = Vec::new();
    let names = folder.names().map_err(unusable)?;
    for file in names.into_iter().filter(|file| is_ours(file) && folder.has_file(file)) {
        let text = folder
            .read(&file, MOST_BYTES)
            .ok()
            .and_then(|bytes| String::from_utf8(bytes).ok());
        let stored = text.and_then(|text| toml::from_str::<Stored>(&text).ok());
        let goes = stored.as_ref().map_or(server.is_none() && name.is_none(), |stored| {
            server.is_none_or(|server| *server == stored.server) && name.is_none_or(|name| name == stored.model)
        });
        if goes {
            folder.remove(&file).map_err(unusable)?;
            forgotten.push(match stored {
                Some(stored) => one_line(&format!("{} on {}", stored.model, stored.server)),
                None => format!("{}, which could not be read", folder.path_of(&file).display()),
            });
        }
    }
    forgotten.sort();
    forgotten.dedup();
    Ok(forgotten)
}

/// Whether a file has a name that FRANZ gives those of models, or what it moved aside.
fn is_ours(file: &str) -> bool {
    let stem = file.strip_suffix(BROKEN).unwrap_or(file).strip_suffix(".toml");
    stem.is_some_and(|stem| stem.len() == 32 && stem.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
}

fn read(folder: &View, model: &ServedModel) -> Result<Option<Stored>, NotUsed> {
    let name = file(model);
    if !folder.has_file(&name) {
        return Ok(None);
    }
    let mistake = |why: String| NotUsed::Mistake {
        file: folder.path_of(&name).display().to_string(),
        why: one_line(&why),
    };
    let bytes = folder
        .read(&name, MOST_BYTES)
        .map_err(|error| mistake(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| mistake("it is no text".to_owned()))?;
    let stored: Stored = toml::from_str(&text).map_err(|error| mistake(said(&text, &error)))?;
    stored.check(model).map_err(mistake)?;
    Ok(Some(stored))
}

/// Returns what is wrong with a text, with its line.
fn said(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().and_then(|span| text.get(..span.start));
    let line = line.map_or(1, |before| before.matches('\n').count() + 1);
    format!("line {line}: {}", error.message())
}

/// Returns the name of a model's file: that of a model may hold anything.
fn file(ServedModel { server, name }: &ServedModel) -> String {
    let hash = sha256_hex(format!("{server}\n{name}").as_bytes());
    format!("{}.toml", &hash[..32])
}

fn written((width, height): (u32, u32)) -> String {
    format!("{width}x{height}")
}

impl fmt::Display for ModelHome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> ServedModel {
        ServedModel {
            server: ModelHome("http://127.0.0.1:1234".to_owned()),
            name: "ui-tars".to_owned(),
        }
    }

    fn stored(pictures: &str) -> Result<Stored, String> {
        let text = format!("server = \"http://127.0.0.1:1234\"\nmodel = \"ui-tars\"\n{pictures}");
        let stored: Stored = toml::from_str(&text).map_err(|error| said(&text, &error))?;
        stored.check(&model()).map(|()| stored)
    }

    fn entry(size: &str, space: &str, of: &str) -> String {
        format!(
            "[pictures.{size}]\ndate = \"2026-11-23\"\nfamily = \"ui-tars\"\nspace = \"{space}\"\naxes = \"xy\"\n{of}\nmedian = [4.0, 3.0, 6.0]\nninety = [7.0, 5.0, 11.0]\nhits = 6\n"
        )
    }

    #[test]
    fn the_calibration_for_a_picture_size_is_found_and_described() {
        let both = entry("1344x896", "pixels", "of = [1316, 896]") + &entry("512x288", "pixels", "of = [500, 281]");
        let found = stored(&both).unwrap().find((1344, 896)).unwrap().unwrap();
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
            let sentence = found.find((512, 288)).unwrap().unwrap().sentence;
            assert!(sentence.ends_with(told), "{sentence}");
        }
    }

    #[test]
    fn a_pixel_calibration_is_refused_for_another_picture_size() {
        let pixels = stored(&entry("1344x896", "pixels", "of = [1316, 896]")).unwrap();
        let told = pixels.find((1120, 672)).unwrap_err().to_string();
        assert_eq!(
            told,
            "the calibration for pictures of 1344x896 is not used for 1120x672; run franz calibrate --picture 1120x672"
        );
        for space in ["thousandths", "1024ths", "fractions", "percent", "letterboxed"] {
            let lasting = stored(&entry("1344x896", space, "")).unwrap();
            let found = lasting.find((1120, 672)).unwrap().unwrap();
            assert_eq!(found.coordinates.space.name(), space);
        }
        assert_eq!(stored("").unwrap().find((1120, 672)), Ok(None));
    }

    #[test]
    fn mistakes_are_named() {
        for (pictures, why) in [
            (entry("1344x896", "inches", ""), "no coordinates 'inches'"),
            (entry("1344x896", "unknown", ""), "no coordinates 'unknown'"),
            (entry("1344x896", "pixels", "of = [9000, 896]"), "9000x896"),
            (entry("1344x896", "pixels", "of = [0, 896]"), "0x896"),
            (entry("1344x896", "percent", "of = [100, 100]"), "only pixels"),
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
