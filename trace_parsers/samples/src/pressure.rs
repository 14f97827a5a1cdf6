//! Pressure stall information (`kernel/sched/psi.c`, `psi_show`): the lines `some` and `full` of a resource.

use crate::SampleTableId;
use crate::number::{Odd, decimal, number};
use crate::rows::Rows;
use crate::stamp::Stamp;

/// Resource of the pressure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource {
    Cpu,
    Memory,
    Io,
    Irq,
}

impl Resource {
    pub(crate) const ALL: [Self; 4] = [Self::Cpu, Self::Memory, Self::Io, Self::Irq];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Io => "io",
            Self::Irq => "irq",
        }
    }

    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|resource| resource.name() == name)
    }
}

/// The numbers of one line.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Pressure {
    avg10: Option<f64>,
    avg60: Option<f64>,
    avg300: Option<f64>,
    total_us: Option<u64>,
}

/// Line of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Share {
    Some,
    Full,
}

/// The line's kind and the rest, if it is a pressure line.
pub(crate) fn share(line: &str) -> Option<(Share, &str)> {
    let (word, rest) = line.split_once(' ')?;
    let share = match word {
        "some" => Share::Some,
        "full" => Share::Full,
        _ => return None,
    };
    let rest = rest.trim_start();
    let known = ["avg10=", "avg60=", "avg300=", "total="];
    known
        .iter()
        .any(|key| rest.starts_with(key))
        .then_some((share, rest))
}

/// `[psi] cpu some avg10=...`: the resource before the line, as in a marker.
pub(crate) fn named(line: &str) -> Option<(Resource, &str)> {
    let line = line.strip_prefix("psi ").unwrap_or(line).trim_start();
    let (name, rest) = line.split_once([' ', ':'])?;
    let resource = Resource::of(name)?;
    let rest = rest.trim_start();
    share(rest).map(|_| (resource, rest))
}

impl Pressure {
    /// `avg10=0.00 avg60=0.00 avg300=0.00 total=0`; what is missing stays unknown, other names are passed over.
    fn parse(text: &str) -> Result<Self, Odd> {
        let mut pressure = Self::default();
        for word in text.split_whitespace() {
            let (key, value) = word.split_once('=').ok_or_else(|| {
                Odd::new(
                    "avg10=, avg60=, avg300= and total= in a pressure line",
                    word,
                )
            })?;
            match key {
                "avg10" => pressure.avg10 = Some(percent(value)?),
                "avg60" => pressure.avg60 = Some(percent(value)?),
                "avg300" => pressure.avg300 = Some(percent(value)?),
                "total" => pressure.total_us = Some(number(value, "microseconds of pressure")?),
                _ => {}
            }
        }
        Ok(pressure)
    }
}

fn percent(text: &str) -> Result<f64, Odd> {
    let what = "a pressure of 0.00 to 100.00 percent";
    let value = decimal(text, what)?;
    if (0.0..=100.0).contains(&value) {
        Ok(value)
    } else {
        Err(Odd::new(what, text))
    }
}

/// The row that is being put together.
#[derive(Debug)]
struct Pending {
    cgroup: String,
    resource: Resource,
    /// Time of the first of its lines.
    stamp: Stamp,
    some: Option<Pressure>,
    full: Option<Pressure>,
}

/// Joins the lines `some` and `full` of one file to a row.
#[derive(Debug, Default)]
pub(crate) struct PressureRows {
    pending: Option<Pending>,
}

impl PressureRows {
    /// Takes the rest of a line after `some` or `full`.
    pub(crate) fn line(
        &mut self,
        cgroup: &str,
        resource: Resource,
        (share, rest): (Share, &str),
        rows: &mut Rows,
    ) -> Result<(), Odd> {
        // A line may carry both, as the shell prints them unquoted.
        let (own, other) = match rest.split_once(" full ") {
            Some((own, other)) if share == Share::Some => (own, Some(other)),
            _ => (rest, None),
        };
        let own = Pressure::parse(own)?;
        let other = other.map(Pressure::parse).transpose()?;
        self.add(cgroup, resource, share, own, rows);
        if let Some(other) = other {
            self.add(cgroup, resource, Share::Full, other, rows);
        }
        Ok(())
    }

    fn add(
        &mut self,
        cgroup: &str,
        resource: Resource,
        share: Share,
        pressure: Pressure,
        rows: &mut Rows,
    ) {
        let fits = self.pending.as_ref().is_some_and(|pending| {
            let free = match share {
                // `some` comes first, so that a `full` that is alone ends its row.
                Share::Some => false,
                Share::Full => pending.full.is_none(),
            };
            free && pending.resource == resource && pending.cgroup == cgroup
        });
        if !fits {
            self.finish(rows);
        }
        let pending = self.pending.get_or_insert_with(|| Pending {
            cgroup: cgroup.to_owned(),
            resource,
            stamp: rows.stamp(),
            some: None,
            full: None,
        });
        match share {
            Share::Some => pending.some = Some(pressure),
            Share::Full => pending.full = Some(pressure),
        }
    }

    /// Ends the row that is being put together.
    pub(crate) fn finish(&mut self, rows: &mut Rows) {
        let Some(pending) = self.pending.take() else {
            return;
        };
        let some = pending.some.unwrap_or_default();
        let full = pending.full.unwrap_or_default();
        let key = format!("{}:{}", pending.resource.name(), pending.cgroup);
        let now = rows.stamp();
        rows.restamp(pending.stamp);
        rows.sampled(SampleTableId::Psi, &key);
        rows.push(
            SampleTableId::Psi,
            cells![
                pending.cgroup.as_str(),
                pending.resource.name(),
                some.avg10,
                some.avg60,
                some.avg300,
                some.total_us,
                full.avg10,
                full.avg60,
                full.avg300,
                full.total_us,
            ],
        );
        rows.restamp(now);
    }
}
