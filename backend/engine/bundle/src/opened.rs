//! Opens the logs of a bundle, each when a query first needs it.

use std::sync::OnceLock;

use numalens_core::bounds::Bounds;
use numalens_replay::evidence::open_instants;
use numalens_replay::hardware::{HARDWARE_FILE, Hardware};
use numalens_replay::idle_balancing::{EVENTS_FILE, Events};
use numalens_replay::memory_samples::{MEMORY_SAMPLES_FILE, MemorySamples};
use numalens_replay::migrations::{MIGRATIONS_FILE, Migrations};
use numalens_replay::numa::{
    ATTEMPTS_FILE, Attempts, LINES_FILE, Lines, PAGE_RUNS_FILE, PAGES_FILE, Pages,
};
use numalens_replay::stacks::{CALLSITES_FILE, FRAMES_FILE, SAMPLES_FILE, Stacks};
use numalens_replay::states::{GROUPS_FILE, Groups, MACHINE_FILE, NAMES_FILE, States};
use numalens_replay::waits::{
    CAUSES_FILE, CauseSpans, MASKS_FILE, PHASES_FILE, Phases, REQUESTS_FILE, Requests, SPANS_FILE,
    SegmentLogs, WAITS_FILE, Waits,
};

use crate::bundle::{INSTANTS, Open};
use crate::error::Error;
use crate::logs::{NumaLogs, Parts};

impl Parts {
    fn open(open: &Open) -> Result<Self, Error> {
        let names = open.files.has(NAMES_FILE);
        let names = names.then(|| open.files.whole(NAMES_FILE)).transpose()?;
        let groups = names.map(Groups::open).transpose()?;
        let bounds = Bounds {
            groups: groups.as_ref().map_or(1, |groups| groups.len() as u32),
            ..open.bounds()
        };
        let file = |name: &str| Ok::<_, Error>(open.files.mapped(name)?.within(bounds));
        let optional = |name: &str| {
            let there = open.files.has(name);
            there.then(|| file(name)).transpose()
        };
        Ok(Self {
            states: States::open(file(MACHINE_FILE)?, optional(GROUPS_FILE)?)?,
            waits: Waits::open(file(WAITS_FILE)?, file(CAUSES_FILE)?)?,
            groups,
            instants: open_instants(open.files.whole(INSTANTS)?, bounds.groups)?,
            requests: OnceLock::new(),
            details: OnceLock::new(),
        })
    }

    /// The requests to wake tasks.
    ///
    /// # Errors
    ///
    /// Fails when the log cannot be read.
    pub fn requests(&self, open: &Open) -> Result<&Requests, Error> {
        opened(&self.requests, || {
            Ok(Requests::open(open.files.mapped(REQUESTS_FILE)?)?)
        })
    }

    /// The logs of the segments of waits.
    ///
    /// # Errors
    ///
    /// Fails when a log cannot be read.
    pub fn segment_logs<'a>(&'a self, open: &'a Open) -> Result<SegmentLogs<'a>, Error> {
        let (spans, phases) = opened(&self.details, || {
            let file = |name| open.files.mapped(name);
            let spans = CauseSpans::open(file(SPANS_FILE)?)?;
            let phases = Phases::open(file(PHASES_FILE)?, file(MASKS_FILE)?)?;
            Ok((spans, phases))
        })?;
        Ok(SegmentLogs {
            nodes: open.index.nodes(),
            states: &self.states,
            spans,
            phases,
        })
    }
}

impl NumaLogs {
    fn open(open: &Open) -> Result<Self, Error> {
        let file = |name: &str| Ok::<_, Error>(open.files.mapped(name)?.within(open.bounds()));
        Ok(Self {
            attempts: Attempts::open(file(ATTEMPTS_FILE)?)?,
            pages: Pages::open(file(PAGE_RUNS_FILE)?, file(PAGES_FILE)?)?,
            lines: Lines::open(file(LINES_FILE)?)?,
            migrations: Migrations::open(file(MIGRATIONS_FILE)?)?,
        })
    }
}

impl Open {
    /// Bounds of the numbers in its logs; cgroups are known with the logs of states only.
    fn bounds(&self) -> Bounds {
        Bounds {
            tasks: self.index.tasks() as u32,
            ..Bounds::default()
        }
    }

    /// The logs of the replay of run states.
    ///
    /// # Errors
    ///
    /// Fails when a log is missing or damaged.
    pub fn parts(&self) -> Result<&Parts, Error> {
        opened(&self.logs.parts, || Parts::open(self))
    }

    /// The logs of the NUMA balancers.
    ///
    /// # Errors
    ///
    /// Fails when a log is missing or damaged.
    pub fn numa_logs(&self) -> Result<&NumaLogs, Error> {
        opened(&self.logs.numa, || NumaLogs::open(self))
    }

    /// The log of the idle load balancer's events.
    ///
    /// # Errors
    ///
    /// Fails when the log is missing or damaged.
    pub fn ilb_log(&self) -> Result<&Events, Error> {
        opened(&self.logs.ilb, || {
            Ok(Events::open(self.files.mapped(EVENTS_FILE)?)?)
        })
    }

    /// The log of the CPUs' hardware.
    ///
    /// # Errors
    ///
    /// Fails when the log is missing or damaged.
    pub fn hardware_log(&self) -> Result<&Hardware, Error> {
        opened(&self.logs.hardware, || {
            Ok(Hardware::open(self.files.mapped(HARDWARE_FILE)?)?)
        })
    }

    /// The log of memory samples.
    ///
    /// # Errors
    ///
    /// Fails when the log is missing or damaged.
    pub fn memory_sample_log(&self) -> Result<&MemorySamples, Error> {
        opened(&self.logs.memory_samples, || {
            Ok(MemorySamples::open(
                self.files.mapped(MEMORY_SAMPLES_FILE)?,
            )?)
        })
    }

    /// The log of what was sampled with stacks.
    ///
    /// # Errors
    ///
    /// Fails when one of its tables is missing or damaged.
    pub fn stack_log(&self) -> Result<&Stacks, Error> {
        opened(&self.logs.stacks, || {
            let files = &self.files;
            let samples = files.mapped(SAMPLES_FILE)?;
            let callsites = files.mapped(CALLSITES_FILE)?;
            Ok(Stacks::open(files.whole(FRAMES_FILE)?, callsites, samples)?)
        })
    }
}

/// Content of the cell, created when it is empty.
fn opened<T>(cell: &OnceLock<T>, open: impl FnOnce() -> Result<T, Error>) -> Result<&T, Error> {
    if let Some(log) = cell.get() {
        return Ok(log);
    }
    let log = open()?;
    Ok(cell.get_or_init(|| log))
}
