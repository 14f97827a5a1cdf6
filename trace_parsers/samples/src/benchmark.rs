//! Results that benchmarks print: sysbench, pgbench, hackbench, schbench, the NAS parallel benchmarks, and tables of mmtests.
//!
//! A text may have several runs, of several tools. A line that only one tool prints begins a run; the following lines are that tool's. A value
//! that is printed again within a run replaces the first: schbench reports its progress in the form of its result.

use numalens_columns::{ByteSource, DecodeError, ReadOptions};

use crate::lines::Lines;
use crate::machine::Machine;
use crate::mmtests::{self, Table};
use crate::number::{Odd, short};
use crate::read::summary;
use crate::rows::Rows;
use crate::summary::Output;
use crate::{SampleKind, SampleSink, SampleSummary, SampleTableId};

pub(crate) const HIGHER: &str = "higher";
pub(crate) const LOWER: &str = "lower";
pub(crate) const NEITHER: &str = "neither";

/// Different figures of a run.
const MOST_FIGURES: usize = 64;
/// Settings of a run.
const MOST_SETTINGS: usize = 4;

/// Text before a value, its name, its unit, and which way is better.
type Key = (&'static str, &'static str, &'static str, &'static str);

/// Tool whose output has one value per line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tool {
    Sysbench,
    Pgbench,
    Hackbench,
    Schbench,
    Nas,
}

// src/sysbench.c, src/tests/*, src/lua/internal/sysbench.lua of sysbench 0.4 to 1.1.
const SYSBENCH: &[Key] = &[
    ("events per second:", "events", "/s", HIGHER),
    ("transactions:", "transactions", "/s", HIGHER),
    ("queries:", "queries", "/s", HIGHER),
    ("ignored errors:", "ignored errors", "/s", LOWER),
    ("Total operations:", "operations", "/s", HIGHER),
    ("reads/s:", "reads", "/s", HIGHER),
    ("writes/s:", "writes", "/s", HIGHER),
    ("fsyncs/s:", "fsyncs", "/s", HIGHER),
    ("read, MiB/s:", "read", "MiB/s", HIGHER),
    ("written, MiB/s:", "written", "MiB/s", HIGHER),
    ("total time:", "total time", "s", NEITHER),
    ("avg:", "mean latency", "ms", LOWER),
    ("max:", "longest latency", "ms", LOWER),
];
// src/bin/pgbench/pgbench.c, printResults, PostgreSQL 9.6 to 17; before 9.6 with a colon.
const PGBENCH: &[Key] = &[
    ("tps =", "transactions", "/s", HIGHER),
    ("latency average =", "mean latency", "ms", LOWER),
    ("latency average:", "mean latency", "ms", LOWER),
    ("latency stddev =", "deviation of the latency", "ms", LOWER),
    (
        "number of failed transactions:",
        "failed transactions",
        "",
        LOWER,
    ),
    (
        "number of transactions skipped:",
        "skipped transactions",
        "",
        LOWER,
    ),
];
// src/hackbench/hackbench.c of rt-tests.
const HACKBENCH: &[Key] = &[("Time:", "time", "s", LOWER)];
// schbench.c: show_latencies, and the end of main.
const SCHBENCH: &[Key] = &[
    ("average rps:", "requests", "/s", HIGHER),
    ("avg worker transfer:", "transfers", "/s", HIGHER),
];
// common/print_results.f90 of NPB 3.
const NAS: &[Key] = &[
    ("Time in seconds =", "time", "s", LOWER),
    ("Mop/s total     =", "operations", "Mop/s", HIGHER),
];

impl Tool {
    /// Tool whose run a line begins.
    fn begun(line: &str) -> Option<Self> {
        let digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        if line.strip_prefix("sysbench ").is_some_and(digit) {
            Some(Self::Sysbench)
        } else if line.strip_prefix("pgbench (").is_some_and(digit)
            || line.starts_with("transaction type: ")
        {
            Some(Self::Pgbench)
        } else if line.starts_with("Running in process mode with ")
            || line.starts_with("Running in threaded mode with ")
        {
            Some(Self::Hackbench)
        } else if percentiles(line).is_some() {
            Some(Self::Schbench)
        } else if completed(line).is_some() || is_time(line) {
            Some(Self::Nas)
        } else {
            None
        }
    }

    /// Name, values, and the value of every complete result with the text before it; schbench has any.
    fn about(self) -> (&'static str, &'static [Key], &'static str, &'static str) {
        match self {
            Self::Sysbench => ("sysbench", SYSBENCH, "total time", "total time:"),
            Self::Pgbench => ("pgbench", PGBENCH, "transactions", "tps ="),
            Self::Hackbench => ("hackbench", HACKBENCH, "time", "Time:"),
            Self::Schbench => ("schbench", SCHBENCH, "", "percentiles"),
            Self::Nas => ("NAS", NAS, "time", "Time in seconds ="),
        }
    }
}

/// A value of a run.
#[derive(Debug)]
struct Figure {
    name: String,
    value: f64,
    unit: &'static str,
    better: &'static str,
}

/// Output of a tool about one run.
#[derive(Debug)]
struct Run {
    tool: Tool,
    /// Line of its beginning.
    line: u64,
    /// Settings that distinguish it from other runs, such as the number of threads.
    setup: Vec<String>,
    figures: Vec<Figure>,
    /// schbench: what the following percentiles are of.
    kind: Option<Kind>,
}

/// Name, unit and better direction of the percentiles of schbench.
type Kind = (&'static str, &'static str, &'static str);

impl Run {
    fn new(tool: Tool, line: u64) -> Self {
        Self {
            tool,
            line,
            setup: Vec::new(),
            figures: Vec::new(),
            kind: None,
        }
    }

    fn has(&self, name: &str) -> bool {
        self.figures.iter().any(|figure| figure.name == name)
    }

    /// Returns whether a line that begins a run of the same tool belongs to this one.
    fn goes_on(&self, line: &str) -> bool {
        match self.tool {
            // Its version and its first setting both begin a run.
            Tool::Pgbench => self.figures.is_empty() && self.setup.is_empty(),
            Tool::Schbench => !SCHBENCH.iter().any(|key| self.has(key.1)),
            Tool::Nas => is_time(line) && !self.has("time") && grepped(line).is_none(),
            Tool::Sysbench | Tool::Hackbench => false,
        }
    }

    fn set(&mut self, name: String, value: f64, unit: &'static str, better: &'static str) {
        let figure = Figure {
            name,
            value,
            unit,
            better,
        };
        let place = self.figures.iter().position(|old| old.name == figure.name);
        match place {
            Some(place) => self.figures[place] = figure,
            None if self.figures.len() < MOST_FIGURES => self.figures.push(figure),
            None => {}
        }
    }

    fn setting(&mut self, text: &str, what: &str) -> Result<(), Odd> {
        if self.setup.len() < MOST_SETTINGS {
            self.setup.push(format!("{}{what}", short(text.trim())?));
        }
        Ok(())
    }

    fn line(&mut self, line: &str) -> Result<(), Odd> {
        match self.tool {
            Tool::Sysbench => self.sysbench(line)?,
            Tool::Pgbench => {
                if let Some(clients) = after(line, "number of clients:") {
                    self.setting(clients, " clients")?;
                }
                if let Some(script) = after(line, "transaction type: <builtin: ") {
                    self.setup
                        .push(short(script.trim_end_matches('>'))?.to_owned());
                }
                // Older versions print it with and without the time of connecting.
                if line.contains("(including connections establishing)") {
                    return Ok(());
                }
            }
            Tool::Hackbench => {
                if let Some((head, tasks)) = line.split_once("(== ") {
                    let tasks = tasks.split(' ').next().unwrap_or_default();
                    let mode = head.split(' ').nth(2).unwrap_or_default();
                    self.setup = vec![format!("{} tasks", short(tasks)?), format!("{mode} mode")];
                }
            }
            Tool::Schbench => self.schbench(line)?,
            Tool::Nas => return self.nas(line),
        }
        for &(key, name, unit, better) in self.tool.about().1 {
            if let Some(rest) = after(line, key) {
                self.set(name.to_owned(), value(rest, key)?, unit, better);
            }
        }
        Ok(())
    }

    fn sysbench(&mut self, line: &str) -> Result<(), Odd> {
        if let Some(threads) = after(line, "Number of threads:") {
            self.setting(threads, " threads")?;
        } else if let Some((percentile, rest)) = line.split_once("th percentile:") {
            let name = format!("p{} latency", short(percentile.trim())?);
            self.set(
                name,
                value(rest, "a percentile of the latency")?,
                "ms",
                LOWER,
            );
        } else if let Some((_, rate)) = line.split_once(" MiB transferred ") {
            let rate = value(rate, "MiB/sec")?;
            self.set("transferred".to_owned(), rate, "MiB/s", HIGHER);
        }
        Ok(())
    }

    fn schbench(&mut self, line: &str) -> Result<(), Odd> {
        if let Some(kind) = percentiles(line).or_else(|| rps(line)) {
            self.kind = Some(kind);
            return Ok(());
        }
        let Some((name, unit, better)) = self.kind else {
            return Ok(());
        };
        let marked = line.trim_start_matches(['*', ' ']);
        if let Some((percentile, rest)) = marked.split_once("th:") {
            let percentile = value(percentile, "a percentile of schbench")?;
            let name = format!("p{percentile} {name}");
            self.set(name, value(rest, "a value of schbench")?, unit, better);
        } else if let (true, Some((_, most))) = (better == LOWER, line.split_once(", max=")) {
            let most = value(most, "the longest latency of schbench")?;
            self.set(format!("longest {name}"), most, unit, better);
        }
        Ok(())
    }

    fn nas(&mut self, line: &str) -> Result<(), Odd> {
        if let Some(name) = completed(line) {
            self.setting(name, "")?;
        }
        if let (true, Some((file, _))) = (is_time(line), grepped(line)) {
            self.setup = of_file(file);
        }
        let Some((key, rest)) = line.rsplit(": ").next().unwrap_or(line).split_once('=') else {
            return Ok(());
        };
        match key.trim() {
            "Class" => {
                if let [name] = &mut self.setup[..]
                    && !name.contains('.')
                {
                    *name = format!("{name}.{}", rest.trim().get(..1).unwrap_or_default());
                }
            }
            "Total threads" | "Threads" => self.setting(rest, " threads")?,
            "Total processes" => self
                .setup
                .push(format!("{} processes", short(rest.trim())?)),
            "Verification" if rest.trim() != "SUCCESSFUL" => self.setting("not verified", "")?,
            key => {
                let named = |known: &&Key| known.0.trim_end_matches('=').trim() == key;
                if let Some(&(known, name, unit, better)) = NAS.iter().find(named) {
                    self.set(name.to_owned(), value(rest, known)?, unit, better);
                }
            }
        }
        Ok(())
    }

    /// Writes the figures of the run, which has ended.
    fn write(self, rows: &mut Rows) -> Result<(), Odd> {
        let (tool, _, name, text) = self.tool.about();
        if self.figures.is_empty() || !(name.is_empty() || self.has(name)) {
            return Err(Odd {
                expected: format!("\"{text}\" in the result of {tool}"),
                found: "a run without it, which was probably interrupted".to_owned(),
            });
        }
        let setup = self.setup.join(", ");
        let none: (Option<&str>, Option<f64>) = (None, None);
        let setup = setup.as_str();
        for figure in &self.figures {
            let (name, unit, better) = (figure.name.as_str(), figure.unit, figure.better);
            rows.sampled(SampleTableId::Benchmarks, name);
            rows.push(
                SampleTableId::Benchmarks,
                cells![
                    tool,
                    setup,
                    name,
                    none.0,
                    figure.value,
                    unit,
                    better,
                    none.1,
                    false
                ],
            );
        }
        Ok(())
    }
}

/// Text after a key at the beginning of a line.
fn after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.strip_prefix(key).map(str::trim)
}

/// Number of a figure; of "7 (3.5 per sec.)" the rate.
fn value(text: &str, what: &str) -> Result<f64, Odd> {
    let inner = text
        .split_once('(')
        .filter(|(_, rate)| rate.contains("/sec") || rate.contains(" per s"));
    let word = inner
        .map_or(text, |(_, rate)| rate)
        .split_whitespace()
        .next();
    let number = word
        .unwrap_or_default()
        .trim_end_matches(|c: char| c.is_alphabetic());
    let value = number
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite() && *value >= 0.0);
    value.ok_or_else(|| Odd::new(format!("a number of \"{what}\""), text))
}

/// Quantity of the percentiles below a heading of schbench.
fn percentiles(line: &str) -> Option<Kind> {
    let us = ("us", LOWER);
    let (name, _) = line.split_once(" percentiles (usec)")?;
    match name {
        "Wakeup Latencies" | "Latency" => Some(("wakeup latency", us.0, us.1)),
        "Request Latencies" => Some(("request latency", us.0, us.1)),
        _ => None,
    }
}

fn rps(line: &str) -> Option<Kind> {
    let rps = line.starts_with("RPS percentiles (requests)");
    rps.then_some(("requests", "/s", HIGHER))
}

/// Name of a completed NAS benchmark.
fn completed(line: &str) -> Option<&str> {
    let (name, _) = line.split_once(" Benchmark Completed")?;
    (!name.contains(' ')).then_some(name)
}

/// Returns whether a line has the time of a NAS benchmark, as in its output or found in several by grep.
fn is_time(line: &str) -> bool {
    let line = grepped(line).map_or(line, |(_, line)| line);
    line.strip_prefix("Time in seconds")
        .is_some_and(|rest| rest.trim_start().starts_with('='))
}

/// File name and line that grep printed.
fn grepped(line: &str) -> Option<(&str, &str)> {
    let (file, line) = line.split_once(": ")?;
    (!file.contains(' ')).then(|| (file, line.trim_start()))
}

/// Benchmark and threads in the name of a log, such as `sp.C.x.defaultRun.008threads.loop01.log`.
fn of_file(file: &str) -> Vec<String> {
    let file = file.rsplit('/').next().unwrap_or(file);
    let parts: Vec<&str> = file.split('.').collect();
    let name = match parts[..] {
        [name, class, "x", ..] => format!("{}.{class}", name.to_uppercase()),
        _ => String::new(),
    };
    let threads = parts.iter().filter_map(|part| part.strip_suffix("threads"));
    let threads = threads.map(|count| format!("{} threads", count.trim_start_matches('0')));
    [name]
        .into_iter()
        .chain(threads)
        .filter(|part| !part.is_empty())
        .take(2)
        .collect()
}

/// A line without the marks of a quoted message, and without spaces around it.
fn plain(line: &str) -> &str {
    line.trim_start_matches(['>', ' ', '\t']).trim_end()
}

/// Returns whether a file begins like the output of a benchmark.
#[must_use]
pub fn sniff_benchmark(head: &[u8]) -> bool {
    if head.contains(&0) {
        return false;
    }
    let text = String::from_utf8_lossy(head);
    let mut lines = text.lines().map(plain);
    lines.any(|line| Tool::begun(line).is_some() || mmtests::is_row(line))
}

/// Reads the results of benchmarks into the table of their figures.
///
/// # Errors
/// One sentence with the line: what was expected there, or the sink refused.
pub fn read_benchmark(
    source: &dyn ByteSource,
    name: &str,
    options: &ReadOptions,
    sink: &mut dyn SampleSink,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<SampleSummary, DecodeError> {
    let total = source.bytes().len() as u64;
    let mut machine = Machine::new(name);
    let mut out = Output::new(options.tolerant, sink);
    let mut lines = Lines::new(source);
    let mut run: Option<Run> = None;
    let mut table = Table::default();
    while let Some(line) = lines.next() {
        out.line = line.number;
        let text = line.text().unwrap_or_default();
        let text = plain(&text);
        if let Some(tool) = Tool::begun(text)
            && !run
                .as_ref()
                .is_some_and(|run| run.tool == tool && run.goes_on(text))
        {
            end(
                run.replace(Run::new(tool, line.number)),
                &mut machine,
                &mut out,
            )?;
        }
        if mmtests::is_row(text) {
            end(run.take(), &mut machine, &mut out)?;
        }
        let taken = table.line(text, &mut machine.rows);
        let taken = taken.and_then(|is_row| match &mut run {
            Some(run) if !is_row => run.line(text),
            _ => Ok(()),
        });
        if let Err(odd) = taken {
            out.odd(odd)?;
        }
        machine.rows.write_full(out.sink)?;
        if let Some(done) = lines.release() {
            progress(done, total);
        }
    }
    end(run, &mut machine, &mut out)?;
    machine.rows.write_all(out.sink)?;
    out.finish()?;
    progress(total, total);
    Ok(summary(SampleKind::Benchmark, &machine))
}

/// Writes a run that has ended; one that is incomplete is an error at its first line.
fn end(run: Option<Run>, machine: &mut Machine, out: &mut Output<'_>) -> Result<(), DecodeError> {
    let Some(run) = run else { return Ok(()) };
    let (begun, here) = (run.line, out.line);
    if let Err(odd) = run.write(&mut machine.rows) {
        out.line = begun;
        out.odd(odd)?;
        out.line = here;
    }
    Ok(())
}
