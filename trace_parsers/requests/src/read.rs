//! Logs of requests: CSV, NDJSON and what `pgbench -l` writes.

use serde_json::Value;

use crate::logs;
use crate::request::{Request, Unit, decimal, iso, scaled};

/// Requests that are read at most.
const MOST: usize = 10_000_000;
/// Largest number of characters in an error message, however long a line of the log is.
const LONGEST: usize = 400;

/// Reads a log of requests. `recorded` is when the recording begins and ends: where nothing names the unit of a moment, it is one by which
/// the moment lies near.
///
/// # Errors
///
/// One sentence that says which line is wrong and what was expected there.
pub fn read(text: &str, recorded: (u64, u64)) -> Result<Vec<Request>, String> {
    read_all(text, recorded).map_err(|mut why| {
        if let Some((end, _)) = why.char_indices().nth(LONGEST) {
            why.truncate(end);
            why.push('…');
        }
        why
    })
}

fn read_all(text: &str, recorded: (u64, u64)) -> Result<Vec<Request>, String> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        // With a line of names, and one more, which is refused.
        .take(MOST + 2)
        .peekable();
    let Some(&(_, first)) = lines.peek() else {
        return Ok(Vec::new());
    };
    if let Some(why) = logs::refused(first) {
        return Err(why.to_owned());
    }
    let line_of = [logs::envoy, logs::nginx]
        .into_iter()
        .find(|it| it(first).is_some());
    let requests: Result<Vec<Request>, String> = if is_otlp(text) {
        logs::otlp(text)
    } else if let Some(line_of) = line_of {
        lines
            .map(|(at, line)| {
                line_of(line).ok_or_else(|| wrong(at, "expected a line like the first one"))
            })
            .collect()
    } else if first.starts_with('{') {
        lines
            .map(|(at, line)| object(line, recorded).map_err(|why| wrong(at, &why)))
            .collect()
    } else if is_pgbench(first) {
        lines
            .filter_map(|(at, line)| pgbench(line).map_err(|why| wrong(at, &why)).transpose())
            .collect()
    } else {
        let header = cells(first)
            .iter()
            .any(|cell| decimal(cell).is_none() && iso(cell).is_none());
        let columns = if header {
            let columns = Columns::named(&cells(first))?;
            lines.next();
            columns
        } else {
            Columns::UNNAMED
        };
        lines
            .map(|(at, line)| {
                columns
                    .request(&cells(line), recorded)
                    .map_err(|why| wrong(at, &why))
            })
            .collect()
    };
    let requests = requests?;
    if requests.len() > MOST {
        return Err(format!("expected at most {MOST} requests, found more"));
    }
    Ok(requests)
}

/// Returns whether a text is JSON of OpenTelemetry.
pub(crate) fn is_otlp(text: &str) -> bool {
    let start = text.trim_start();
    let key = start.strip_prefix('{').map(str::trim_start);
    key.is_some_and(|key| key.starts_with("\"resourceSpans\""))
}

fn wrong(line: usize, why: &str) -> String {
    format!("line {line}: {why}")
}

fn cells(line: &str) -> Vec<&str> {
    let by = if line.contains(',') {
        ','
    } else if line.contains(';') {
        ';'
    } else {
        '\t'
    };
    // Separators between quotation marks separate nothing.
    let mut quoted = false;
    let cells = line.split(|c: char| {
        quoted ^= c == '"';
        c == by && !quoted
    });
    cells.map(|cell| cell.trim().trim_matches('"')).collect()
}

// Tables.

/// Positions of a table's columns, and their units.
#[derive(Debug)]
struct Columns {
    start: (usize, Option<Unit>),
    /// The moment is that of the end.
    ends: bool,
    duration: (usize, Option<Unit>),
    tid: Option<usize>,
}

const STARTS: [&str; 7] = [
    "start",
    "begin",
    "timestamp",
    "time",
    "ts",
    "starttime",
    "at",
];
/// Moments at which requests end: `$msec` of nginx, and what others call it.
const ENDS: [&str; 4] = ["msec", "end", "endtime", "finish"];
const DURATIONS: [&str; 8] = [
    "duration",
    "latency",
    "elapsed",
    "dur",
    "took",
    "rt",
    "responsetime",
    "requesttime",
];
/// Columns of `ab -g`: the start in seconds, and the whole time in ms.
const AB: [&str; 2] = ["seconds", "ttime"];
const TIDS: [&str; 2] = ["tid", "thread_id"];

/// Name of a column without its unit.
fn base(name: &str) -> String {
    let name = name.to_lowercase();
    let end = Unit::of_name(&name).and_then(|_| name.rfind(['_', ' ', '(', '[']));
    name[..end.unwrap_or(name.len())]
        .trim()
        .replace(['_', '-', ' '], "")
}

impl Columns {
    const UNNAMED: Self = Self {
        start: (0, None),
        ends: false,
        duration: (1, None),
        tid: None,
    };

    fn named(header: &[&str]) -> Result<Self, String> {
        let find = |names: &[&str]| {
            let mut header = header.iter();
            header.position(|name| names.contains(&&*base(name)))
        };
        let unit = |at: usize| Unit::of_name(&header[at].to_lowercase());
        let ab = AB.map(|name| header.iter().position(|column| *column == name));
        if let [Some(start), Some(duration)] = ab {
            return Ok(Self {
                start: (start, Some(Unit::S)),
                ends: false,
                duration: (duration, Some(Unit::Ms)),
                tid: None,
            });
        }
        let ends = find(&STARTS).is_none();
        let moment = find(if ends { &ENDS[..] } else { &STARTS });
        let (Some(start), Some(duration)) = (moment, find(&DURATIONS)) else {
            return Err(format!(
                "line 1: expected columns such as start_ns and duration_ns, found {}",
                header.join(", ")
            ));
        };
        let mut tids = header.iter();
        Ok(Self {
            start: (start, unit(start)),
            ends,
            duration: (duration, unit(duration)),
            tid: tids.position(|name| TIDS.contains(&&*name.to_lowercase())),
        })
    }

    fn request(&self, cells: &[&str], recorded: (u64, u64)) -> Result<Request, String> {
        let cell = |at: usize, what: &str| {
            let cell = cells.get(at).filter(|cell| !cell.is_empty());
            cell.copied()
                .ok_or_else(|| format!("expected {what}, found {} columns", cells.len()))
        };
        let start = cell(self.start.0, "a start")?;
        let duration = cell(self.duration.0, "a duration")?;
        let tid = self.tid.and_then(|at| cells.get(at)?.parse().ok());
        let request = times(
            (start, self.start.1),
            (duration, self.duration.1),
            tid,
            recorded,
        )?;
        Ok(if self.ends { request.ended() } else { request })
    }
}

fn times(
    (start, start_unit): (&str, Option<Unit>),
    (duration, duration_unit): (&str, Option<Unit>),
    tid: Option<i32>,
    recorded: (u64, u64),
) -> Result<Request, String> {
    let not = |what: &str, found: &str| format!("expected {what}, found \"{found}\"");
    let (start_ns, unit) = match (iso(start), decimal(start)) {
        (Some(ns), _) => (Some(ns), Unit::S),
        (None, Some(value)) => {
            let unit = start_unit.unwrap_or_else(|| Unit::of_moment(value, recorded));
            (scaled(value, unit), unit)
        }
        (None, None) => (None, Unit::S),
    };
    let start_ns = start_ns.ok_or_else(|| not("a start as a number or an ISO time", start))?;
    let ns = decimal(duration).and_then(|value| scaled(value, duration_unit.unwrap_or(unit)));
    let ns = ns.ok_or_else(|| not("a duration as a number", duration))?;
    Ok(Request { start_ns, ns, tid })
}

/// An object of NDJSON.
fn object(line: &str, recorded: (u64, u64)) -> Result<Request, String> {
    let object: serde_json::Map<String, Value> =
        serde_json::from_str(line).map_err(|_| "expected a JSON object".to_owned())?;
    let find = |names: &[&str]| {
        object
            .iter()
            .find(|(name, _)| names.contains(&&*base(name)))
    };
    let ends = find(&STARTS).is_none();
    let moment = find(if ends { &ENDS[..] } else { &STARTS });
    let (Some(start), Some(duration)) = (moment, find(&DURATIONS)) else {
        let names: Vec<&str> = object.keys().map(String::as_str).collect();
        return Err(format!(
            "expected fields such as start_ns and duration_ns, found {}",
            names.join(", ")
        ));
    };
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let unit = |name: &str| Unit::of_name(&name.to_lowercase());
    let tid = object.get("tid").and_then(|tid| text(tid).parse().ok());
    let request = times(
        (&text(start.1), unit(start.0)),
        (&text(duration.1), unit(duration.0)),
        tid,
        recorded,
    )?;
    Ok(if ends { request.ended() } else { request })
}

/// Returns whether a line is one of `pgbench -l`: client, transaction, latency in µs, script, and the end in seconds and µs
/// since 1970.
fn is_pgbench(line: &str) -> bool {
    let fields: Vec<&str> = line.split(' ').collect();
    let number = |at: usize| fields.get(at).is_some_and(|field| decimal(field).is_some());
    [0, 1, 3, 4, 5].into_iter().all(number)
}

/// A transaction; `None` for one that failed or was skipped, which has a word instead of its latency.
fn pgbench(line: &str) -> Result<Option<Request>, String> {
    let fields: Vec<&str> = line.split(' ').collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
    let latency = fields.get(2).copied().unwrap_or_default();
    let word = latency.starts_with(|first: char| first.is_ascii_lowercase());
    let latency = if word { Some(0) } else { number(2) };
    let (Some(latency), Some(seconds), Some(micros)) = (latency, number(4), number(5)) else {
        return Err(
            "expected client, transaction, latency, script, seconds and microseconds".to_owned(),
        );
    };
    let end = seconds.saturating_mul(1_000_000).saturating_add(micros);
    Ok((!word).then(|| Request {
        start_ns: end.saturating_sub(latency).saturating_mul(1_000),
        ns: latency.saturating_mul(1_000),
        tid: None,
    }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn one(text: &str) -> (u64, u64) {
        let read = read(text, (4_000_000_000_000, 4_100_000_000_000)).unwrap();
        (read[0].start_ns, read[0].ns)
    }

    #[test]
    fn units_come_from_names_or_magnitudes() {
        assert_eq!(one("3730539095252,7378000"), (3_730_539_095_252, 7_378_000));
        assert_eq!(one("start_ms,latency_us\n5,7"), (5_000_000, 7_000));
        assert_eq!(one("4123.5,0.25"), (4_123_500_000_000, 250_000_000));
        let real = 1_795_763_962_415_728_304;
        assert_eq!(one("start,duration\n1795763962415728304,9"), (real, 9));
        assert_eq!(
            one("start,duration\n1795763962415,9"),
            (1_795_763_962_415_000_000, 9_000_000)
        );
        assert_eq!(
            one("{\"start_us\": 7, \"dur_ms\": 1.5}"),
            (7_000, 1_500_000)
        );
    }

    #[test]
    fn a_message_is_short_whatever_a_line_has() {
        let names = "name,".repeat(10_000);
        let fields = format!("{{{}\"x\": 1}}", "\"x\": 1,".repeat(1_000)).replacen('x', &names, 1);
        let long = "x".repeat(10_000);
        for text in [
            names,
            fields,
            format!("start,duration\n{long},1"),
            format!("start,duration\n1,{long}"),
        ] {
            let why = read(&text, (0, 1)).unwrap_err();
            assert!(
                why.starts_with("line 1: ") || why.starts_with("line 2: "),
                "{why}"
            );
            assert!(why.chars().count() <= LONGEST + 1, "{}", why.len());
        }
    }

    #[test]
    fn iso_times_are_ns_since_1970() {
        let of = |text: &str| one(&format!("start,duration_ms\n{text},1")).0;
        assert_eq!(of("1970-01-02T00:00:01.5Z"), 86_401_500_000_000);
        assert_eq!(
            of("2026-11-27T07:19:22.415728304+00:00"),
            1_795_763_962_415_728_304
        );
        assert_eq!(
            of("2026-11-27 09:19:22.415728304+02:00"),
            1_795_763_962_415_728_304
        );
    }

    #[test]
    fn pgbench_logs_ends() {
        assert_eq!(
            one("0 1 2500 0 1795763962 415728"),
            (1_795_763_962_413_228_000, 2_500_000)
        );
    }

    #[test]
    fn logs_of_other_programs_are_read_by_their_columns() {
        let jmeter = "timeStamp,elapsed,label,responseCode,threadName\n1795763962415,12,\"a, b\",200,t 1-1\n";
        assert_eq!(one(jmeter), (1_795_763_962_415_000_000, 12_000_000));
        let ab = "starttime\tseconds\tctime\tdtime\tttime\twait\nFri Nov 27 07:19:22 2026\t1795763962\t0\t3\t4\t3\n";
        assert_eq!(one(ab), (1_795_763_962_000_000_000, 4_000_000));
        let json = "{\"msec\": \"1795763962.415\", \"request_time\": \"0.012\"}";
        assert_eq!(one(json), (1_795_763_962_403_000_000, 12_000_000));
        assert_eq!(one("1795763962.415 0.012 200 /"), one(json));
        // A column that only begins like one is none.
        assert!(read("seconds,time\n5,6\n", (0, 9)).is_err());
    }

    #[test]
    fn transactions_that_failed_have_no_latency() {
        let log = "2 53 skipped 0 1795764015 757846 0\n2 54 failed 0 1795764015 757848\n1 53 108486 0 1795764015 659008 8420\n";
        assert_eq!(read(log, (0, 9)).unwrap().len(), 1);
        assert!(read("1 2 3 0 4 5\n1 2 3\n", (0, 9)).is_err());
    }

    #[test]
    fn threads_may_be_named() {
        assert_eq!(
            read("start,tid,duration\n5,77,1", (0, 9)).unwrap()[0].tid,
            Some(77)
        );
    }

    #[test]
    fn a_wrong_line_is_named() {
        assert_eq!(
            read("1,2\nx,2", (0, 9)).unwrap_err(),
            "line 2: expected a start as a number or an ISO time, found \"x\""
        );
        assert_eq!(
            read("1,2\n5", (0, 9)).unwrap_err(),
            "line 2: expected a duration, found 1 columns"
        );
        assert!(
            read("a,b\n1,2", (0, 9))
                .unwrap_err()
                .starts_with("line 1: expected columns such as")
        );
        assert_eq!(read("", (0, 9)).unwrap(), []);
    }
}
