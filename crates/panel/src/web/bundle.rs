//! Bundles the page's modules into a single script.

use std::fmt::Write as _;

/// Returns the module `main` and everything that it imports. Each module becomes a function that is called exactly
/// once. `source` returns a module's text by its name.
///
/// The modules are written to make this possible: each import is on one line, `export` comes directly before a
/// declaration, and no two modules import each other.
pub(crate) fn bundle(main: &str, source: &dyn Fn(&str) -> &'static str) -> String {
    let mut bundle = Bundle {
        source,
        known: Vec::new(),
        script: String::new(),
    };
    bundle.add(main);
    bundle.script
}

struct Bundle<'a> {
    source: &'a dyn Fn(&str) -> &'static str,
    /// The modules that are already in the script, or whose imports are being added.
    known: Vec<String>,
    script: String,
}

impl Bundle<'_> {
    fn add(&mut self, module: &str) {
        if self.known.iter().any(|known| known == module) {
            return;
        }
        self.known.push(module.to_owned());
        let (mut body, mut exports) = (String::new(), Vec::new());
        for line in (self.source)(module).lines() {
            if let Some(import) = line.strip_prefix("import ") {
                let Some((names, other)) = read_import(import) else {
                    continue;
                };
                self.add(other);
                if !names.is_empty() {
                    let names = names.replace(" as ", ": ");
                    let _ = writeln!(body, "const {names} = {};", variable(other));
                }
                continue;
            }
            let exported = line.strip_prefix("export ");
            exports.extend(exported.and_then(name));
            let _ = writeln!(body, "{}", exported.unwrap_or(line));
        }
        let _ = writeln!(
            self.script,
            "const {} = (() => {{\n{body}return {{ {} }};\n}})();",
            variable(module),
            exports.join(", ")
        );
    }
}

/// Parses the part after `import`: `{ NAMES } from "./MODULE";` or `"./MODULE";`.
fn read_import(import: &str) -> Option<(&str, &str)> {
    let (names, rest) = import.split_once("\"./")?;
    let names = names.trim_end().trim_end_matches("from").trim_end();
    Some((names, rest.split_once('"')?.0))
}

/// Returns the name in a declaration.
fn name(declaration: &str) -> Option<&str> {
    let kinds = ["async function ", "function ", "class ", "const ", "let "];
    let rest = kinds.iter().find_map(|kind| declaration.strip_prefix(kind))?;
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    Some(&rest[..end.unwrap_or(rest.len())])
}

fn variable(module: &str) -> String {
    format!("${}", module.trim_end_matches(".js").replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_come_before_those_that_need_them_and_only_once() {
        let source = |name: &str| match name {
            "main.js" => "import { b as c } from \"./b.js\";\nimport \"./a.js\";\nc();\n",
            "a.js" => "import { b } from \"./b.js\";\nb();\n",
            _ => "export const b = () => 1;\nexport async function d() {}\nexport class E extends F {}\n",
        };
        let script = bundle("main.js", &source);
        let expected = "const $b = (() => {\nconst b = () => 1;\nasync function d() {}\nclass E extends F {}\nreturn { b, d, E };\n})();\n\
                        const $a = (() => {\nconst { b } = $b;\nb();\nreturn {  };\n})();\n\
                        const $main = (() => {\nconst { b: c } = $b;\nc();\nreturn {  };\n})();\n";
        assert_eq!(script, expected);
    }
}
