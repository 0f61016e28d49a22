//! Tests with real processes: shells that behave as agents might.

use std::sync::{Arc, Mutex};

use tokio::sync::mpsc::unbounded_channel;

use super::*;

/// A shell script, and its output.
struct Script {
    text: &'static str,
    said: Arc<Mutex<Vec<String>>>,
    completed: u64,
}

fn script(text: &'static str) -> (Script, Arc<Mutex<Vec<String>>>) {
    let said = Arc::<Mutex<Vec<String>>>::default();
    let script = Script {
        text,
        said: Arc::clone(&said),
        completed: 0,
    };
    (script, said)
}

impl AgentProcess for Script {
    fn command(&mut self) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", self.text]);
        command
    }

    fn first_line(&mut self) -> Option<String> {
        Some("first".to_owned())
    }

    fn said(&mut self, line: &str) {
        self.completed += u64::from(line == "turn");
        self.said.lock().unwrap().push(line.to_owned());
    }

    fn complained(&mut self, line: &str) {
        self.said.lock().unwrap().push(format!("! {line}"));
    }

    fn completed(&self) -> u64 {
        self.completed
    }

    fn has_ended(&self) -> bool {
        self.said.lock().unwrap().iter().any(|line| line == "over")
    }

    fn last_line(&mut self) -> Option<String> {
        Some("last".to_owned())
    }

    fn died(&mut self, how: &str) {
        assert!(how.contains("it restarts in 0 s"), "{how}");
    }

    fn last_words(&mut self, code: u8, said: &str) -> String {
        format!("{code}: {said}")
    }
}

fn options() -> SupervisorOptions {
    SupervisorOptions {
        backoff: Backoff::new(Duration::ZERO, 5),
        grace: Duration::from_millis(50),
        hub: Hub::default(),
    }
}

async fn outcome(text: &'static str) -> (ProcessEnd, Vec<String>) {
    let (agent, said) = script(text);
    let (_orders, received) = unbounded_channel();
    let outcome = supervise(agent, received, options()).await;
    let said = said.lock().unwrap().clone();
    (outcome, said)
}

#[tokio::test]
async fn final_exit_codes_are_passed_on_with_all_output() {
    for code in Exit::ALL.into_iter().filter(|exit| exit.is_final()).map(Exit::code) {
        let text: &'static str = Box::leak(format!("read b; echo $b; echo woe >&2; exit {code}").into_boxed_str());
        let (outcome, mut said) = outcome(text).await;
        said.sort();
        assert_eq!(outcome, ProcessEnd::Exited(code));
        assert_eq!(said, ["! woe", "first"]);
    }
}

#[tokio::test]
async fn an_agent_is_given_up_after_five_deaths_in_a_row() {
    let (outcome, said) = outcome("echo up; exit 1").await;
    assert_eq!(
        outcome,
        ProcessEnd::GivenUp("the agent ended with exit code 1".to_owned())
    );
    assert_eq!(said.len(), 5);
    let (outcome, _) = self::outcome("kill -9 $$").await;
    assert!(
        matches!(&outcome, ProcessEnd::GivenUp(how) if how.contains("signal: 9")),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn the_page_is_told_the_last_words_of_an_agent_that_died() {
    let (agent, _) = script("echo one >&2; echo 'franz: the disk is full' >&2; echo >&2; exit 1");
    let (_orders, received) = unbounded_channel();
    let options = options();
    let hub = options.hub.clone();
    let end = supervise(agent, received, options).await;
    assert_eq!(
        hub.look(|snapshot| snapshot.agent.detail.clone()),
        "gave up: the agent ended with exit code 1: the disk is full"
    );
    // The terminal has them already.
    let death = "the agent ended with exit code 1".to_owned();
    assert_eq!(end, ProcessEnd::GivenUp(death));
}

#[tokio::test]
async fn the_page_is_told_why_an_agent_could_not_begin() {
    let (agent, _) = script("echo 'franz: there is no screen' >&2; exit 4");
    let (_orders, received) = unbounded_channel();
    let options = options();
    let hub = options.hub.clone();
    assert_eq!(supervise(agent, received, options).await, ProcessEnd::Exited(4));
    assert_eq!(
        hub.look(|snapshot| snapshot.agent.detail.clone()),
        "4: there is no screen"
    );
}

/// If it crashes afterwards, the next one finds that the work is over.
#[tokio::test]
async fn a_failure_that_ends_the_work_is_final() {
    assert_eq!(outcome("echo over; exit 1").await.0, ProcessEnd::Exited(1));
    let (outcome, said) = outcome("echo over; kill -9 $$").await;
    assert!(matches!(outcome, ProcessEnd::GivenUp(_)));
    assert_eq!(said.len(), 5);
}

#[tokio::test]
async fn a_completed_turn_resets_the_death_count() {
    let directory = tempfile::tempdir().unwrap();
    let count = directory.path().join("count");
    let text = format!(
        "n=$(cat {0} 2>/dev/null || echo 0); n=$((n+1)); echo $n > {0}; [ $n = 4 ] && echo turn; exit 1",
        count.display()
    );
    let (outcome, said) = outcome(Box::leak(text.into_boxed_str())).await;
    assert!(matches!(outcome, ProcessEnd::GivenUp(_)));
    assert_eq!(
        (said, std::fs::read_to_string(count).unwrap().trim()),
        (vec!["turn".to_owned()], "8")
    );
}

#[tokio::test]
async fn an_agent_is_asked_to_end_and_keeps_its_exit_code() {
    let (agent, said) =
        script("read first; read order; read last; echo $order $last; read more || echo closed; exit 7");
    let (orders, received) = unbounded_channel();
    orders.send(ProcessOrder::Tell("pause".to_owned())).unwrap();
    orders.send(ProcessOrder::End).unwrap();
    let patient = SupervisorOptions {
        grace: Duration::from_mins(1),
        ..options()
    };
    assert_eq!(supervise(agent, received, patient).await, ProcessEnd::Exited(7));
    assert_eq!(*said.lock().unwrap(), ["pause last", "closed"]);
}

#[tokio::test]
async fn an_agent_that_ignores_the_order_to_end_is_killed() {
    let (agent, _) = script("trap '' TERM; while :; do read x; done");
    let (orders, received) = unbounded_channel();
    orders.send(ProcessOrder::End).unwrap();
    assert_eq!(supervise(agent, received, options()).await, ProcessEnd::Exited(0));
}

#[tokio::test]
async fn an_agent_that_prints_endlessly_is_stopped() {
    let (agent, _) = script("while :; do echo more; done");
    let (orders, received) = unbounded_channel();
    let supervised = tokio::spawn(supervise(agent, received, options()));
    orders.send(ProcessOrder::End).unwrap();
    assert_eq!(supervised.await.unwrap(), ProcessEnd::Exited(0));
}

#[tokio::test]
async fn an_agent_that_cannot_be_started_is_given_up() {
    struct Missing;
    impl AgentProcess for Missing {
        fn command(&mut self) -> Command {
            Command::new("/nowhere/at/all")
        }
        fn first_line(&mut self) -> Option<String> {
            None
        }
        fn said(&mut self, _: &str) {}
        fn complained(&mut self, _: &str) {}
        fn completed(&self) -> u64 {
            0
        }
        fn has_ended(&self) -> bool {
            false
        }
        fn last_line(&mut self) -> Option<String> {
            None
        }
        fn died(&mut self, _: &str) {}
        fn last_words(&mut self, _: u8, _: &str) -> String {
            String::new()
        }
    }
    let (_orders, received) = unbounded_channel();
    let outcome = supervise(Missing, received, options()).await;
    assert!(
        matches!(&outcome, ProcessEnd::GivenUp(how) if how.starts_with("it could not be started: ")),
        "{outcome:?}"
    );
}
