//! The part of Markdown that is needed to check documents: fenced blocks, headings and link targets.

use std::path::{Path, PathBuf};

/// One document.
pub(crate) struct Document {
    /// The path from the root of the repository.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A fenced block.
#[derive(Debug, PartialEq)]
pub(crate) struct Block<'a> {
    /// The line number of the opening fence, from 1.
    pub(crate) line: usize,
    /// The word after the opening fence.
    pub(crate) info: &'a str,
    pub(crate) body: String,
}

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Checks the table between two marks in a document. Rewrites it if `INSTA_UPDATE=always` is set.
pub(crate) fn check_or_write_table(page: &str, [begin, end]: [&str; 2], table: &str) {
    let text = Document::named(page).text;
    let (before, rest) = text.split_once(begin).expect("the beginning of the table is marked");
    let (shown, behind) = rest.split_once(end).expect("the end of the table is marked");
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(root().join(page), format!("{before}{begin}{table}{end}{behind}")).unwrap();
    } else {
        let advice = "INSTA_UPDATE=always cargo test -p franz-agent --test it docs writes it anew";
        assert!(shown == table, "the table in {page} is not up to date: {advice}");
    }
}

impl Document {
    /// Returns the documents that people read first, and the pages of the book.
    pub(crate) fn all() -> Vec<Document> {
        let first = [
            "AGENTS.md",
            "ARCHITECTURE.md",
            "CHANGELOG.md",
            "CONTRIBUTING.md",
            "README.md",
            "SECURITY.md",
        ];
        let mut names = first.map(str::to_owned).to_vec();
        for entry in std::fs::read_dir(root().join("docs")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if Path::new(&name).extension().is_some_and(|kind| kind == "md") {
                names.push(format!("docs/{name}"));
            }
        }
        names.sort();
        names.into_iter().map(Document::named).collect()
    }

    pub(crate) fn named(name: impl Into<String>) -> Document {
        let name = name.into();
        let text = std::fs::read_to_string(root().join(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        Document { name, text }
    }

    pub(crate) fn blocks(&self) -> Vec<Block<'_>> {
        split(&self.text).0
    }

    /// Returns the targets of links and pictures outside of blocks.
    pub(crate) fn links(&self) -> Vec<String> {
        let prose = split(&self.text).1;
        let targets = prose.match_indices("](").map(|(at, _)| &prose[at + 2..]);
        let ended = targets.filter_map(|rest| rest.split_once(')'));
        ended.map(|(target, _)| target.trim().to_owned()).collect()
    }

    /// Returns the anchors by which links refer to the headings.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let prose = split(&self.text).1;
        let headings = prose.lines().filter(|line| line.starts_with('#'));
        headings
            .map(|line| anchor(line.trim_start_matches('#').trim()))
            .collect()
    }
}

fn anchor(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase)
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// Returns the blocks, and the text around them.
fn split(text: &str) -> (Vec<Block<'_>>, String) {
    let (mut blocks, mut prose) = (Vec::new(), String::new());
    let mut open: Option<(usize, Block<'_>)> = None;
    for (line, number) in text.lines().zip(1..) {
        let marks = line.len() - line.trim_start_matches('`').len();
        match &mut open {
            Some((fence, _)) if marks >= *fence && line.trim_end().len() == marks => {
                blocks.extend(open.take().map(|(_, block)| block));
            }
            Some((_, block)) => {
                block.body.push_str(line);
                block.body.push('\n');
            }
            None if marks >= 3 => {
                let block = Block {
                    line: number,
                    info: line[marks..].trim(),
                    body: String::new(),
                };
                open = Some((marks, block));
            }
            None => {
                prose.push_str(line);
                prose.push('\n');
            }
        }
    }
    assert!(open.is_none(), "a block is not closed: {open:?}");
    (blocks, prose)
}

#[test]
fn blocks_and_links_are_found() {
    let document = Document {
        name: "page.md".to_owned(),
        text: "# The `first` heading, once\n[a](b.md#c)\n````reply-python\n```python\n[no](link)\n```\n````\n![d](e.png)\n```\n```\n".to_owned(),
    };
    let block = |line, info, body: &str| Block {
        line,
        info,
        body: body.to_owned(),
    };
    assert_eq!(
        document.blocks(),
        [
            block(3, "reply-python", "```python\n[no](link)\n```\n"),
            block(9, "", "")
        ]
    );
    assert_eq!(document.links(), ["b.md#c", "e.png"]);
    assert_eq!(document.anchors(), ["the-first-heading-once"]);
}
