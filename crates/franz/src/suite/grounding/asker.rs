//! One model that is asked: its server, its settings, and what it answers to an item.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, Result};
use franz_action::Point;
use franz_action::text::shortened;
use franz_chat::{Answer, ApiKey, Bytes, Endpoint, Failed, Keyring, NamedBy, Picture, Reply, Request, Usage};
use franz_dialect::Space;
use franz_frame::png::encode;
use franz_frame::{Frame, PixelFormat, Scaler};
use franz_record::digest::sha256_hex;
use franz_suite::SuiteModel;
use franz_suite::grounding::{GroundingAnswer, GroundingOutcome, MeasuredModel, PicturedItem};
use franz_suite::suite::Name;
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::agent::{FirstTurn, ModelServers, NoPlace, TargetQuestion, Waits, said};
use crate::calibrate::{Reaction, Respondent as _, ServedModel, ServerAsked};
use crate::config::flags::Flags;
use crate::config::layer::Layer;
use crate::config::settings::Settings;
use crate::consent::Consent;
use crate::exit::Unusable;
use crate::idiom::{self, Idiom};
use crate::run_location::RunLocation;
use crate::stop::Stop;
use crate::suite::{attempt, play, rules};

/// How many characters of an answer are kept.
const LONGEST_SAID: usize = 300;

/// The smallest side of a picture that is shown.
const LEAST_SIDE: u32 = 16;

/// A model to ask, and how.
#[derive(Clone)]
pub(crate) struct AskedModel {
    pub(crate) name: Name,
    layer: Layer,
    keyring: Keyring,
    way: Way,
    profile: String,
}

/// How a model is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// As in the first turn of a run whose goal is the instruction.
    Turn,
    /// As a run asks its grounder for the target.
    Grounder,
}

/// The command line's options for all models.
pub(crate) struct AskingOptions<'a> {
    pub(crate) way: Way,
    pub(crate) profile: &'a str,
    /// Keys with their values, in the form that `--set` accepts.
    pub(crate) set: &'a [String],
    pub(crate) keyring: &'a Keyring,
}

/// A model whose server is connected.
pub(crate) struct Asker<'a> {
    servers: ModelServers,
    settings: Settings,
    way: Way,
    profile: String,
    name: Name,
    stop: &'a Stop,
    scaler: Scaler,
    /// Whether to wait for the server if it is down or busy.
    is_patient: bool,
    /// The model that the server said has answered.
    answered_by: Option<String>,
}

impl AskedModel {
    /// Resolves the settings for a model of a suite, as for its runs.
    pub(crate) fn of(model: &SuiteModel, options: &AskingOptions<'_>) -> Result<AskedModel> {
        let upstream = attempt::server(model).map_err(Unusable::usage)?;
        let more = model
            .set
            .iter()
            .map(|(key, value)| format!("{key}={}", rules::text_of(value)));
        // The model's value of a key wins, because the models are what is compared.
        let mut set: Vec<String> = options.set.iter().cloned().chain(more).collect();
        if options.way == Way::Grounder {
            let named = [("name", &model.served_as), ("family", &model.family)];
            let named = named
                .into_iter()
                .filter_map(|(key, value)| Some((key, value.as_ref()?)));
            set.extend(
                [("upstream", &upstream)]
                    .into_iter()
                    .chain(named)
                    .map(|(key, value)| format!("grounder.{key}={value}")),
            );
        }
        let flags = json!({
            "upstream": upstream,
            "model": model.served_as,
            "family": model.family,
            "set": set,
        });
        let mut keyring = options.keyring.clone();
        if let Some(variable) = &model.key_env
            && let Some(key) = play::key(variable)?
        {
            let endpoint: Endpoint = upstream.parse().map_err(Unusable::usage)?;
            let key = ApiKey::new(&key.to_string_lossy()).map_err(Unusable::usage)?;
            keyring = keyring.with_server_key(endpoint.origin(), key);
        }
        Ok(AskedModel {
            name: model.name.clone(),
            layer: layer(&flags, options)?,
            keyring,
            way: options.way,
            profile: options.profile.to_owned(),
        })
    }

    /// Returns the grounder that the person's settings name.
    pub(crate) fn grounder(options: &AskingOptions<'_>) -> Result<AskedModel> {
        let layer = layer(&json!({ "set": options.set }), options)?;
        if Settings::resolve(&layer).grounder.upstream.is_none() {
            let words = "no grounder is set: give grounder.upstream in franz.toml or with --set, or name a model with \
                         --upstream NAME=URL";
            return Err(Unusable::usage(words).into());
        }
        Ok(AskedModel {
            name: Name::try_from("grounder".to_owned()).map_err(Unusable::usage)?,
            layer,
            keyring: options.keyring.clone(),
            way: Way::Grounder,
            profile: options.profile.to_owned(),
        })
    }

    /// Connects to the model's server. `None` if the person stops the measurement in the meantime.
    pub(crate) fn connect<'a>(&self, stop: &'a Stop) -> Result<Option<Asker<'a>>> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let mut settings = self.settings(Layer::default())?;
        let keyring = self.keyring.clone();
        let servers = ModelServers::connect(runtime, &settings, NamedBy::Others, keyring, stop, Waits::Busy);
        let Some(servers) = servers.with_context(|| format!("{} cannot be asked", self.name))? else {
            return Ok(None);
        };
        let learned = ServedModel::from(servers.upstream()).settings();
        let learned = learned.map_err(Unusable::usage)?;
        match self.way {
            Way::Turn => settings = self.settings(learned)?,
            Way::Grounder => settings.suit_grounder(&learned),
        }
        Ok(Some(Asker {
            servers,
            settings,
            way: self.way,
            profile: self.profile.clone(),
            name: self.name.clone(),
            stop,
            scaler: Scaler::default(),
            is_patient: true,
            answered_by: None,
        }))
    }

    /// Returns the settings for asking one server: no fallbacks, and no grounder behind the model. `learned` are those
    /// that the model has turned out to need.
    fn settings(&self, learned: Layer) -> Result<Settings> {
        let mut settings = Settings::resolve(&self.layer.clone().over(learned));
        if self.way == Way::Grounder {
            return settings.of_grounder().context("a grounder has a server");
        }
        settings.model.fallback.clear();
        settings.grounder.upstream = None;
        Ok(settings)
    }
}

/// Resolves the settings of a run that does not use the person's screen.
fn layer(flags: &Value, options: &AskingOptions<'_>) -> Result<Layer> {
    let mut flags = flags.clone();
    if let Some(set) = flags.get_mut("set").and_then(Value::as_array_mut) {
        set.push("screen.kind=virtual".into());
    }
    let flags = Flags::of(&flags).with_profile(options.profile).with_goal(Some("none"));
    Ok(RunLocation::New(None).resolve(&flags, Consent::NotAsked)?.layer)
}

impl Asker<'_> {
    /// Describes the model and how it is asked. Fails if the unit of its coordinates is unknown.
    pub(crate) fn measured(&self) -> Result<MeasuredModel> {
        let upstream = self.servers.upstream();
        let blank = Frame::black(64, 64, PixelFormat::Rgb8)?;
        let (settings, idiom) = self.idiom((64, 64))?;
        let geometry = idiom.geometry(&settings);
        if geometry.space == Space::Unknown {
            let words = format!(
                "{}: the unit of the coordinates of '{}' is unknown, so no click can be read; measure it with franz \
                 calibrate, or name its family",
                self.name, upstream.model
            );
            return Err(Unusable::usage(words).into());
        }
        let request = self.request(&settings, &idiom, pictured(&blank)?, "");
        let model = &self.settings.model;
        let (width, height) = self.settings.image.size();
        let profile = match self.way {
            Way::Turn => json!(self.profile),
            Way::Grounder => Value::Null,
        };
        let settings = [
            ("temperature", json!(settings.sampling(&idiom, None).temperature)),
            ("max_tokens", json!(model.max_tokens)),
            ("image.width", json!(width)),
            ("image.height", json!(height)),
            ("profile", profile),
            ("request", json!(sha256_hex(request.body()).get(..16))),
        ];
        Ok(MeasuredModel {
            name: self.name.clone(),
            model: upstream.model.clone(),
            asked: match self.way {
                Way::Turn => "turn",
                Way::Grounder => "grounder",
            }
            .to_owned(),
            family: idiom.family.name.clone(),
            coordinates: format!("{} ({})", geometry.space.name(), geometry.axes.name()),
            settings: settings
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect::<BTreeMap<_, _>>(),
        })
    }

    /// Returns a sentence about the server and what is known about its model.
    pub(crate) fn about(&self) -> Result<String> {
        let upstream = self.servers.upstream();
        let (_, said) = idiom::choose(&self.settings, upstream, (64, 64))?;
        let said = std::iter::once(format!("{}: {} at {}", self.name, upstream.model, upstream.shown)).chain(said);
        Ok(said.collect::<Vec<_>>().join("; "))
    }

    /// Asks about an item. `None` if the person stops the measurement.
    pub(crate) fn ask(&mut self, item: &PicturedItem, frame: &Frame) -> Result<Option<GroundingAnswer>> {
        let (settings, idiom) = self.idiom((frame.width(), frame.height()))?;
        let (width, height) = idiom.picture(&settings);
        let picture = pictured(&self.scaler.scale(frame, width, height))?;
        let request = self.request(&settings, &idiom, picture, &item.item.instruction);
        let Reaction { answer, took } = match self.send(&request) {
            Ok(None) => return Ok(None),
            Ok(Some(reaction)) => reaction,
            Err(error) => return Ok(Some(failed(item, error.to_string(), Duration::ZERO, Usage::default()))),
        };
        let reply = match answer {
            Ok(Answer { reply, .. }) => reply,
            Err(Failed { failure, usage, .. }) => {
                let outcome = if failure.is_models_own() {
                    GroundingOutcome::NoClick
                } else {
                    GroundingOutcome::Failed
                };
                let answer = failed(item, failure.to_string(), took, usage);
                return Ok(Some(GroundingAnswer { outcome, ..answer }));
            }
        };
        self.heard(reply.model())?;
        let click = self.click(&settings, &idiom, &reply);
        Ok(Some(answered(item, click, &reply, took)))
    }

    /// Sends a request. Waits for a server that is down or busy, unless it has waited in vain since the last answer.
    fn send(&mut self, request: &Request) -> Result<Option<Reaction>> {
        if self.is_patient {
            let mut asked = ServerAsked {
                servers: &self.servers,
                stop: self.stop,
            };
            let reaction = asked.ask(request);
            self.is_patient = reaction.is_ok();
            return reaction;
        }
        let (answer, took) = self.servers.ask(request, &[], self.stop, || false);
        let Some(answer) = answer else { return Ok(None) };
        self.is_patient = answer.is_ok();
        Ok(Some(Reaction { answer, took }))
    }

    /// Returns the settings and the idiom for pictures of a screen of this size. The picture keeps its shape, has at
    /// most as many pixels as that of a run, and is never enlarged.
    fn idiom(&self, screen: (u32, u32)) -> Result<(Settings, Idiom)> {
        let mut settings = self.settings.clone();
        (settings.image.width, settings.image.height) = within(screen, self.settings.image.size());
        let (idiom, _) = idiom::choose(&settings, self.servers.upstream(), screen)?;
        Ok((settings, idiom))
    }

    fn request(&self, settings: &Settings, idiom: &Idiom, picture: Picture, instruction: &str) -> Request {
        match self.way {
            Way::Turn => self.turn(settings, idiom).request(picture, instruction),
            Way::Grounder => self.question(settings, idiom).request(&picture, instruction),
        }
    }

    fn click(&self, settings: &Settings, idiom: &Idiom, reply: &Reply) -> Result<Point, String> {
        match self.way {
            Way::Turn => self.turn(settings, idiom).click(reply),
            Way::Grounder => self.question(settings, idiom).place(reply).map_err(|why| match why {
                NoPlace::NotNamed(_) => "it names no place".to_owned(),
                NoPlace::NotInPicture(why) => why.to_string(),
            }),
        }
    }

    fn turn<'a>(&'a self, settings: &'a Settings, idiom: &'a Idiom) -> FirstTurn<'a> {
        FirstTurn {
            settings,
            idiom,
            model: &self.servers.upstream().model,
            context: self.servers.upstream().known.context,
        }
    }

    fn question<'a>(&'a self, settings: &'a Settings, idiom: &'a Idiom) -> TargetQuestion<'a> {
        TargetQuestion {
            settings,
            idiom,
            model: &self.servers.upstream().model,
        }
    }

    /// Notes which model answered. Fails if it differs from the previous one, because answers of different models must
    /// not be mixed.
    fn heard(&mut self, model: Option<&str>) -> Result<()> {
        let Some(now) = model else { return Ok(()) };
        match &self.answered_by {
            Some(before) if before != now => {
                let words = format!(
                    "{}: the server answers with '{now}' instead of '{before}' now; load the model again, and run the \
                     same command once more",
                    self.name
                );
                Err(Unusable::server(words).into())
            }
            _ => {
                self.answered_by = Some(now.to_owned());
                Ok(())
            }
        }
    }
}

/// Returns the size in which to show a picture: its own, or a smaller one of the same shape with at most as many pixels
/// as `most`.
fn within((width, height): (u32, u32), most: (u32, u32)) -> (u32, u32) {
    let pixels = |(width, height): (u32, u32)| f64::from(width) * f64::from(height);
    let shrink = (pixels(most) / pixels((width, height))).sqrt().min(1.0);
    let side = |side: u32| ((f64::from(side) * shrink).round() as u32).max(LEAST_SIDE);
    (side(width), side(height))
}

fn pictured(frame: &Frame) -> Result<Picture> {
    let png = Bytes::from(encode(frame)?);
    let sha256 = sha256_hex(&png);
    Ok(Picture { png, sha256 })
}

fn answered(item: &PicturedItem, click: Result<Point, String>, reply: &Reply, took: Duration) -> GroundingAnswer {
    let (width, height) = item.pictured.size;
    let (at, why) = match click {
        Ok(point) => (Some((point.x.to_pixel(width), point.y.to_pixel(height))), None),
        Err(why) => (None, Some(shortened(&why, LONGEST_SAID))),
    };
    let outcome = match at {
        Some(at) if item.item.target.contains(at) => GroundingOutcome::Hit,
        Some(_) => GroundingOutcome::Miss,
        None => GroundingOutcome::NoClick,
    };
    GroundingAnswer {
        outcome,
        at,
        why,
        said: Some(shortened(&said(reply), LONGEST_SAID)),
        ..failed(item, String::new(), took, reply.usage())
    }
}

/// Returns the answer of a server that failed.
fn failed(item: &PicturedItem, why: String, took: Duration, usage: Usage) -> GroundingAnswer {
    GroundingAnswer {
        item: item.item.key.clone(),
        outcome: GroundingOutcome::Failed,
        at: None,
        why: Some(why),
        said: None,
        seconds: (took.as_secs_f64() * 1000.0).round() / 1000.0,
        prompt_tokens: usage.prompt,
        completion_tokens: usage.completion,
    }
}
