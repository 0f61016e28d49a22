//! `str.format`: replacement fields such as `{}`, `{0:>4}`, `{name!r}` and `{point[0]}`.

use super::number;
use crate::machine::{Args, Machine};
use crate::value::ExceptionKind;
use crate::value::{Buffer, Eval, Number, Value, fault, index_error, key_error, value_error};

/// How deeply fields can be nested in the specifications of other fields.
const MOST_NESTING: usize = 2;

/// Where the fields of one format get their values.
pub(crate) struct FieldSource<'s> {
    pub(crate) args: &'s Args,
    /// The mapping passed to `format_map`.
    pub(crate) mapping: Option<Value>,
    /// The number of the next `{}`; above 0 once one has been used.
    automatic: Option<usize>,
    numbered: bool,
}

impl<'s> FieldSource<'s> {
    pub(crate) fn new(args: &'s Args, mapping: Option<Value>) -> FieldSource<'s> {
        FieldSource {
            args,
            mapping,
            automatic: Some(0),
            numbered: false,
        }
    }

    /// Returns the number of a field without a name.
    fn next_number(&mut self) -> Eval<usize> {
        if self.numbered {
            return Err(value_error(
                "cannot switch from manual field specification to automatic field numbering",
            ));
        }
        let number = self.automatic.unwrap_or(0);
        self.automatic = Some(number + 1);
        Ok(number)
    }

    fn by_hand(&mut self) -> Eval<()> {
        if self.automatic.is_some_and(|next| next > 0) {
            return Err(value_error(
                "cannot switch from automatic field numbering to manual field specification",
            ));
        }
        self.numbered = true;
        Ok(())
    }
}

impl Machine<'_> {
    /// Replaces every field of a format.
    pub(crate) fn format_fields(
        &mut self,
        text: &mut Buffer,
        format: &str,
        source: &mut FieldSource<'_>,
        nesting: usize,
    ) -> Eval<()> {
        if nesting == 0 {
            return Err(value_error("Max string recursion exceeded"));
        }
        // Charge for finding the ends of each field and of its name before writing it.
        self.budget.walk(format.len())?;
        let mut rest = format;
        while let Some(at) = rest.find(['{', '}']) {
            self.budget.step()?;
            text.push_str(&rest[..at])?;
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(behind) = rest.strip_prefix(brace) {
                text.push_str(brace)?;
                rest = behind;
                continue;
            }
            if brace == "}" {
                return Err(value_error("Single '}' encountered in format string"));
            }
            if rest.is_empty() {
                return Err(value_error("Single '{' encountered in format string"));
            }
            let end = field_end(rest).ok_or_else(|| value_error("expected '}' before end of string"))?;
            self.field(text, &rest[..end], source, nesting)?;
            rest = &rest[end + 1..];
        }
        text.push_str(rest)
    }

    pub(crate) fn format_string(&mut self, format: &str, source: &mut FieldSource<'_>) -> Eval<Value> {
        let mut text = self.buffer()?;
        self.format_fields(&mut text, format, source, MOST_NESTING)?;
        self.written(text)
    }

    fn field(&mut self, text: &mut Buffer, field: &str, source: &mut FieldSource<'_>, nesting: usize) -> Eval<()> {
        let name_end = name_end(field);
        let (name, rest) = field.split_at(name_end);
        let mut value = self.field_value(name, source)?;
        let mut rest = rest;
        if let Some(conversion) = rest.strip_prefix('!') {
            let mut chars = conversion.chars();
            let kind = chars.next();
            rest = chars.as_str();
            value = match kind {
                Some(kind @ ('s' | 'r' | 'a')) => self.converted(value, kind)?,
                Some(kind) => return Err(value_error(format!("Unknown conversion specifier {kind}"))),
                None => return Err(value_error("end of string while looking for conversion specifier")),
            };
            if !rest.is_empty() && !rest.starts_with(':') {
                return Err(value_error("expected ':' after conversion specifier"));
            }
        }
        let spec = rest.strip_prefix(':').unwrap_or(rest);
        if spec.contains(['{', '}']) {
            let mut written = self.buffer()?;
            self.format_fields(&mut written, spec, source, nesting - 1)?;
            return self.format(text, value, &written);
        }
        self.format(text, value, spec)
    }

    fn field_value(&mut self, name: &str, source: &mut FieldSource<'_>) -> Eval<Value> {
        let first_end = name.find(['.', '[']).unwrap_or(name.len());
        let (first, mut path) = name.split_at(first_end);
        let mut value = self.field_start(first, source)?;
        while !path.is_empty() {
            if let Some(attribute) = path.strip_prefix('.') {
                let end = attribute.find(['.', '[']).unwrap_or(attribute.len());
                if end == 0 {
                    return Err(value_error("Empty attribute in format string"));
                }
                value = self.attribute(value, &attribute[..end])?;
                path = &attribute[end..];
            } else if let Some(item) = path.strip_prefix('[') {
                let end = item
                    .find(']')
                    .ok_or_else(|| value_error("Missing ']' in format string"))?;
                if end == 0 {
                    return Err(value_error("Empty attribute in format string"));
                }
                let key = self.field_key(&item[..end])?;
                value = self.item(value, key)?;
                path = &item[end + 1..];
            } else {
                return Err(value_error("Only '.' or '[' may follow ']' in format field specifier"));
            }
        }
        Ok(value)
    }

    fn field_start(&mut self, name: &str, source: &mut FieldSource<'_>) -> Eval<Value> {
        let number = match (name, name.parse::<usize>()) {
            ("", _) => Some(source.next_number()?),
            (_, Ok(number)) => {
                source.by_hand()?;
                Some(number)
            }
            (_, Err(_)) => None,
        };
        let Some(number) = number else {
            return self.field_named(name, source);
        };
        if source.mapping.is_some() {
            return Err(value_error("Format string contains positional fields"));
        }
        source.args.get(number).ok_or_else(|| {
            index_error(format!(
                "Replacement index {number} out of range for positional args tuple"
            ))
        })
    }

    fn field_named(&mut self, name: &str, source: &FieldSource<'_>) -> Eval<Value> {
        self.budget.walk(source.args.keywords.len())?;
        let given = source.args.keyword(name);
        if let (None, Some(value)) = (source.mapping, given) {
            return Ok(value);
        }
        let name = self.string(name)?;
        source
            .mapping
            .map_or(Err(key_error(name)), |mapping| self.item(mapping, name))
    }

    /// Reads a field's key: `[0]` is a number, anything else a string.
    fn field_key(&mut self, key: &str) -> Eval<Value> {
        if key.bytes().all(|byte| byte.is_ascii_digit()) {
            return match number::integer(key, 10, &self.budget)? {
                Number::Int(int) => Ok(Value::Int(int)),
                _ => Err(fault(
                    ExceptionKind::ValueError,
                    "Too many decimal digits in format string",
                )),
            };
        }
        self.string(key)
    }
}

/// Returns where a field ends, after any fields nested in it.
fn field_end(field: &str) -> Option<usize> {
    let mut depth = 0;
    let mut in_brackets = false;
    for (at, character) in field.char_indices() {
        match character {
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            '{' if !in_brackets => depth += 1,
            '}' if !in_brackets && depth == 0 => return Some(at),
            '}' if !in_brackets => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns where a field's name ends: at the conversion or the specification, but not inside brackets.
fn name_end(field: &str) -> usize {
    let mut in_brackets = false;
    for (at, character) in field.char_indices() {
        match character {
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            '!' | ':' if !in_brackets => return at,
            _ => {}
        }
    }
    field.len()
}
