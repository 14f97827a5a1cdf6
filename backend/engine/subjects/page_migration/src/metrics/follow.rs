//! Tasks that follow their memory, and processes that do this while their memory follows them.

use std::collections::{BTreeMap, HashMap};

use numalens_core::hash::PidMap;
use numalens_core::provenance::Label;
use numalens_replay::numa::Attempt;
use numalens_subject::window::Steps;

use crate::metrics::result::{CpuFollowsMemory, Fight, Fighter, RemoteRun};
use crate::metrics::samples::{MemoryEvidence, Quality};
use crate::metrics::{Config, Stays, Who};

/// W: length of the windows in which fights are looked for, ns (`docs/algorithms/page_migration.md`, M11).
pub const FIGHT_WINDOW_NS: u64 = 10_000_000_000;

/// Processes that are reported.
const MOST_FIGHTERS: usize = 20;

/// Missing input for the run time off the memory.
pub(super) const RUN_TIMES: &str = "run times";
/// Missing input for the location of memory.
pub(super) const MEMORY: &str = "numa_maps or numa_faults";

/// A move of the balancer comes at most so long after its attempt began, ns.
const ATTEMPT_NS: u64 = 1_000_000_000;

/// Processes whose calls are held; a power of two.
const HELD: usize = 1 << 6;

/// Moves of the balancer, by pid and time.
#[derive(Debug, Default)]
struct Attempts(HashMap<i32, Vec<Attempt>>);

impl Attempts {
    fn new(all: &[Attempt]) -> Self {
        let mut by_pid: HashMap<i32, Vec<Attempt>> = HashMap::new();
        for attempt in all {
            if attempt.failed() == Some(false) {
                by_pid.entry(attempt.pid).or_default().push(*attempt);
            }
        }
        Self(by_pid)
    }

    /// Returns whether the balancer made this move, and to the node that it wanted. A destination without a known target
    /// counts as wanted.
    fn tells(&self, row: &NodeMove) -> Option<bool> {
        let own = self.0.get(&row.pid)?;
        let after = own.partition_point(|attempt| attempt.start_ns <= row.t_ns);
        let last = own.get(after.checked_sub(1)?)?;
        let until = last.start_ns.saturating_add(ATTEMPT_NS).max(last.end_ns);
        let to = i32::try_from(row.to).ok()?;
        let made = last.dst_nid == to && row.t_ns <= until;
        made.then_some(last.target_nid < 0 || last.target_nid == to)
    }
}

/// A move of a task between nodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeMove {
    pub(super) t_ns: u64,
    pub(super) pid: i32,
    pub(super) tgid: i32,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// Pages of a process that came to a node; the source is known only if an event shows it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Came {
    pub(super) t_ns: u64,
    pub(super) tgid: i32,
    pub(super) source: Option<u32>,
    pub(super) to: u32,
    pub(super) pages: u64,
}

/// Moves from one node to another.
#[derive(Debug, Clone, Copy, Default)]
struct Moves {
    all: u64,
    /// Known to follow memory.
    following: u64,
    /// Location of the memory unknown.
    unknown: u64,
}

/// Activity of a process in the current window.
#[derive(Debug, Clone, Default)]
struct Activity {
    /// By source and destination.
    moves: BTreeMap<(u32, u32), Moves>,
    /// By source, if known, and destination.
    pages: BTreeMap<(Option<u32>, u32), u64>,
}

/// Returns whether pages went from one node to another, or may have.
fn went(&(source, to): &(Option<u32>, u32), from: u32, dest: u32) -> bool {
    to == dest && source.map_or(from != dest, |source| source == from)
}

impl Activity {
    /// Pairs of nodes from the first of which tasks went to the second while pages went the other way.
    fn fights(&self, counts: impl Fn(&Moves) -> bool) -> Vec<(u32, u32)> {
        let pairs = self.moves.iter().filter(|(_, moves)| counts(moves));
        let pairs = pairs.map(|(&pair, _)| pair);
        let against = |&(d, e): &(u32, u32)| self.pages.keys().any(|pages| went(pages, e, d));
        pairs.filter(against).collect()
    }

    /// Pages and moves between the nodes of these pairs, either way.
    fn between(&self, pairs: &[(u32, u32)]) -> (u64, u64) {
        let pages = self.pages.iter().filter(|(way, _)| {
            let mut pairs = pairs.iter();
            pairs.any(|&(d, e)| went(way, e, d) || went(way, d, e))
        });
        let moves = self.moves.iter().filter(|((from, to), _)| {
            let mut pairs = pairs.iter();
            pairs.any(|pair| *pair == (*from, *to) || *pair == (*to, *from))
        });
        (
            pages.fold(0, |sum, (_, pages)| sum.saturating_add(*pages)),
            moves.map(|(_, moves)| moves.all).sum(),
        )
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    windows: u64,
    active: u64,
    pages: u64,
    moves: u64,
    remote_ns: u64,
    homeless: bool,
}

/// Counts both in one pass.
#[derive(Debug)]
pub(super) struct Follow {
    attempts: Attempts,
    moves: u64,
    following: u64,
    unknown: u64,
    by: BTreeMap<MemoryEvidence, u64>,
    untold_pages: bool,
    windows: Steps,
    at: usize,
    /// The end of that window; 0 before the first moment.
    until_ns: u64,
    now: PidMap<Activity>,
    /// Calls that are not in `now` yet, those of one process and way together, by the process.
    held: [Option<Came>; HELD],
    sums: PidMap<Sums>,
    sure: u64,
    maybe: u64,
}

/// Time that a process or task ran on other nodes than `home`.
pub(super) fn off(stays: &dyn Stays, who: Who, home: u32, from_ns: u64, to_ns: u64) -> u64 {
    let nodes = stays.ran(who, from_ns, to_ns);
    let off = nodes.iter().filter(|(nid, _)| *nid != home);
    off.fold(0, |sum, (_, ns)| sum.saturating_add(*ns))
}

impl Follow {
    pub(super) fn new(config: &Config<'_>) -> Self {
        Self {
            attempts: Attempts::new(config.attempts.unwrap_or_default()),
            moves: 0,
            following: 0,
            unknown: 0,
            by: BTreeMap::new(),
            untold_pages: false,
            windows: Steps::new(config.from_ns, config.to_ns, FIGHT_WINDOW_NS),
            at: 0,
            until_ns: 0,
            now: PidMap::default(),
            held: [None; HELD],
            sums: PidMap::default(),
            sure: 0,
            maybe: 0,
        }
    }

    /// A task moved between nodes, in the window.
    pub(super) fn moved(&mut self, config: &Config<'_>, row: NodeMove) {
        self.advance(config, row.t_ns);
        let NodeMove {
            t_ns,
            pid,
            tgid,
            from,
            to,
        } = row;
        let evidence = config.samples.holds_most(pid, tgid, t_ns, to);
        let evidence =
            evidence.or_else(|| Some((self.attempts.tells(&row)?, MemoryEvidence::Balancer)));
        self.moves += 1;
        match evidence {
            Some((follows, by)) => {
                self.following += u64::from(follows);
                *self.by.entry(by).or_default() += 1;
            }
            None => self.unknown += 1,
        }
        let activity = self.now.entry(tgid).or_default();
        let moves = activity.moves.entry((from, to)).or_default();
        moves.all += 1;
        match evidence {
            Some((follows, _)) => moves.following += u64::from(follows),
            None => moves.unknown += 1,
        }
    }

    /// Pages were migrated on fault, in the window.
    pub(super) fn came(&mut self, config: &Config<'_>, came: Came) {
        self.advance(config, came.t_ns);
        self.untold_pages |= came.source.is_none();
        // Calls of one process mostly go one way, for a while.
        let same =
            |last: &Came| (last.tgid, last.source, last.to) == (came.tgid, came.source, came.to);
        let held = &mut self.held[came.tgid as usize % HELD];
        match held {
            Some(last) if same(last) => last.pages = last.pages.saturating_add(came.pages),
            _ => {
                if let Some(other) = held.replace(came) {
                    self.settle(&other);
                }
            }
        }
    }

    /// Adds calls that were held.
    fn settle(&mut self, came: &Came) {
        let activity = self.now.entry(came.tgid).or_default();
        let pages = activity.pages.entry((came.source, came.to)).or_default();
        *pages = pages.saturating_add(came.pages);
    }

    /// Goes to the window in which fights are looked for at a moment, which is not before the last one; says when it ends.
    #[inline]
    pub(super) fn advance(&mut self, config: &Config<'_>, t_ns: u64) -> u64 {
        if t_ns >= self.until_ns {
            self.turn(config, t_ns);
        }
        self.until_ns
    }

    fn turn(&mut self, config: &Config<'_>, t_ns: u64) {
        let at = self.windows.at(t_ns).min(self.windows.count().max(1) - 1);
        self.until_ns = self.windows.end(at);
        if at != self.at {
            self.close(config);
            self.at = at;
        }
    }

    /// Ends the current window.
    fn close(&mut self, config: &Config<'_>) {
        for held in std::mem::replace(&mut self.held, [None; HELD]) {
            if let Some(came) = &held {
                self.settle(came);
            }
        }
        let sampled = config.knows_memory();
        let (mut sure, mut maybe) = (false, false);
        let span = (self.windows.start(self.at), self.windows.end(self.at));
        for (tgid, activity) in self.now.drain() {
            let sums = self.sums.entry(tgid).or_default();
            sums.active += 1;
            let known = activity.fights(|moves| moves.following != 0);
            let any = activity.fights(|moves| moves.following + moves.unknown != 0);
            sure |= !known.is_empty();
            maybe |= !any.is_empty();
            let pairs = if sampled { known } else { any };
            if pairs.is_empty() {
                continue;
            }
            let (pages, moves) = activity.between(&pairs);
            sums.windows += 1;
            sums.pages = sums.pages.saturating_add(pages);
            sums.moves += moves;
            match config.samples.home(tgid, tgid, span.1) {
                Some(home) => {
                    let run = |stays| off(stays, Who::Process(tgid), home, span.0, span.1);
                    let ns = config.stays.map_or(0, run);
                    sums.remote_ns = sums.remote_ns.saturating_add(ns);
                }
                None => sums.homeless = true,
            }
        }
        self.sure += u64::from(sure);
        self.maybe += u64::from(maybe);
    }

    pub(super) fn finish(
        mut self,
        config: &Config<'_>,
        moves: &Quality,
        pages: &Quality,
    ) -> (CpuFollowsMemory, Fight) {
        self.close(config);
        let known = self.moves - self.unknown;
        let mut missing = moves.missing.clone();
        if self.unknown != 0 || !config.knows_memory() {
            missing.push(MEMORY.to_owned());
        }
        // Samples are of another moment than the move.
        let follows = CpuFollowsMemory {
            moves: self.moves,
            following: self.following,
            unknown: self.unknown,
            share: (known != 0).then(|| self.following as f64 / self.moves as f64),
            by: self
                .by
                .iter()
                .map(|(evidence, count)| (*evidence, *count))
                .collect(),
            quality: Quality {
                label: Label::Inferred,
                missing: missing.clone(),
            },
        };
        for name in &pages.missing {
            if !missing.contains(name) {
                missing.push(name.clone());
            }
        }
        if self.untold_pages && config.nodes.len() > 2 {
            missing.push("source nodes of pages".to_owned());
        }
        (follows, self.fight(config, missing))
    }

    fn fight(&self, config: &Config<'_>, missing: Vec<String>) -> Fight {
        let sampled = config.knows_memory();
        let windows = self.windows.count() as u64;
        let share = |count: u64| (windows != 0).then(|| count as f64 / windows as f64);
        let mut processes: Vec<Fighter> = self
            .sums
            .iter()
            .filter(|(_, sums)| sums.windows != 0)
            .map(|(&tgid, sums)| Fighter {
                tgid,
                windows: sums.windows,
                active: sums.active,
                pages: sums.pages,
                moves: sums.moves,
                remote: RemoteRun {
                    ns: sums.remote_ns,
                    missing: lacking(config.stays.is_none(), sums.homeless),
                },
            })
            .collect();
        processes.sort_by_key(|process| {
            (
                std::cmp::Reverse(process.windows),
                std::cmp::Reverse(process.pages),
                process.tgid,
            )
        });
        processes.truncate(MOST_FIGHTERS);
        Fight {
            windows,
            fighting: if sampled { self.sure } else { self.maybe },
            index: share(self.sure).filter(|_| sampled),
            at_most: share(self.maybe),
            processes,
            quality: Quality {
                label: Label::Inferred,
                missing,
            },
        }
    }
}

/// Missing inputs of a run time off the memory.
pub(super) fn lacking(no_stays: bool, homeless: bool) -> Vec<String> {
    let names = [(no_stays, RUN_TIMES), (homeless, MEMORY)];
    let names = names.into_iter().filter(|(lacks, _)| *lacks);
    names.map(|(_, name)| name.to_owned()).collect()
}
