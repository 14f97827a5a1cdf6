//! Stamps: when something was sampled, and the lines of text that say so.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use crate::number::Odd;

const SECOND: i64 = 1_000_000_000;

/// Numbers from here on are seconds since 1970 (this one is in 1985). Smaller ones are other numbers, such as a pid, which is
/// below 2^22.
const FIRST_EPOCH: i64 = 500_000_000;

/// Longest line that can be a stamp.
const LONGEST: usize = 80;

/// Times of one instant on all known clocks, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stamp {
    pub(crate) idx: Option<i64>,
    pub(crate) mono_ns: Option<i64>,
    pub(crate) real_ns: Option<i64>,
    pub(crate) boot_ns: Option<i64>,
    pub(crate) trace_ns: Option<i64>,
    pub(crate) end_mono_ns: Option<i64>,
}

/// Times come before this, ns, as they do in recordings: 146 years.
const LATEST_NS: i64 = 1 << 62;

impl Stamp {
    /// Returns the error of times beyond any clock; `None` for possible times.
    pub(crate) fn odd(&self) -> Option<Odd> {
        let times = [
            self.mono_ns,
            self.real_ns,
            self.boot_ns,
            self.trace_ns,
            self.end_mono_ns,
        ];
        let late = times
            .into_iter()
            .flatten()
            .find(|ns| !(0..LATEST_NS).contains(ns))?;
        Some(Odd {
            expected: format!("times from 0 to {LATEST_NS} ns (146 years)"),
            found: format!("{late} ns"),
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// In the order of the tables' columns.
    pub(crate) fn columns(&self) -> [Option<i64>; 6] {
        [
            self.idx,
            self.mono_ns,
            self.real_ns,
            self.boot_ns,
            self.trace_ns,
            self.end_mono_ns,
        ]
    }
}

/// Relation of a written time to UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Zone {
    /// By an offset, or because it says UTC.
    Exact,
    /// Not at all: taken for UTC.
    Missing,
    /// By an ambiguous name: treated as UTC.
    Named(String),
}

/// A line that is a stamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StampLine {
    pub(crate) stamp: Stamp,
    pub(crate) resolution_ns: u64,
    pub(crate) zone: Zone,
}

impl StampLine {
    fn real(real_ns: i64, resolution_ns: u64, zone: Zone) -> Self {
        let stamp = Stamp {
            real_ns: Some(real_ns),
            ..Stamp::default()
        };
        Self {
            stamp,
            resolution_ns,
            zone,
        }
    }
}

/// Reads a line that has nothing but a time: what `date` prints with the usual formats, or `/proc/uptime`. Dashes,
/// equal signs and such around it do not count, nor does a name as in `ts=`.
pub(crate) fn parse(line: &str) -> Option<StampLine> {
    if line.len() > LONGEST || !line.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let line = line.trim_matches(|c: char| c.is_whitespace() || "=#*-[]<>~".contains(c));
    let line = unnamed(line);
    epoch(line)
        .or_else(|| uptime(line))
        .or_else(|| iso(line))
        .or_else(|| words(line))
        .filter(|line| line.stamp.odd().is_none())
}

/// Without `ts=`, `time:` and the like.
fn unnamed(line: &str) -> &str {
    for name in ["timestamp", "time", "date", "epoch", "ts"] {
        if let Some(rest) = line.strip_prefix(name)
            && let Some(rest) = rest.strip_prefix([':', '='])
        {
            return rest.trim_start();
        }
    }
    line
}

/// `date +%s`, `+%s.%N`, `+%s%3N`, `+%s%N`: the number of digits decides the unit.
fn epoch(text: &str) -> Option<StampLine> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || fraction.len() > 9 {
        return None;
    }
    let value: i64 = whole.parse().ok()?;
    let unit = match whole.len() {
        9 | 10 if value >= FIRST_EPOCH => SECOND,
        13 if fraction.is_empty() => 1_000_000,
        16 if fraction.is_empty() => 1_000,
        19 if fraction.is_empty() => 1,
        _ => return None,
    };
    let (nanos, step) = decimals(fraction)?;
    let step = if fraction.is_empty() { unit } else { step };
    let real_ns = value.checked_mul(unit)?.checked_add(nanos)?;
    Some(StampLine::real(real_ns, step as u64, Zone::Exact))
}

/// The decimals of seconds in ns, and how much the last digit is worth.
fn decimals(digits: &str) -> Option<(i64, i64)> {
    if digits.is_empty() {
        return Some((0, SECOND));
    }
    let step = 10_i64.checked_pow(9_u32.checked_sub(digits.len() as u32)?)?;
    Some((digits.parse::<i64>().ok()? * step, step))
}

/// Seconds since boot with or without decimals, where no other number is possible.
pub(crate) fn since_boot(text: &str) -> Option<StampLine> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let (nanos, step) = decimals(fraction)?;
    let seconds: i64 = number(whole)?;
    let stamp = Stamp {
        boot_ns: Some(seconds.checked_mul(SECOND)?.checked_add(nanos)?),
        ..Stamp::default()
    };
    Some(StampLine {
        stamp,
        resolution_ns: step as u64,
        zone: Zone::Exact,
    })
}

/// `/proc/uptime`: seconds since boot and seconds idle, with two decimals each (`fs/proc/uptime.c`).
fn uptime(line: &str) -> Option<StampLine> {
    const STEP: u64 = SECOND as u64 / 100;
    let (up, idle) = line.split_once(' ')?;
    let two_decimals = |text| since_boot(text).filter(|read| read.resolution_ns == STEP);
    two_decimals(idle).and(two_decimals(up))
}

/// ISO 8601 and RFC 3339: `date -Is`, `-Ins`, `--rfc-3339=ns`, `'+%F %T'`, `+%FT%TZ`.
fn iso(line: &str) -> Option<StampLine> {
    let bytes = line.as_bytes();
    // The parser takes dates alone as well, which are no stamps.
    if bytes.len() < 19 || bytes[4] != b'-' || bytes[13] != b':' || bytes[16] != b':' {
        return None;
    }
    let line = line.replacen([' ', '_'], "T", 1);
    let after = line.get(19..)?;
    let fraction = after.strip_prefix(['.', ',']).map_or("", |rest| {
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        &rest[..end]
    });
    let (_, step) = decimals(fraction)?;
    let (line, named) = match line
        .strip_suffix(" UTC")
        .or_else(|| line.strip_suffix(" GMT"))
    {
        Some(rest) => (rest, true),
        None => (line.as_str(), false),
    };
    if let Ok(time) = line
        .replacen(" +", "+", 1)
        .replacen(" -", "-", 1)
        .parse::<Timestamp>()
    {
        return Some(StampLine::real(
            nanoseconds(time)?,
            step as u64,
            Zone::Exact,
        ));
    }
    let time: DateTime = line.parse().ok()?;
    let zone = if named { Zone::Exact } else { Zone::Missing };
    let time = Offset::UTC.to_timestamp(time).ok()?;
    Some(StampLine::real(nanoseconds(time)?, step as u64, zone))
}

fn nanoseconds(time: Timestamp) -> Option<i64> {
    i64::try_from(time.as_nanosecond()).ok()
}

/// Meaning of the words of a written date.
#[derive(Default)]
struct Words<'a> {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    /// Hour, minute, second, ns.
    time: Option<(i8, i8, i8, i32)>,
    step: i64,
    afternoon: Option<bool>,
    zone: Option<&'a str>,
}

/// Plain `date` in the C locale and in English ones, and `date -R`: the same words in different orders.
fn words(line: &str) -> Option<StampLine> {
    let mut read = Words::default();
    for word in line.split([' ', ',']).filter(|word| !word.is_empty()) {
        read.word(word)?;
    }
    let (mut hour, minute, second, nanos) = read.time?;
    if let Some(afternoon) = read.afternoon {
        if !(1..=12).contains(&hour) {
            return None;
        }
        hour = hour % 12 + if afternoon { 12 } else { 0 };
    }
    let time = DateTime::new(
        read.year?,
        read.month?,
        read.day?,
        hour,
        minute,
        second,
        nanos,
    )
    .ok()?;
    let (offset, zone) = match read.zone {
        None => (Offset::UTC, Zone::Missing),
        Some("UTC" | "GMT" | "Z") => (Offset::UTC, Zone::Exact),
        Some(text) => match offset(text) {
            Some(offset) => (offset, Zone::Exact),
            None => (Offset::UTC, Zone::Named(text.to_owned())),
        },
    };
    let real_ns = nanoseconds(offset.to_timestamp(time).ok()?)?;
    Some(StampLine::real(real_ns, read.step as u64, zone))
}

/// `+0100`, `+01:00`, `-05` as an offset of UTC.
fn offset(text: &str) -> Option<Offset> {
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits = text[1..].replacen(':', "", 1);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value: i32 = digits.parse().ok()?;
    let (hours, minutes) = match digits.len() {
        2 => (value, 0),
        4 => (value / 100, value % 100),
        _ => return None,
    };
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

impl<'a> Words<'a> {
    /// Takes one word; `None` when it has no place in a date, or no second one.
    fn word(&mut self, word: &'a str) -> Option<()> {
        const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
        const DAYS: &str = "MonTueWedThuFriSatSun";
        let place = |names: &str| {
            let at = names.find(word).filter(|at| at % 3 == 0 && word.len() == 3);
            at.map(|at| at / 3)
        };
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            match word.len() {
                1 | 2 => once(&mut self.day, number(word)?),
                4 => once(&mut self.year, number(word)?),
                _ => None,
            }
        } else if word.contains(':') && word.as_bytes()[0].is_ascii_digit() {
            let (time, step) = clock(word)?;
            self.step = step;
            once(&mut self.time, time)
        } else if let Some(month) = place(MONTHS) {
            once(&mut self.month, month as i8 + 1)
        } else if place(DAYS).is_some() {
            Some(())
        } else if word == "AM" || word == "PM" {
            once(&mut self.afternoon, word == "PM")
        } else if is_zone(word) {
            once(&mut self.zone, word)
        } else {
            None
        }
    }
}

fn number<T: std::str::FromStr>(digits: &str) -> Option<T> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

fn once<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.replace(value).is_none().then_some(())
}

/// Hour, minute, second and ns of `10:22:00` with or without decimals, and how much its last digit is worth.
fn clock(word: &str) -> Option<((i8, i8, i8, i32), i64)> {
    let mut parts = word.split(':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
    let (second, fraction) = second.split_once('.').unwrap_or((second, ""));
    let (nanos, step) = decimals(fraction)?;
    let time = (
        number(hour)?,
        number(minute)?,
        number(second)?,
        nanos as i32,
    );
    parts.next().is_none().then_some((time, step))
}

/// A zone's name, or an offset such as `+0100`.
fn is_zone(word: &str) -> bool {
    let name = (1..=5).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_uppercase());
    name || offset(word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-21 10:22:00 UTC.
    const T: i64 = 1_795_256_520 * SECOND;

    fn real(line: &str) -> (i64, u64, Zone) {
        let read = parse(line).expect(line);
        (
            read.stamp.real_ns.expect(line),
            read.resolution_ns,
            read.zone,
        )
    }

    #[test]
    fn the_usual_formats_of_date() {
        let second = 1_000_000_000;
        for line in [
            "Sat Nov 21 10:22:00 UTC 2026",
            "Sat Nov 21 10:22:00 GMT 2026",
            "Sat Nov 21 10:22:00 AM UTC 2026",
            "Sat 21 Nov 2026 10:22:00 AM UTC",
            "Sat 21 Nov 10:22:00 UTC 2026",
            "Sat, 21 Nov 2026 10:22:00 +0000",
            "Sat Nov 21 11:22:00 +0100 2026",
            "Sat Nov 21 15:52:00 +0530 2026",
            "Sat Nov 21 05:22:00 -05 2026",
            "1795256520",
            "ts=1795256520",
            "=== 1795256520 ===",
            "--- Sat Nov 21 10:22:00 UTC 2026 ---",
            "2026-11-21T10:22:00+00:00",
            "2026-11-21T11:22:00+01:00",
            "2026-11-21 11:22:00+01:00",
            "2026-11-21 11:22:00 +0100",
            "2026-11-21T10:22:00Z",
            "2026-11-21 10:22:00 UTC",
        ] {
            assert_eq!(real(line), (T, second, Zone::Exact), "{line}");
        }
        assert_eq!(
            real("Sun Nov 22 12:00:00 AM UTC 2026").0,
            T + (13 * 60 + 38) * 60 * SECOND
        );
        assert_eq!(
            real("Sat Nov 21 12:22:00 PM UTC 2026").0,
            T + 2 * 3600 * SECOND
        );
    }

    #[test]
    fn digits_tell_the_resolution() {
        for (line, ns, step) in [
            ("1795256520.123456789", 123_456_789, 1),
            ("1795256520.12", 120_000_000, 10_000_000),
            ("1795256520123", 123_000_000, 1_000_000),
            ("1795256520123456", 123_456_000, 1_000),
            ("1795256520123456789", 123_456_789, 1),
            ("2026-11-21T10:22:00,123456789+00:00", 123_456_789, 1),
            ("2026-11-21 10:22:00.123456789+00:00", 123_456_789, 1),
            ("2026-11-21T10:22:00.5Z", 500_000_000, 100_000_000),
            ("Sat Nov 21 10:22:00.250 UTC 2026", 250_000_000, 1_000_000),
        ] {
            assert_eq!(real(line), (T + ns, step, Zone::Exact), "{line}");
        }
    }

    #[test]
    fn zones_that_are_not_exact_are_reported() {
        for line in [
            "2026-11-21 10:22:00",
            "2026-11-21_10:22:00",
            "Sat Nov 21 10:22:00 2026",
        ] {
            assert_eq!(real(line), (T, 1_000_000_000, Zone::Missing), "{line}");
        }
        let named = Zone::Named("CET".to_owned());
        assert_eq!(
            real("Sat Nov 21 10:22:00 CET 2026"),
            (T, 1_000_000_000, named)
        );
    }

    #[test]
    fn uptime_is_a_stamp_since_boot() {
        let read = parse("996.95 1893.22").expect("uptime");
        assert_eq!(read.stamp.boot_ns, Some(996_950_000_000));
        assert_eq!(read.resolution_ns, 10_000_000);
    }

    #[test]
    fn other_lines_are_no_stamps() {
        for line in [
            "",
            "12",
            "4194304",
            "nr_free_pages 964825",
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=0",
            "0.82 0.19 0.06 3/88 506",
            "Sat Nov 31 10:22:00 UTC 2026",
            "Sat Nov 21 10:22 UTC 2026",
            "Sat Nov 21 10:22:00 UTC 2026 hello",
            "2026-11-21",
            "2026-11-21T25:00:00Z",
            "10:22:00",
            "1795256520.1234567891",
            "99999999999999999999",
            "Sat Nov 21 10:22:00 +9999 2026",
            "9999-12-31T23:59:59Z",
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
