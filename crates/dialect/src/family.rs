//! A family: models that write in the same way. A TOML file says which models belong to it, which dialect they use, and
//! what their numbers mean.
//!
//! In reading order: `file` reads such a file and reports all its mistakes at once, `glob` matches model ids, `builtin`
//! lists the files that come with FRANZ.

mod builtin;
mod file;
mod glob;

use franz_action::{Action, Tool, ToolSet, Verb};

use crate::dialect::Dialect;
use crate::geometry::{Axes, Geometry, Space};
use crate::manner::Manner;
use crate::wording::{Numbers, Writer};
pub use file::{FileError, Mistake};

/// How the model is asked to make calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallChannel {
    /// In the text.
    Text,
    /// As the server's tool calls.
    Native,
    /// Whichever the server supports.
    Auto,
}

/// What later requests do with a model's reasoning, if the server returns it separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reasoning {
    /// Later requests contain it.
    Keep,
    /// Later requests leave it out.
    Drop,
}

/// The rule that a picture must follow so that the server does not resize it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PictureRule {
    /// Both sides must be multiples of this.
    pub multiple: u32,
    /// The maximum number of pixels; 0 means no limit.
    pub most_pixels: u64,
}

impl PictureRule {
    /// Returns the largest size that follows the rule, has almost the same shape and does not exceed the given size.
    pub fn fitted(&self, (width, height): (u32, u32)) -> (u32, u32) {
        let pixels = f64::from(width) * f64::from(height);
        let most = self.most_pixels as f64;
        let shrink = if most > 0.0 && pixels > most {
            (most / pixels).sqrt()
        } else {
            1.0
        };
        let multiple = self.multiple.max(1);
        let side = |side: u32| ((f64::from(side) * shrink) as u32 / multiple * multiple).max(multiple);
        (side(width), side(height))
    }
}

/// Models that write in the same way.
#[derive(Clone, Debug)]
pub struct Family {
    /// The name, which is also the file's name.
    pub name: String,
    /// Globs for the model ids that belong to the family.
    pub models: Vec<String>,
    /// Globs for model ids that do not belong to it, even if they match one of `models`.
    pub not: Vec<String>,
    /// How its models write actions.
    pub dialect: &'static Dialect,
    /// The coordinate space of their numbers.
    pub space: Space,
    /// The order of a place's two numbers.
    pub axes: Axes,
    /// How its models are asked to make calls.
    pub calls: CallChannel,
    /// What later requests do with its models' reasoning; `None` if its models do not think before they answer.
    pub reasoning: Option<Reasoning>,
    /// How its models write and what their calls mean, where the dialect leaves a choice.
    pub manner: Manner,
    /// The rule for pictures that its models see exactly as they are sent.
    pub picture: PictureRule,
    /// Settings for the model. The profile's and the person's settings take precedence.
    pub model: toml::Table,
}

/// Two families fit a model equally well.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the families {0} and {1} fit '{2}' equally well; name one with --family")]
pub struct Tie(pub String, pub String, pub String);

impl Family {
    /// Reads a family file.
    ///
    /// # Errors
    /// Returns all mistakes in the file, each with its line.
    pub fn read(name: &str, text: &str) -> Result<Family, FileError> {
        file::read(name, text)
    }

    /// Returns the family of FRANZ's own forms.
    ///
    /// # Panics
    /// Never: a test reads every file that comes with FRANZ.
    pub fn franz() -> Family {
        Family::named("franz").expect("the family of FRANZ's own forms is built in")
    }

    /// Returns this family with FRANZ's own forms for its calls. The meaning of its numbers does not change.
    #[must_use]
    pub fn speaking_own(self) -> Family {
        let Family {
            dialect, calls, manner, ..
        } = Family::franz();
        Family {
            dialect,
            calls,
            manner,
            ..self
        }
    }

    /// Returns the built-in family with this name.
    pub fn named(name: &str) -> Option<Family> {
        let found = builtin::FILES.iter().find(|(known, _)| *known == name);
        found.and_then(|(name, text)| Family::read(name, text).ok())
    }

    /// Returns all built-in families, sorted by name.
    pub fn all() -> Vec<Family> {
        builtin::FILES
            .iter()
            .filter_map(|(name, text)| Family::read(name, text).ok())
            .collect()
    }

    /// Returns the names of the built-in families.
    pub fn names() -> Vec<&'static str> {
        builtin::FILES.iter().map(|(name, _)| *name).collect()
    }

    /// Returns the family that fits a model id best, which is the one with the longest literal match.
    ///
    /// # Errors
    /// If two fit equally well.
    pub fn matching<'a>(families: &'a [Family], model: &str) -> Result<Option<&'a Family>, Tie> {
        let id = model.to_lowercase();
        let mut best: Option<(&Family, usize)> = None;
        let mut tie: Option<&Family> = None;
        for family in families {
            let Some(fit) = family.fit(&id) else { continue };
            match best {
                Some((_, most)) if fit < most => {}
                Some((_, most)) if fit == most => tie = Some(family),
                _ => (best, tie) = (Some((family, fit)), None),
            }
        }
        match (best, tie) {
            (Some((one, _)), Some(other)) => Err(Tie(one.name.clone(), other.name.clone(), model.to_owned())),
            (best, _) => Ok(best.map(|(family, _)| family)),
        }
    }

    /// Returns the glob that makes a model id part of this family.
    pub fn glob_of(&self, model: &str) -> Option<&str> {
        let id = model.to_lowercase();
        let fitting = self.models.iter().filter(|pattern| glob::fits(pattern, &id));
        fitting.max_by_key(|pattern| glob::literal(pattern)).map(String::as_str)
    }

    /// Returns the text of the built-in family with this name.
    pub fn text(name: &str) -> Option<&'static str> {
        let found = builtin::FILES.iter().find(|(known, _)| *known == name);
        found.map(|(_, text)| *text)
    }

    /// Returns how many literal characters are in the longest glob that matches a lower-cased id.
    fn fit(&self, id: &str) -> Option<usize> {
        if self.not.iter().any(|pattern| glob::fits(pattern, id)) {
            return None;
        }
        let fitting = self.models.iter().filter(|pattern| glob::fits(pattern, id));
        fitting.map(|pattern| glob::literal(pattern)).max()
    }

    /// Writes an action as one valid line in the form that this family uses. Returns `None` if the family cannot
    /// express it exactly.
    pub fn line(&self, action: &Action, geometry: &Geometry) -> Option<String> {
        self.writer(Numbers::Counted(geometry))?.line(action)
    }

    /// Writes the call that ends the work, or returns `None` if the family has no such call.
    pub fn finish_line(&self, answer: &str, success: bool) -> Option<String> {
        self.writer(Numbers::Named(self.axes))?.finish(answer, success)
    }

    /// Lists the verbs of the tools that are switched on, one per line: the call as this family writes it, ` -- `, and
    /// a description.
    pub fn verbs(&self, tools: &ToolSet, geometry: &Geometry) -> Vec<String> {
        let writer = self.writer(Numbers::Named(geometry.axes));
        writer.map_or_else(Vec::new, |writer| writer.offered(tools))
    }

    /// Returns the JSON array of the functions that this family publishes, for a request's `tools`. Leaves out tools
    /// that are switched off. Returns `None` if the family publishes none.
    pub fn schema(&self, tools: &ToolSet, geometry: &Geometry) -> Option<String> {
        self.writer(Numbers::Named(geometry.axes))?.schema(tools, geometry)
    }

    /// Returns the tools that this family has no call for. Leaves out tools that only look, because a new picture
    /// follows every reply anyway.
    pub fn lacks(&self, tools: &ToolSet) -> Vec<&'static Tool> {
        let Some(writer) = self.writer(Numbers::Named(self.axes)) else {
            return Vec::new();
        };
        let looks = |tool: &Tool| matches!(tool.verb, Verb::Screenshot | Verb::Observe);
        let tools = tools.sorted().into_iter();
        tools.filter(|tool| !looks(tool) && !writer.has(tool)).collect()
    }

    fn writer<'a>(&'a self, numbers: Numbers<'a>) -> Option<Writer<'a>> {
        self.dialect.writer(&self.manner, numbers)
    }

    /// Returns the geometry of this family's numbers for a picture and a screen of these sizes.
    pub fn geometry(&self, picture: Option<(u32, u32)>, screen: Option<(u32, u32)>) -> Geometry {
        Geometry {
            space: self.space,
            axes: self.axes,
            picture,
            screen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_family_file_is_valid() {
        for (name, text) in builtin::FILES {
            let family = Family::read(name, text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(family.name, name);
            assert!(text.starts_with("# "), "{name} names its source");
        }
        assert_eq!(Family::all().len(), builtin::FILES.len());
        assert_eq!(Family::franz().name, "franz");
    }

    #[test]
    fn ids_find_their_family() {
        let families = Family::all();
        for (id, wanted) in [
            ("Qwen/Qwen3-VL-8B-Instruct", Some("qwen3-vl")),
            ("qwen2.5vl:7b", Some("qwen2.5-vl")),
            ("qwen/qwen3.8-27b", Some("qwen3.5")),
            ("qwen3-vl-embedding-2b", None),
            ("mPLUG/GUI-Owl-7B", Some("gui-owl")),
            ("gui-owl-1.5-8b-instruct", Some("gui-owl-1.5")),
            ("bartowski/microsoft_fara-7b-gguf", Some("fara")),
            ("fara1-5-9b-1", Some("fara-1.5")),
            ("bytedance-seed/ui-tars-1.5-7b", Some("ui-tars-1.5")),
            ("ui-tars-7b-dpo", Some("ui-tars-1.0")),
            ("ui-tars", Some("ui-tars")),
            ("ui-tars-2b-sft", Some("ui-tars-1.0")),
            ("doubao-1-5-ui-tars-250428", Some("doubao-ui-tars")),
            ("doubao-seed-1-8-251228", Some("seed")),
            ("doubao-seedream-4-0", None),
            ("xlangai/opencua-7b", Some("opencua")),
            ("opencua/opencua-a3b", Some("opencua-qwen2")),
            ("zai-org/glm-4.6v-flash", Some("glm-v")),
            ("zai-org/glm-4.6", None),
            ("autoglm-phone-9b", Some("autoglm")),
            ("hcompany/holo-3.1-4b", Some("holo3")),
            ("hcompany/holo4-27b", Some("holo4")),
            ("moonshotai/kimi-k3", Some("kimi")),
            ("gemma3:270m", None),
            ("google/gemma-4-12b", Some("gemma")),
            ("gpt-5.5", Some("openai")),
            ("local", None),
        ] {
            let found = Family::matching(&families, id).unwrap();
            assert_eq!(found.map(|family| family.name.as_str()), wanted, "{id}");
        }
    }

    #[test]
    fn pictures_follow_the_rule() {
        let rule = |multiple, most_pixels| PictureRule { multiple, most_pixels };
        for (rule, size, fitted) in [
            (PictureRule::default(), (1537, 865), (1537, 865)),
            (rule(32, 1_410_000), (1536, 864), (1536, 864)),
            (rule(28, 1_410_000), (1536, 864), (1512, 840)),
            (rule(28, 0), (512, 288), (504, 280)),
            (rule(32, 1_410_000), (3840, 2160), (1568, 864)),
            (rule(48, 645_120), (16, 16), (48, 48)),
        ] {
            assert_eq!(rule.fitted(size), fitted, "{rule:?} {size:?}");
        }
    }

    #[test]
    fn a_tie_names_both() {
        let read = |name| {
            Family::read(
                name,
                "models = [\"*abc*\"]\ndialect = \"franz\"\nspace = \"thousandths\"",
            )
            .unwrap()
        };
        let families = [read("one"), read("two")];
        let tie = Family::matching(&families, "my-abc").unwrap_err();
        assert_eq!(
            tie.to_string(),
            "the families one and two fit 'my-abc' equally well; name one with --family"
        );
    }
}
