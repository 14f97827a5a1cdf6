//! A request, and the numbers and moments of logs.

/// Maximum distance of requests from a recording for recognizing their unit, ns.
const NEAR_NS: u64 = 600_000_000_000;
/// Moments after this one are of a clock that began in 1970 (it is 2001), ns.
pub const REAL_NS: u64 = 1_000_000_000_000_000_000;

/// One request, as its log has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Begin, ns of the log's clock.
    pub start_ns: u64,
    /// Duration, ns.
    pub ns: u64,
    /// Thread that served it, where the log names one.
    pub tid: Option<i32>,
}

impl Request {
    /// The request with what was taken for its start as its end.
    pub(crate) fn ended(self) -> Self {
        Self {
            start_ns: self.start_ns.saturating_sub(self.ns),
            ..self
        }
    }

    /// End, ns of the log's clock.
    #[must_use]
    pub fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.ns)
    }
}

/// Unit of the numbers of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Ns,
    Us,
    Ms,
    S,
}

impl Unit {
    fn ns(self) -> i128 {
        match self {
            Self::Ns => 1,
            Self::Us => 1_000,
            Self::Ms => 1_000_000,
            Self::S => 1_000_000_000,
        }
    }

    /// The unit at the end of a column's name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        // nginx calls its moments in seconds, with milliseconds, so.
        if name == "msec" {
            return Some(Self::S);
        }
        let last = name.rsplit(['_', ' ', '(', '[']).next().unwrap_or_default();
        Some(match last.trim_end_matches([')', ']']) {
            "ns" | "nanos" | "nanoseconds" => Self::Ns,
            "us" | "µs" | "usec" | "micros" | "microseconds" => Self::Us,
            "ms" | "msec" | "millis" | "milliseconds" => Self::Ms,
            "s" | "sec" | "secs" | "seconds" => Self::S,
            _ => return None,
        })
    }

    /// The unit of a moment without a name: the one by which it lies near the recording, or between 2001 and 2096. `value` is in 10^-9.
    pub(crate) fn of_moment(value: i128, recorded: (u64, u64)) -> Self {
        let all = [Self::Ns, Self::Us, Self::Ms, Self::S];
        let within = |from: u64, to: u64| {
            let mut all = all.iter();
            all.find(|unit| scaled(value, **unit).is_some_and(|ns| (from..=to).contains(&ns)))
        };
        let near = within(
            recorded.0.saturating_sub(NEAR_NS),
            recorded.1.saturating_add(NEAR_NS),
        );
        let unit = near.or_else(|| within(REAL_NS, 4 * REAL_NS));
        unit.copied().unwrap_or(Self::Ns)
    }
}

/// Number as its value times 10^9.
pub(crate) fn decimal(text: &str) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 20 || !digits(whole) || !digits(fraction) {
        return None;
    }
    let kept = &fraction[..fraction.len().min(9)];
    let nanos: i128 = format!("{kept:0<9}").parse().ok()?;
    let value: i128 = whole.parse().ok()?;
    Some(value * 1_000_000_000 + nanos)
}

pub(crate) fn scaled(value: i128, unit: Unit) -> Option<u64> {
    u64::try_from(value.checked_mul(unit.ns())? / 1_000_000_000).ok()
}

/// Moment as ISO 8601 has it, ns since 1970; without a zone it is UTC.
pub(crate) fn iso(text: &str) -> Option<u64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let zone = time.rfind(['Z', '+', '-']);
    let (time, zone) = zone.map_or((time, "Z"), |at| time.split_at(at));
    let mut time = time.splitn(3, ':');
    let hour: i64 = time.next()?.parse().ok()?;
    let minute: i64 = time.next()?.parse().ok()?;
    let seconds = decimal(time.next().unwrap_or("0"))?;
    let offset = match zone.split_at_checked(1)? {
        ("Z", "") => 0,
        (sign, zone) => {
            let (hours, minutes) = match zone.split_once(':') {
                Some(parts) => parts,
                None => zone.split_at_checked(2)?,
            };
            let minutes = minutes.parse::<i64>().unwrap_or(0) + 60 * hours.parse::<i64>().ok()?;
            if sign == "-" { -minutes } else { minutes }
        }
    };
    let valid =
        (1970..=2400).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !valid || hour > 24 || minute > 59 {
        return None;
    }
    // Days since 1970, by years that begin in March.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days =
        365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    let minutes = (days * 24 + hour) * 60 + minute - offset;
    u64::try_from(i128::from(minutes) * 60_000_000_000 + seconds).ok()
}
