//! The tables in the report: models, pairs, costs, and excluded attempts.

use super::page::Page;
use crate::report::model::ModelSummary;
use crate::report::summary::SuiteReport;
use crate::report::words::{count, grouped, hundredths, mean, percent, points, span, times};
use crate::statistics::RateEstimate;

/// More reasons than these are only counted.
const MOST_REASONS: usize = 200;
/// More pairs than these are folded away.
const MOST_OPEN_PAIRS: usize = 15;

/// Writes each model's rate as a bar with its interval, and in numbers.
pub(super) fn models(page: &mut Page, report: &SuiteReport<'_>) {
    let k = report.repeats();
    let with = |shown: fn(&ModelSummary<'_>) -> bool| report.models.iter().any(shown);
    let (bounds, scores) = (with(|model| model.bound.is_some()), with(|model| model.score.is_some()));
    let faults = with(|model| model.counts.task_faults > 0);
    let skipped = with(|model| model.counts.skipped > 0);
    let caption = "How many tasks each model solves. The bar shows the rate, and the line on it the 95 % interval.";
    page.start_of_table("models", "Models", caption);
    for title in ["Model", "Solved", "95 % interval"] {
        page.column(title);
    }
    if k > 1 {
        page.column(&format!("pass@{k}"));
        page.column(&format!("pass^{k}"));
    }
    for (title, shown) in [
        ("Score", scores),
        ("Attempts", true),
        ("Infrastructure errors", bounds),
        ("Solved if these failed", bounds),
        ("Task faults", faults),
        ("Skipped", skipped),
    ] {
        if shown {
            page.column(title);
        }
    }
    page.start_of_rows();
    for model in &report.models {
        page.start_of_row(model.model);
        page.markup("<td class=\"rate\">");
        if let Some(rate) = model.rate {
            bar(page, &rate);
        } else {
            page.markup("no results");
        }
        page.markup("</td>");
        page.cell(model.rate.map_or(String::new(), |rate| interval(&rate)));
        if k > 1 {
            let pass = model.pass.iter().find(|pass| pass.k == k);
            page.cell(pass.map_or(String::new(), |pass| percent(pass.at_least_one)));
            page.cell(pass.map_or(String::new(), |pass| percent(pass.each)));
        }
        if scores {
            page.cell(model.score.map_or(String::new(), |score| format!("{:.2}", score.mean)));
        }
        page.cell(grouped(model.counts.counted().attempts));
        if bounds {
            let words = |bound: RateEstimate| format!("{} ({})", percent(bound.mean), interval(&bound));
            page.cell(grouped(model.counts.infrastructure));
            page.cell(model.bound.map_or(String::new(), words));
        }
        if faults {
            page.cell(grouped(model.counts.task_faults));
        }
        if skipped {
            page.cell(grouped(model.counts.skipped));
        }
        page.end_of_row();
    }
    page.end_of_table();
}

fn interval(rate: &RateEstimate) -> String {
    span(rate.interval.low, rate.interval.high, hundredths)
}

fn bar(page: &mut Page, rate: &RateEstimate) {
    page.markup("<span class=\"value\">");
    page.text(&percent(rate.mean));
    page.markup("</span><span class=\"bar\" aria-hidden=\"true\"><span class=\"fill\" style=\"width:");
    page.share(rate.mean);
    page.markup("\"></span><span class=\"whisker\" style=\"left:");
    page.share(rate.interval.low);
    page.markup(";width:");
    page.share(rate.interval.high - rate.interval.low);
    page.markup("\"></span></span>");
}

/// Writes every pair of models; nothing if there is none.
pub(super) fn pairs(page: &mut Page, report: &SuiteReport<'_>) {
    if report.pairs.is_empty() {
        return;
    }
    let caption = "Each pair of models on the tasks that both have results on. Differences are in percentage points.";
    let many = report.pairs.len() > MOST_OPEN_PAIRS;
    if many {
        page.markup("<details>\n<summary>All pairs of models: ");
        page.number(report.pairs.len() as u64);
        page.markup("</summary>\n");
    }
    page.start_of_table("pairs", "Pairs", caption);
    for title in [
        "Ahead",
        "Behind",
        "Solved",
        "Difference",
        "95 % interval",
        if report.pairs.len() == 1 { "p" } else { "p (Holm)" },
        "Finding",
        "Results",
    ] {
        page.column(title);
    }
    page.start_of_rows();
    for pair in &report.pairs {
        let interval = pair.difference.interval;
        page.start_of_row(pair.first);
        page.markup("<td class=\"name\" dir=\"auto\">");
        page.text(pair.second);
        page.markup("</td>");
        page.cell(format!("{} : {}", percent(pair.first_rate), percent(pair.second_rate)));
        page.cell(points(pair.difference.mean));
        page.cell(interval.map_or("none".to_owned(), |interval| span(interval.low, interval.high, points)));
        page.cell(pair.p_words());
        page.markup(if pair.told_apart {
            "<td class=\"apart\">better</td>"
        } else {
            "<td class=\"same\">not told apart</td>"
        });
        page.cell(times(pair.difference.tasks, pair.repeats));
        page.end_of_row();
    }
    page.end_of_table();
    if many {
        page.markup("</details>\n");
    }
}

/// Writes what an attempt takes on average; nothing if none counts.
pub(super) fn per_attempt(page: &mut Page, report: &SuiteReport<'_>) {
    let counted = || {
        report
            .models
            .iter()
            .filter_map(|model| Some((model.model, model.per_attempt?)))
    };
    if counted().next().is_none() {
        return;
    }
    let seconds = counted().any(|(_, means)| means.seconds.is_some());
    page.start_of_table("means", "Per attempt", "Means over the attempts that count.");
    let titles = [
        "Model",
        "Turns",
        "Tokens in",
        "Tokens out",
        "Seconds",
        "Held",
        "Refused",
        "Malformed",
        "Loops",
        "Gave up",
    ];
    for title in titles.into_iter().filter(|&title| seconds || title != "Seconds") {
        page.column(title);
    }
    page.start_of_rows();
    for (model, means) in counted() {
        page.start_of_row(model);
        page.cell(mean(means.turns));
        page.cell(mean(means.prompt_tokens));
        page.cell(mean(means.completion_tokens));
        if seconds {
            page.cell(means.seconds.map_or(String::new(), mean));
        }
        for value in [means.held, means.refused, means.malformed, means.loops, means.gave_up] {
            page.cell(mean(value));
        }
        page.end_of_row();
    }
    page.end_of_table();
}

/// Writes why attempts do not count; nothing if all do.
pub(super) fn errors(page: &mut Page, report: &SuiteReport<'_>) {
    if report.errors.is_empty() {
        return;
    }
    page.start_of_table(
        "errors",
        "Not counted",
        "Why attempts do not count, the most frequent reason first.",
    );
    for title in ["Kind", "Attempts", "Task", "Reason"] {
        page.column(title);
    }
    page.start_of_rows();
    for error in report.errors.iter().take(MOST_REASONS) {
        page.start_of_row(if error.kind == "task_fault" {
            "task fault"
        } else {
            error.kind
        });
        page.cell(grouped(error.attempts));
        page.markup("<td class=\"name\" dir=\"auto\">");
        page.text(error.task);
        if error.tasks > 1 {
            page.text(&format!(" and {}", count(error.tasks - 1, "other", "others")));
        }
        page.markup("</td><td class=\"why\" dir=\"auto\">");
        page.text(error.why);
        page.markup("</td>");
        page.end_of_row();
    }
    page.end_of_table();
    if report.errors.len() > MOST_REASONS {
        page.markup("<p>More reasons: ");
        page.number((report.errors.len() - MOST_REASONS) as u64);
        page.markup(".</p>\n");
    }
}
