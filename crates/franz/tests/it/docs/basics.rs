//! Checks that the document on the built-in suite shows every task, with its goal and its pictures.

use franz_suite::Suite;

use crate::docs::markdown::root;

#[test]
fn every_built_in_task_has_its_section() {
    let suite = Suite::load(&root().join("crates/suite/basics"), &franz_suite::SuiteRules::NONE).unwrap();
    let page = std::fs::read_to_string(root().join("docs/basics.md")).unwrap();
    for task in &suite.tasks {
        let section = format!("## {}\n\n> {}\n\n![", task.name, task.goal);
        assert!(page.contains(&section), "docs/basics.md lacks:\n{section}");
        let picture = format!("(basics/{}.jpg)", task.name);
        assert!(page.contains(&picture), "docs/basics.md lacks {picture}");
    }
    assert_eq!(page.matches("\n## ").count(), suite.tasks.len());
}
