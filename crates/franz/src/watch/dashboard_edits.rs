//! What the dashboard of a run can change: the run's settings, its mode, and what its model is told.

use franz_action::Mode;
use franz_home::Home;
use franz_panel::Refused;
use franz_panel::controls::{SettingsPage, ShownSetting};
use franz_record::digest::sha256_hex;
use franz_record::resume::CONFIG_FILE;
use franz_record::{MessageError, messages};
use toml::Value;

use super::agent_control::AgentControl;
use super::edit::{Editing, lock, replace};
use crate::config::edit::changed;
use crate::config::key::ConfigKey;
use crate::config::kind::ValueKind;
use crate::config::layer::Layer;
use crate::config::origin::{FileKind, Origin};
use crate::config::screen_kind::ScreenKind;
use crate::config::settings::Settings;
use crate::config::settings_file;
use crate::config::trust::Trust;
use crate::own_settings::OwnSettings;

/// The dashboard's access to a run's `config.toml` and messages.
pub(super) struct DashboardEdits {
    run: Home,
    own: OwnSettings,
    control: AgentControl,
    /// Whether the agent could click in the dashboard.
    is_exposed: bool,
}

/// The contents of `config.toml`.
struct Page {
    text: String,
    hash: String,
    layer: Layer,
}

impl DashboardEdits {
    pub(super) fn new(run: Home, own: OwnSettings, control: AgentControl, screen: ScreenKind) -> DashboardEdits {
        DashboardEdits {
            run,
            own,
            control,
            is_exposed: screen.is_shared(),
        }
    }

    /// Returns every key with its value.
    pub(super) fn page(&self) -> Result<SettingsPage, Refused> {
        let page = self.read()?;
        let allowed = self.allowed(&page.layer);
        let effective = Layer::defaults().over(allowed.clone());
        let keys = ConfigKey::names().into_iter().filter_map(|name| {
            let key = ConfigKey::named(&name)?;
            let source = effective.origin(&name).map(ToString::to_string).unwrap_or_default();
            let setting = setting(name.clone(), key, effective.get(&name));
            Some(ShownSetting {
                value: allowed.get(&name).map(Value::to_string),
                source,
                ..setting
            })
        });
        Ok(SettingsPage {
            keys: keys.collect(),
            hash: page.hash,
        })
    }

    /// Changes one key if the file still has this hash, and returns the new hash. An empty string removes an optional
    /// key.
    pub(super) fn set(&self, name: &str, text: &str, hash: &str) -> Result<String, Refused> {
        let key = ConfigKey::named(name).ok_or_else(|| Refused::Wrong(format!("there is no key {name}")))?;
        if !editable(key) {
            let why = format!("{name} cannot be changed here; edit config.toml in the run's directory");
            return Err(Refused::Forbidden(why));
        }
        let _editing = lock(&self.run).map_err(|error| Refused::Failed(error.to_string()))?;
        let page = self.read()?;
        if page.hash != hash {
            return Err(Refused::Changed);
        }
        let removed = key.optional && text.trim().is_empty();
        let mut edited = Layer::default();
        if !removed {
            edited.set(name, text, Origin::Dashboard).map_err(wrong)?;
        }
        let value = edited.get(name);
        let granted = self.own.layer();
        let widens = is_wider(name, key, page.layer.get(name), value) || exceeds(name, key, granted.get(name), value);
        if self.is_exposed && widens {
            return Err(Refused::Forbidden(format!(
                "you can only narrow {name} here while the agent acts on this desktop, where it could click this page; to widen it: franz run --resume RUN --set {name}=VALUE"
            )));
        }
        let changed = changed(&page.text, name, value).map_err(wrong)?;
        check(&changed)?;
        if key.trust != Trust::Any {
            // Set the bounds first, so that the agent accepts the edit when it sees it.
            self.own.set(name, value);
            self.control.allow(self.own.text());
        }
        let written = replace(&self.run, &changed, page.layer);
        written.map_err(|error| Refused::Failed(error.to_string()))?;
        Ok(sha256_hex(changed.as_bytes()))
    }

    /// Returns the file's settings. What the person has allowed replaces each value that exceeds it, because the agent
    /// refuses that value. Masks that the file adds still apply.
    fn allowed(&self, file: &Layer) -> Layer {
        let granted = self.own.layer();
        let mut allowed = file.clone();
        for (name, value) in file.iter() {
            let key = ConfigKey::named(name);
            if key.is_some_and(|key| !key.trust.admits(granted.get(name), Some(value))) {
                allowed.copy(name, &granted);
                if key.is_some_and(|key| key.kind == ValueKind::Masks) {
                    allowed.lay_from(name, file);
                }
            }
        }
        allowed
    }

    /// Sends a message to the run's model. With `keep`, also adds it to the goal.
    pub(super) fn say(&self, text: &str, keep: bool) -> Result<(), Refused> {
        let failed = |error: anyhow::Error| Refused::Failed(error.to_string());
        let editing = keep.then(|| Editing::begin(&self.run)).transpose().map_err(failed)?;
        said(messages::say(&self.run, text))?;
        let not_kept = |error| {
            Refused::Failed(format!(
                "the message was sent, but the goal could not be changed: {error}"
            ))
        };
        editing.map_or(Ok(()), |editing| editing.keep_in_goal(text).map_err(not_kept))
    }

    /// Sets the mode of the run.
    pub(super) fn set_mode(&self, name: &str) -> Result<(), Refused> {
        let Ok(mode) = name.parse::<Mode>() else {
            return Err(Refused::Wrong(format!(
                "there is no mode {name:?}; use executing or monitoring"
            )));
        };
        if self.read()?.layer.get("loop.modes") != Some(&Value::Boolean(true)) {
            return Err(Refused::NothingThere(
                "this profile has no modes; pause the run instead".to_owned(),
            ));
        }
        said(messages::set_mode(&self.run, mode.name()))
    }

    fn read(&self) -> Result<Page, Refused> {
        let failed = |error| {
            Refused::Failed(format!(
                "cannot read {}: {error}",
                self.run.path_of(CONFIG_FILE).display()
            ))
        };
        let text = settings_file::text_of_run(&self.run).map_err(failed)?;
        Ok(Page {
            layer: Layer::parse(&text, &Origin::file(FileKind::Run, CONFIG_FILE))
                .map_err(|error| Refused::Failed(error.to_string()))?,
            hash: sha256_hex(text.as_bytes()),
            text,
        })
    }
}

fn said(said: Result<(), MessageError>) -> Result<(), Refused> {
    said.map_err(|error| match error {
        MessageError::Disk(error) => Refused::Failed(error.to_string()),
        refused => Refused::Wrong(refused.to_string()),
    })
}

#[expect(clippy::needless_pass_by_value, reason = "map_err passes a value")]
fn wrong(error: impl ToString) -> Refused {
    Refused::Wrong(error.to_string())
}

/// Checks whether an edit would let the agent do more, because a model that acts on the desktop could make the edit
/// here. A tool that is not named is off.
fn is_wider(name: &str, key: ConfigKey, before: Option<&Value>, after: Option<&Value>) -> bool {
    let off = Value::Boolean(false);
    let before = before.or(name.starts_with("protocol.tools.").then_some(&off));
    exceeds(name, key, before, after)
}

/// Checks whether a value exceeds a bound. A model can write a wider value into the file, which the agent refuses; it
/// must not be granted here. Permission for longer replies does not count, because `model.max_total_tokens` limits them.
fn exceeds(name: &str, key: ConfigKey, bound: Option<&Value>, value: Option<&Value>) -> bool {
    name != "model.max_tokens" && !key.trust.admits(bound, value)
}

/// Checks whether a page may edit a key. The system prompt sets the model's limits, which a model could otherwise lift by
/// clicking.
fn editable(key: ConfigKey) -> bool {
    key.live && !matches!(key.kind, ValueKind::Scenarios) && key.name != "prompt.system"
}

fn setting(name: String, key: ConfigKey, value: Option<&Value>) -> ShownSetting {
    let text = match value {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    ShownSetting {
        long: name.starts_with("prompt."),
        editable: editable(key),
        about: key.about.to_owned(),
        kind: key.kind.to_string(),
        flag: key.kind == ValueKind::Flag,
        key: name,
        text,
        ..ShownSetting::default()
    }
}

/// Rejects a file that a run could not continue with.
fn check(text: &str) -> Result<(), Refused> {
    let layer = Layer::parse(text, &Origin::file(FileKind::Run, CONFIG_FILE)).map_err(wrong)?;
    let settings = Settings::resolve(&Layer::defaults().over(layer));
    settings.check().map_err(wrong)
}

#[cfg(test)]
mod tests {
    use franz_panel::Hub;
    use franz_record::{CONFIG_LOCK, Lock};
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    use super::super::edit::write;
    use super::super::supervisor::ProcessOrder;
    use super::*;
    use crate::config::flags::set_flags;
    use crate::stop::Stop;

    const FILE: &str = "# Mine.\n[loop] # pace\n\n# At most.\nmax_turns = 9 # enough\n\n[prompt]\ngoal = 'a'\nsystem = '''\nb\nc'''\n[protocol.tools]\ndrag = false\n[model]\ntemperature = 0.5\n";

    fn edits() -> (tempfile::TempDir, DashboardEdits) {
        let (directory, edits, _) = edits_on(ScreenKind::Desktop);
        (directory, edits)
    }

    fn edits_on(screen: ScreenKind) -> (tempfile::TempDir, DashboardEdits, UnboundedReceiver<ProcessOrder>) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        std::fs::write(&path, FILE).unwrap();
        let own = OwnSettings::new(directory.path(), Layer::default());
        let run = Home::claim(directory.path()).unwrap();
        let (sender, orders) = unbounded_channel();
        let control = AgentControl::of_agent(sender, Hub::default(), Stop::default());
        (directory, DashboardEdits::new(run, own, control, screen), orders)
    }

    fn text(edits: &DashboardEdits) -> String {
        std::fs::read_to_string(edits.run.path_of(CONFIG_FILE)).unwrap()
    }

    #[test]
    fn an_edit_changes_one_value_and_preserves_the_rest_of_the_file() {
        let (_directory, edits) = edits();
        let mut hash = edits.page().unwrap().hash;
        for (key, value) in [
            ("prompt.goal", "draw \"a\"\nhouse"),
            ("loop.max_turns", "8"),
            ("loop.executing_delay_s", "0.25"),
            ("model.temperature", ""),
            ("model.max_tokens", "800"),
            ("model.max_tokens", "1600"),
            ("model.timeout_s", "1200"),
            ("image.width", "640"),
        ] {
            hash = edits.set(key, value, &hash).unwrap();
        }
        let after = text(&edits);
        assert_eq!(hash, edits.page().unwrap().hash);
        for kept in [
            "# Mine.\n[loop] # pace\n\n# At most.\nmax_turns = 8 # enough\n",
            "system = '''\nb\nc'''",
            "[image]\nwidth = 640",
            "max_tokens = 1600",
            "timeout_s = 1200",
        ] {
            assert!(after.contains(kept), "{after}");
        }
        assert!(!after.contains("temperature"), "{after}");
        let page = edits.page().unwrap();
        let goal = page.keys.iter().find(|setting| setting.key == "prompt.goal").unwrap();
        assert_eq!(goal.text, "draw \"a\"\nhouse");
        assert!(goal.long && goal.editable);
    }

    /// The agent keeps the person's mask and applies the one that the file adds.
    #[test]
    fn a_file_that_replaces_a_mask_shows_both() {
        let (_directory, edits) = edits();
        let masks = |text: &str| Layer::parse(text, &Origin::file(FileKind::Run, CONFIG_FILE)).unwrap();
        let own = masks("screen.mask = [{ window = 'a' }]");
        edits.own.set("screen.mask", own.get("screen.mask"));
        let shown = edits.allowed(&masks("screen.mask = [{ window = 'b' }]"));
        let both = masks("screen.mask = [{ window = 'a' }, { window = 'b' }]");
        assert_eq!(shown.get("screen.mask"), both.get("screen.mask"));
    }

    #[test]
    fn an_edit_during_another_one_is_refused() {
        let (_directory, edits) = edits();
        let hash = edits.page().unwrap().hash;
        let other = Home::claim(edits.run.path()).unwrap();
        let held = Lock::acquire(&other, CONFIG_LOCK).unwrap();
        let refused = Editing::begin(&edits.run).err().unwrap().to_string();
        assert!(refused.ends_with("config.toml is in progress; try again"), "{refused}");
        assert!(matches!(edits.set("prompt.goal", "b", &hash), Err(Refused::Failed(_))));
        assert_eq!(text(&edits), FILE);
        drop(held);
        edits.set("prompt.goal", "b", &hash).unwrap();
    }

    #[test]
    fn off_the_desktop_dashboard_edits_widen_limits_and_reach_the_agent() {
        for screen in [ScreenKind::Canvas, ScreenKind::Virtual] {
            let (_directory, edits, mut orders) = edits_on(screen);
            let mut hash = edits.page().unwrap().hash;
            for (key, value) in [("loop.max_turns", "10"), ("protocol.tools.drag", "true")] {
                hash = edits.set(key, value, &hash).unwrap();
                let Ok(ProcessOrder::Tell(told)) = orders.try_recv() else {
                    panic!("{key}: the agent is told nothing")
                };
                let name = key.rsplit('.').next().unwrap();
                assert!(told.contains(&format!("{name} = {value}")), "{told}");
            }
            assert!(text(&edits).contains("max_turns = 10 # enough"), "{}", text(&edits));
            edits.set("prompt.goal", "x", &hash).unwrap();
            assert!(orders.try_recv().is_err(), "anybody may set a goal");
        }
    }

    #[test]
    fn a_page_that_the_agent_could_click_only_adds_masks() {
        let one = "[{ area = [0, 0, 500, 500] }]";
        let two = "[{ area = [0, 0, 500, 500] }, { area = [500, 0, 1000, 1000], name = \"mail\" }]";
        for screen in [ScreenKind::Desktop, ScreenKind::Virtual] {
            let (_directory, edits, _orders) = edits_on(screen);
            let mut hash = edits.page().unwrap().hash;
            for masks in [one, two] {
                hash = edits.set("screen.mask", masks, &hash).unwrap();
                assert!(text(&edits).contains(&format!("mask = {masks}")), "{}", text(&edits));
            }
            for masks in [one, "[]", "[{ area = [0, 0, 499, 500] }]"] {
                match edits.set("screen.mask", masks, &hash) {
                    Err(Refused::Forbidden(_)) => assert_eq!(screen, ScreenKind::Desktop),
                    refused @ Err(_) => panic!("{masks}: {refused:?}"),
                    Ok(new) => {
                        assert_eq!(screen, ScreenKind::Virtual);
                        hash = new;
                    }
                }
            }
            assert_eq!(text(&edits).contains(two), screen == ScreenKind::Desktop);
        }
    }

    /// A model on the desktop can write into the file, and then click on Save.
    #[test]
    fn what_the_agent_refused_in_the_file_is_not_granted_where_it_could_click() {
        let masks = "[{ window = \"a\" }]";
        for (key, kept, written, wanted) in [
            ("loop.max_turns", Some("9"), "0", "0"),
            ("loop.max_turns", Some("9"), "100", "50"),
            ("gate.mode", Some("ask"), "free", "free"),
            ("protocol.tools.read_clipboard", Some("false"), "true", "true"),
            ("protocol.tools.read_clipboard", None, "true", "true"),
            ("screen.mask", Some(masks), "[]", "[]"),
        ] {
            let (_directory, mut edits, mut orders) = edits_on(ScreenKind::Desktop);
            let set = |value: &str| set_flags(&[format!("{key}={value}")]).unwrap();
            edits.own = OwnSettings::new(edits.run.path(), kept.map(set).unwrap_or_default());
            write(&edits.run, &set(written)).unwrap();
            let page = edits.page().unwrap();
            let shown = page.keys.iter().find(|setting| setting.key == key).unwrap();
            assert_eq!(shown.text, kept.unwrap_or_default(), "{key}: what applies is shown");
            let refused = edits.set(key, wanted, &page.hash);
            assert!(matches!(refused, Err(Refused::Forbidden(_))), "{key}: {refused:?}");
            assert!(orders.try_recv().is_err(), "{key}: the agent is told nothing");
        }
    }

    #[test]
    fn a_refused_edit_leaves_the_file_alone() {
        let (_directory, edits) = edits();
        let hash = edits.page().unwrap().hash;
        for (key, value, hash, refusal) in [
            ("prompt.goal", "x", "0", "Changed"),
            ("no.such_key", "x", &hash, "Wrong"),
            ("loop.max_turns", "many", &hash, "Wrong"),
            ("image.width", "", &hash, "Wrong"),
            ("loop.max_turns", "10", &hash, "Forbidden"),
            ("protocol.tools.drag", "true", &hash, "Forbidden"),
            ("screen.kind", "desktop", &hash, "Forbidden"),
            ("prompt.scenarios", "[]", &hash, "Forbidden"),
        ] {
            let refused = format!("{:?}", edits.set(key, value, hash).unwrap_err());
            assert!(refused.starts_with(refusal), "{key}: {refused}");
            assert_eq!(text(&edits), FILE);
        }
        std::fs::remove_file(edits.run.path_of(CONFIG_FILE)).unwrap();
        assert!(matches!(edits.page(), Err(Refused::Failed(_))));
    }
}
