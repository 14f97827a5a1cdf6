//! One reading of the states and of the log: observation, models, idle time.

use super::compare::Guided;
use super::idle::{IdleMeter, IdleWindow};
use super::model::{Annotation, Kind};
use super::observe::{
    Events, IDLE, IlbKind, IlbRow, NR_TOLD, ObservedKick, ObservedPass, Observer,
};
use super::{Config, Follow, Replay, Replayed};
use crate::EngineError;
use crate::states::{MACHINE, OnCpu, StateRow, States, Which};

/// What is asked for. States and events are read from [`Config::from_ns`] on; what is told is from [`Config::count_from_ns`]
/// to [`Config::to_ns`].
#[derive(Debug, Clone)]
pub struct Asked {
    /// The recording, the window, the models.
    pub config: Config,
    /// The model whose annotations are kept.
    pub keep: Option<Follow>,
    /// Windows of idle time, ascending, none over another; several rows of them.
    pub idle: Vec<Vec<(u64, u64)>>,
}

/// What the reading leads to.
#[derive(Debug)]
pub struct Study {
    /// The models and the curves.
    pub replayed: Replayed,
    /// Kicks that were recorded in the window, by their times.
    pub kicks: Vec<ObservedKick>,
    /// Passes that were recorded in it.
    pub passes: Vec<ObservedPass>,
    /// What the comparison needs of the guided model.
    pub guided: Guided,
    /// What the kept model did in the window, except that gates were closed and nobody was there.
    pub told: Vec<Annotation>,
    /// Idle time of each row of windows.
    pub idle: Vec<Vec<IdleWindow>>,
    /// Gaps of lost events in the window.
    pub gaps: u64,
}

/// Reads the states and the log once.
///
/// # Errors
/// The states could not be read.
pub fn study(events: &Events, states: &States, asked: Asked) -> Result<Study, EngineError> {
    let Asked { config, keep, idle } = asked;
    let (from, since, to) = (config.from_ns, config.count_from_ns, config.to_ns);
    let (kinds, cpus, hz) = (config.kinds, config.cpus, config.jiffies.hz);
    let compares = config.follow.contains(&Follow::Guided) && kinds.show_kicks();
    let tick_kind = kinds.tick();
    let enter_kind = [IlbKind::Enter, IlbKind::TickStop];
    let enter_kind = enter_kind.into_iter().find(|&kind| kinds.has(kind));
    let mut meters: Vec<IdleMeter> = idle
        .iter()
        .map(|edges| IdleMeter::new(edges, cpus, hz))
        .collect();
    let (mut told, mut guided, mut busy) = (Vec::new(), Guided::default(), Guided::default());
    let mut gaps = 0;
    let mut out = |follow: Follow, note: &Annotation| {
        if compares {
            guided.annotation(follow, note);
        }
        if Some(follow) == keep && !matches!(note.kind, Kind::GateClosed | Kind::NoTarget) {
            told.push(*note);
        }
    };
    let mut replay = Replay::new(config, &mut out);
    let mut observer = Observer::new(kinds);
    // Who is idle, for ticks whose probe does not tell.
    let mut idle_now = vec![false; cpus];
    together(events, states, (from, to), |next| match next {
        Ok(row) => {
            replay.state(row);
            observer.state(row);
            for meter in &mut meters {
                meter.row(row);
            }
            if let Some(idle) = idle_now
                .get_mut(row.cpu as usize)
                .filter(|_| row.group == MACHINE)
            {
                *idle = row.state.on == OnCpu::Idle;
            }
        }
        Err(row) => {
            replay.row(row);
            observer.row(row);
            let kind = Some(row.kind);
            if kind == tick_kind {
                for meter in &mut meters {
                    meter.tick(row.ts_ns, row.cpu);
                }
                let idle = if row.a & NR_TOLD != 0 {
                    row.a & IDLE != 0
                } else {
                    idle_now.get(row.cpu as usize).is_some_and(|idle| *idle)
                };
                if compares && !idle && row.ts_ns >= since {
                    busy.tick(row.ts_ns);
                }
            } else if kind == enter_kind && (row.kind == IlbKind::Enter || row.a != 0) {
                for meter in &mut meters {
                    meter.stop(row.ts_ns, row.cpu);
                }
            } else if row.kind == IlbKind::Lost {
                gaps += u64::from(row.a >= since);
                busy.gap(row.cpu, row.ts_ns, row.a);
            }
        }
    })?;
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
        told,
        idle: meters.into_iter().map(|meter| meter.finish(to)).collect(),
        gaps,
    })
}

/// Calls `take` with each state of the machine (`Ok`) and event (`Err`) from `from` to `to`, in one order of time; of one time
/// states come first.
fn together(
    events: &Events,
    states: &States,
    (from, to): (u64, u64),
    mut take: impl FnMut(Result<&StateRow, &IlbRow>),
) -> Result<(), EngineError> {
    let mut rows = events.cursor(from, to);
    states.scan(Which::Machine, from, to, |told: &StateRow| {
        while let Some(row) = rows.next_before(told.ts_ns) {
            take(Err(&row));
        }
        take(Ok(told));
    })?;
    while let Some(row) = rows.next_before(u64::MAX) {
        take(Err(&row));
    }
    Ok(())
}
