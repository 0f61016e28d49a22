//! Binds a call's arguments to parameters, with `CPython`'s rules and wording. Used for the host's functions and for
//! the block's own.

/// The parameters of something callable.
#[derive(Clone, Copy, Debug)]
pub struct Signature<'a> {
    /// The name that errors use.
    pub name: &'a str,
    /// Positional-or-keyword parameters: name, and whether it has a default.
    pub params: &'a [(&'a str, bool)],
    /// How many of `params`, from the left, cannot be passed by keyword.
    pub positional_only: usize,
    /// Keyword-only parameters: name, and whether it has a default.
    pub keyword_only: &'a [(&'a str, bool)],
    /// Whether `*args` takes the remaining positional arguments.
    pub rest: bool,
    /// Whether `**kwargs` takes the remaining keyword arguments.
    pub extra: bool,
}

/// Arguments assigned to their parameters.
#[derive(Debug, PartialEq)]
pub struct BoundArgs<V> {
    /// One slot per parameter, keyword-only ones last; `None` where the default applies.
    pub slots: Vec<Option<V>>,
    /// The arguments that `*args` takes.
    pub rest: Vec<V>,
    /// The arguments that `**kwargs` takes.
    pub extra: Vec<(String, V)>,
}

impl Signature<'_> {
    /// Assigns each argument to its parameter.
    ///
    /// # Errors
    /// The message of the `TypeError` that `CPython` 3.11 raises.
    pub fn bind<V>(&self, positional: Vec<V>, keywords: Vec<(String, V)>) -> Result<BoundArgs<V>, String> {
        let given = positional.len();
        let mut bound = BoundArgs {
            slots: Vec::new(),
            rest: Vec::new(),
            extra: Vec::new(),
        };
        bound
            .slots
            .resize_with(self.params.len() + self.keyword_only.len(), || None);
        for (i, value) in positional.into_iter().enumerate() {
            if i < self.params.len() {
                bound.slots[i] = Some(value);
            } else {
                bound.rest.push(value);
            }
        }
        for (name, value) in keywords {
            self.bind_keyword(&mut bound, name, value)?;
        }
        if !self.rest && given > self.params.len() {
            return Err(self.too_many(given, &bound));
        }
        self.require(&bound, 0, self.params, "positional argument")?;
        self.require(&bound, self.params.len(), self.keyword_only, "keyword-only argument")?;
        Ok(bound)
    }

    fn bind_keyword<V>(&self, bound: &mut BoundArgs<V>, name: String, value: V) -> Result<(), String> {
        let named = self.params.iter().chain(self.keyword_only);
        let place = named
            .map(|(known, _)| *known)
            .enumerate()
            .skip(self.positional_only)
            .find(|(_, known)| *known == name);
        match place {
            Some((i, _)) if bound.slots[i].is_some() => {
                Err(format!("{}() got multiple values for argument '{name}'", self.name))
            }
            Some((i, _)) => {
                bound.slots[i] = Some(value);
                Ok(())
            }
            None if self.extra && bound.extra.iter().any(|(known, _)| *known == name) => Err(format!(
                "{}() got multiple values for keyword argument '{name}'",
                self.name
            )),
            None if self.extra => {
                bound.extra.push((name, value));
                Ok(())
            }
            None if self.params[..self.positional_only]
                .iter()
                .any(|(known, _)| *known == name) =>
            {
                Err(format!(
                    "{}() got some positional-only arguments passed as keyword arguments: '{name}'",
                    self.name
                ))
            }
            None => Err(format!("{}() got an unexpected keyword argument '{name}'", self.name)),
        }
    }

    fn too_many<V>(&self, given: usize, bound: &BoundArgs<V>) -> String {
        let most = self.params.len();
        let least = self.params.iter().filter(|(_, default)| !default).count();
        let takes = if least < most {
            format!("from {least} to {most} positional arguments")
        } else {
            format!("{most} positional argument{}", plural(most))
        };
        let keyword_given = bound.slots[most..].iter().flatten().count();
        let were = if keyword_given > 0 {
            format!(
                "{given} positional argument{} (and {keyword_given} keyword-only argument{}) were",
                plural(given),
                plural(keyword_given)
            )
        } else {
            format!("{given} {}", if given == 1 { "was" } else { "were" })
        };
        format!("{}() takes {takes} but {were} given", self.name)
    }

    fn require<V>(
        &self,
        bound: &BoundArgs<V>,
        first: usize,
        params: &[(&str, bool)],
        what: &str,
    ) -> Result<(), String> {
        let slots = bound.slots[first..].iter().zip(params);
        let missing: Vec<String> = slots
            .filter(|(slot, (_, default))| slot.is_none() && !default)
            .map(|(_, (name, _))| format!("'{name}'"))
            .collect();
        let names = match missing.as_slice() {
            [] => return Ok(()),
            [one] => one.clone(),
            [one, two] => format!("{one} and {two}"),
            [most @ .., last] => format!("{}, and {last}", most.join(", ")),
        };
        let (count, s) = (missing.len(), plural(missing.len()));
        Err(format!("{}() missing {count} required {what}{s}: {names}", self.name))
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bind(positional: usize, keywords: &[&str]) -> Result<BoundArgs<usize>, String> {
        let signature = Signature {
            name: "f",
            params: &[("a", false), ("b", true)],
            positional_only: 0,
            keyword_only: &[("k", true)],
            rest: false,
            extra: false,
        };
        let keywords = keywords.iter().map(|name| ((*name).to_owned(), 9)).collect();
        signature.bind((0..positional).collect(), keywords)
    }

    #[test]
    fn errors_read_like_cpython() {
        let cases = [
            (0, &[][..], "f() missing 1 required positional argument: 'a'"),
            (
                3,
                &[][..],
                "f() takes from 1 to 2 positional arguments but 3 were given",
            ),
            (
                3,
                &["k"][..],
                "f() takes from 1 to 2 positional arguments but 3 positional arguments (and 1 keyword-only argument) were given",
            ),
            (1, &["a"][..], "f() got multiple values for argument 'a'"),
            (3, &["z"][..], "f() got an unexpected keyword argument 'z'"),
        ];
        for (positional, keywords, message) in cases {
            assert_eq!(bind(positional, keywords), Err(message.to_owned()));
        }
    }

    #[test]
    fn arguments_are_bound_to_their_parameters() {
        let bound = bind(1, &["k"]).unwrap();
        assert_eq!(bound.slots, [Some(0), None, Some(9)]);
    }
}
