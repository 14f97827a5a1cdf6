//! One pass over the states and the log: observation, models, idle time.

use numalens_core::EngineError;
use numalens_events::IlbKind;
use numalens_replay::idle_balancing::{
    Events, IDLE, IlbRow, NR_KNOWN, ObservedKick, ObservedPass, Observer,
};
use numalens_replay::states::{StateRow, States};

use crate::compare::Guided;
use crate::idle::{IdleMeter, IdleWindow};
use crate::model::{Annotation, Kind};
use crate::{Config, ModelKind, Replay, Replayed, Resting};

/// Query. States and events are read from [`Config::from_ns`] on; the report covers [`Config::count_from_ns`] to
/// [`Config::to_ns`].
#[derive(Debug, Clone)]
pub struct StudyRequest {
    /// The recording, the window, the models.
    pub config: Config,
    /// The model whose annotations are kept.
    pub keep: Option<ModelKind>,
    /// Windows of idle time, ascending, none over another; several rows of them.
    pub idle: Vec<Vec<(u64, u64)>>,
}

/// Results of the pass.
#[derive(Debug)]
pub struct Study {
    /// The models and the curves.
    pub replayed: Replayed,
    /// Kicks that were recorded in the window, by their times.
    pub kicks: Vec<ObservedKick>,
    /// Passes that were recorded in it.
    pub passes: Vec<ObservedPass>,
    /// Input of the comparison from the guided model.
    pub guided: Guided,
    /// Actions of the kept model in the window, except closed gates and missing targets.
    pub notes: Vec<Annotation>,
    /// Idle time of each row of windows.
    pub idle: Vec<Vec<IdleWindow>>,
    /// Gaps of lost events in the window.
    pub gaps: u64,
}

/// Reads the states and the log once.
///
/// # Errors
/// The states could not be read.
pub fn study(
    events: &Events,
    states: &States,
    request: StudyRequest,
) -> Result<Study, EngineError> {
    let StudyRequest { config, keep, idle } = request;
    let (from, since, to) = (config.from_ns, config.count_from_ns, config.to_ns);
    let (kinds, cpus, hz) = (config.kinds, config.cpus, config.jiffies.hz);
    let compares = config.follow.contains(&ModelKind::TraceDriven) && kinds.show_kicks();
    let mut meters: Vec<IdleMeter> = idle
        .iter()
        .map(|edges| IdleMeter::new(edges, cpus, hz))
        .collect();
    let (mut notes, mut guided) = (Vec::new(), Guided::default());
    let mut out = |follow: ModelKind, note: &Annotation| {
        if compares {
            guided.annotation(follow, note);
        }
        if Some(follow) == keep && !matches!(note.kind, Kind::GateClosed | Kind::NoTarget) {
            notes.push(*note);
        }
    };
    let enter_kind = [IlbKind::Enter, IlbKind::TickStop];
    let mut resting = Resting::new(kinds, cpus);
    if let Some(resting) = &mut resting {
        let mut rows = events.cursor(from, to)?;
        while rows.next_ns() < u64::MAX && rows.take().is_none_or(|row| resting.row(&row)) {}
    }
    let mut replay = Replay::new(config, &mut out);
    if let Some(resting) = resting {
        replay.rest(&resting.finish());
    }
    replay
        .tell_only(|follow| Some(follow) == keep || (compares && follow == ModelKind::TraceDriven));
    let mut reading = Reading {
        replay,
        observer: Observer::new(kinds),
        meters: &mut meters,
        tick_kind: kinds.tick(),
        enter_kind: enter_kind.into_iter().find(|&kind| kinds.has(kind)),
        since_ns: since,
        compares,
        busy: Guided::default(),
        gaps: 0,
    };
    // In one order of time; of one time states come first.
    let mut rows = events.cursor(from, to)?;
    states.scan_machine(from, to, |row: &StateRow| {
        while rows.next_ns() < row.ts_ns {
            if let Some(row) = rows.take() {
                reading.row(&row);
            }
        }
        reading.state(row);
    })?;
    while rows.next_ns() < u64::MAX {
        if let Some(row) = rows.take() {
            reading.row(&row);
        }
    }
    let Reading {
        replay,
        mut observer,
        busy,
        gaps,
        ..
    } = reading;
    let replayed = replay.finish();
    observer.finish();
    let Observer {
        mut kicks,
        mut passes,
        ..
    } = observer;
    kicks.retain(|kick| kick.t_ns >= since);
    passes.retain(|pass| pass.from_ns >= since);
    guided.join(busy);
    Ok(Study {
        replayed,
        kicks,
        passes,
        guided,
        notes,
        idle: meters.into_iter().map(|meter| meter.finish(to)).collect(),
        gaps,
    })
}

/// Receiver of the rows.
struct Reading<'a> {
    replay: Replay<'a>,
    observer: Observer,
    meters: &'a mut [IdleMeter],
    tick_kind: Option<IlbKind>,
    enter_kind: Option<IlbKind>,
    since_ns: u64,
    compares: bool,
    /// Ticks on busy CPUs, and gaps.
    busy: Guided,
    gaps: u64,
}

impl Reading<'_> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "most of the time goes through here")]
    fn state(&mut self, row: &StateRow) {
        self.replay.state(row);
        self.observer.state(row);
        for meter in &mut *self.meters {
            meter.row(row);
        }
    }

    #[inline]
    fn row(&mut self, row: &IlbRow) {
        self.replay.row(row);
        self.observer.row(row);
        let kind = Some(row.kind);
        if kind == self.tick_kind {
            for meter in &mut *self.meters {
                meter.tick(row.ts_ns, row.cpu);
            }
            if self.compares && row.ts_ns >= self.since_ns && !self.idle(row) {
                self.busy.tick(row.ts_ns);
            }
        } else if kind == self.enter_kind && (row.kind == IlbKind::Enter || row.a != 0) {
            for meter in &mut *self.meters {
                meter.stop(row.ts_ns, row.cpu);
            }
        } else if row.kind == IlbKind::Lost {
            self.gaps += u64::from(row.a >= self.since_ns);
            self.busy.gap(row.cpu, row.ts_ns, row.a);
        }
    }

    /// Returns whether a tick met an idle CPU; without a probe, according to the states.
    fn idle(&self, tick: &IlbRow) -> bool {
        if tick.a & NR_KNOWN != 0 {
            tick.a & IDLE != 0
        } else {
            self.replay.idle(tick.cpu)
        }
    }
}
