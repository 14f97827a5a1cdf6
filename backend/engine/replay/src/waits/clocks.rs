//! What a task that waits on a CPU waits for, as clocks that only run: a wait costs one reading when it begins and one when
//! it ends, however much happened in between.
//!
//! Each CPU has a clock per class, of which one runs at a time. What a busy CPU's waiters wait for also depends on which
//! other CPUs are idle; that is the same for all CPUs of a node, so the node has clocks for it, and a busy CPU takes over
//! what its node's clocks ran since it became busy. A clock is brought up to date when it is read or when its class changes.

mod spans;

use numalens_core::topology::Node;

use self::spans::served;
use super::{Cause, CauseSpan, SpanOf};

/// What a CPU's waiters wait for while they are on its queue: the classes of its clocks.
const CLASSES: [Cause; 8] = [
    Cause::Unknown,
    Cause::IdleExit,
    Cause::Interrupt,
    Cause::Softirq,
    Cause::PendingBalance,
    Cause::IdleSameNode,
    Cause::IdleOtherNode,
    Cause::Busy,
];

/// Places of the classes.
const UNKNOWN: usize = 0;
const IDLE: usize = 1;
const INTERRUPT: usize = 2;
const SOFTIRQ: usize = 3;
/// The first of the classes that a node tells; the others follow.
const NODE: usize = 4;
const PENDING: usize = 0;
const SAME_NODE: usize = 1;
const OTHER_NODE: usize = 2;
const BUSY: usize = 3;
/// How many classes a node tells.
const NODE_CLASSES: usize = CLASSES.len() - NODE;

/// The times of a CPU's classes so far, ns.
pub(crate) type ClockSnapshot = [u64; CLASSES.len()];

/// What a wait consisted of, ns, by the numbers of the causes.
pub(crate) type CauseTotals = [u64; Cause::COUNT];

/// Adds what passed between two readings.
#[inline]
pub(crate) fn add(spent: &mut CauseTotals, since: &ClockSnapshot, until: &ClockSnapshot) {
    for (at, cause) in CLASSES.into_iter().enumerate() {
        spent[cause as usize] += until[at] - since[at];
    }
}

/// How much of what passed between two readings the CPU was idle.
pub(crate) fn idle(since: &ClockSnapshot, until: &ClockSnapshot) -> u64 {
    until[IDLE] - since[IDLE]
}

/// Number of the softirq that balances (`SCHED_SOFTIRQ`).
const SCHED: u32 = 7;

/// What is on a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum On {
    Unknown,
    Idle,
    Task,
}

#[derive(Debug)]
struct CpuClock {
    node: u32,
    on: On,
    /// Interrupts being served.
    irqs: u8,
    softirq: bool,
    /// The balancing softirq is raised or runs.
    raised: bool,
    balancing: bool,
    /// What runs since `since`; `None` = what the node's clocks tell.
    class: Option<usize>,
    since: u64,
    /// Since when an interrupt or a softirq is what its waiters wait for.
    serves_since: u64,
    ns: ClockSnapshot,
    /// What the node's clocks showed when this CPU took over last.
    taken: [u64; NODE_CLASSES],
}

#[derive(Debug, Clone, Copy)]
struct NodeClock {
    idle: u32,
    /// Which of the classes that a node tells, from 0.
    class: usize,
    since: u64,
    ns: [u64; NODE_CLASSES],
}

/// The clocks of all CPUs and nodes.
#[derive(Debug)]
pub(crate) struct Clocks {
    cpus: Vec<CpuClock>,
    nodes: Vec<NodeClock>,
    /// Idle CPUs.
    idle: u32,
    /// CPUs on which balancing is raised or runs.
    pending: u32,
    /// Since when there are any.
    pending_since: u64,
    /// What ended and was not reported yet.
    ended: Vec<CauseSpan>,
    /// Whether the beginning of softirqs is recorded; without it a raised one would seem never to begin.
    softirqs: bool,
}

/// Clocks of which the one numbered `runs` ran on for `ns`. All are written, since a processor that reads several numbers
/// at once waits for a single one that was just written.
#[inline]
fn ran<const N: usize>(clocks: &[u64; N], runs: usize, ns: u64) -> [u64; N] {
    std::array::from_fn(|at| clocks[at] + if at == runs { ns } else { 0 })
}

impl NodeClock {
    fn new(now: u64) -> Self {
        Self {
            idle: 0,
            class: BUSY,
            since: now,
            ns: [0; NODE_CLASSES],
        }
    }

    /// The clocks as they stand at `now`.
    #[inline]
    fn read(&self, now: u64) -> [u64; NODE_CLASSES] {
        ran(&self.ns, self.class, now.saturating_sub(self.since))
    }

    #[inline]
    fn advance(&mut self, now: u64) {
        self.ns = self.read(now);
        self.since = now;
    }
}

impl Clocks {
    pub(crate) fn new(now: u64, nodes: &[Node], softirqs: bool) -> Self {
        let mut clocks = Self {
            cpus: Vec::new(),
            // CPUs of which nobody knows the node are one node.
            nodes: vec![NodeClock::new(now); nodes.len() + 1],
            idle: 0,
            pending: 0,
            pending_since: now,
            ended: Vec::new(),
            softirqs,
        };
        for (at, node) in (0..).zip(nodes) {
            for &cpu in node
                .cpus
                .iter()
                .filter(|&&cpu| cpu < numalens_core::topology::MAX_CPUS)
            {
                clocks.reach(cpu, now);
                clocks.cpus[cpu as usize].node = at;
            }
        }
        clocks
    }

    /// Makes sure that the CPU has its clocks.
    pub(crate) fn reach(&mut self, cpu: u32, now: u64) {
        let node = self.nodes.len() as u32 - 1;
        while self.cpus.len() <= cpu as usize {
            self.cpus.push(CpuClock {
                node,
                on: On::Unknown,
                irqs: 0,
                softirq: false,
                raised: false,
                balancing: false,
                class: Some(UNKNOWN),
                since: now,
                serves_since: now,
                ns: [0; CLASSES.len()],
                taken: [0; NODE_CLASSES],
            });
        }
    }

    /// The CPU's clocks as they stand at `now`.
    #[inline]
    pub(crate) fn read(&self, now: u64, cpu: u32) -> ClockSnapshot {
        let clock = &self.cpus[cpu as usize];
        if let Some(class) = clock.class {
            return ran(&clock.ns, class, now.saturating_sub(clock.since));
        }
        let node = self.nodes[clock.node as usize].read(now);
        let mut ns = clock.ns;
        for at in 0..NODE_CLASSES {
            ns[NODE + at] += node[at] - clock.taken[at];
        }
        ns
    }

    /// The CPU switched: it neither serves an interrupt nor a softirq any more, whatever was recorded of their ends.
    #[inline]
    pub(crate) fn switched(&mut self, now: u64, cpu: u32, on: On) {
        let clock = &mut self.cpus[cpu as usize];
        let served = clock.irqs > 0 || clock.softirq;
        let was = clock.on;
        if was == on && !served {
            return;
        }
        self.advance(now, cpu);
        let clock = &mut self.cpus[cpu as usize];
        (clock.irqs, clock.softirq, clock.on) = (0, false, on);
        self.reclass(cpu);
        self.balancing(now, cpu, false);
        if (was == On::Idle) != (on == On::Idle) {
            self.idles(now, cpu, on == On::Idle);
        }
    }

    /// Nothing is known of the CPU any more.
    pub(crate) fn forget(&mut self, now: u64, cpu: u32) {
        self.switched(now, cpu, On::Unknown);
        self.raised(now, cpu, false);
    }

    /// The CPU begins or ends to serve an interrupt or a softirq.
    pub(crate) fn irq(&mut self, now: u64, cpu: u32, softirq: bool, vec: u32, enter: bool) {
        self.advance(now, cpu);
        let clock = &mut self.cpus[cpu as usize];
        if softirq {
            clock.softirq = enter;
        } else if enter {
            clock.irqs = clock.irqs.saturating_add(1);
        } else {
            // The end of one that began before the recording did.
            clock.irqs = clock.irqs.saturating_sub(1);
        }
        self.reclass(cpu);
        if softirq {
            let balancing = enter && vec == SCHED;
            // It began before it counts as raised no more, so that it is pending without a break.
            self.balancing(now, cpu, balancing);
            if balancing {
                self.raised(now, cpu, false);
            }
        }
    }

    /// A softirq is to be served by the CPU.
    pub(crate) fn raise(&mut self, now: u64, cpu: u32, vec: u32) {
        if vec == SCHED && self.softirqs {
            self.raised(now, cpu, true);
        }
    }

    #[inline]
    fn advance(&mut self, now: u64, cpu: u32) {
        let ns = self.read(now, cpu);
        let clock = &mut self.cpus[cpu as usize];
        if clock.class.is_none() {
            clock.taken = self.nodes[clock.node as usize].read(now);
        }
        (clock.ns, clock.since) = (ns, now);
    }

    /// Finds the CPU's class anew; its clock is up to date.
    #[inline]
    fn reclass(&mut self, cpu: u32) {
        let clock = &mut self.cpus[cpu as usize];
        let class = match clock.on {
            On::Unknown => Some(UNKNOWN),
            On::Idle => Some(IDLE),
            On::Task if clock.irqs > 0 => Some(INTERRUPT),
            On::Task if clock.softirq => Some(SOFTIRQ),
            On::Task => None,
        };
        if class.is_none() && clock.class.is_some() {
            clock.taken = self.nodes[clock.node as usize].read(clock.since);
        }
        let (was, now) = (std::mem::replace(&mut clock.class, class), clock.since);
        if was != class {
            let since = std::mem::replace(&mut clock.serves_since, now);
            if let Some(of) = was.and_then(served) {
                self.note(of, cpu, since, now);
            }
        }
    }

    fn raised(&mut self, now: u64, cpu: u32, raised: bool) {
        let clock = &mut self.cpus[cpu as usize];
        let before = clock.raised || clock.balancing;
        clock.raised = raised;
        let after = clock.raised || clock.balancing;
        self.pends(now, before, after);
    }

    #[inline]
    fn balancing(&mut self, now: u64, cpu: u32, balancing: bool) {
        let clock = &mut self.cpus[cpu as usize];
        let before = clock.raised || clock.balancing;
        clock.balancing = balancing;
        let after = clock.raised || clock.balancing;
        self.pends(now, before, after);
    }

    #[inline]
    fn pends(&mut self, now: u64, before: bool, after: bool) {
        if before != after {
            let was = self.pending > 0;
            self.pending = self.pending + u32::from(after) - u32::from(before);
            if was != (self.pending > 0) {
                if was {
                    self.note(SpanOf::Balancing, 0, self.pending_since, now);
                }
                self.pending_since = now;
                self.reclass_nodes(now);
            }
        }
    }

    #[inline]
    fn idles(&mut self, now: u64, cpu: u32, idle: bool) {
        let at = self.cpus[cpu as usize].node as usize;
        let was = self.idle > 0;
        let node = &mut self.nodes[at];
        if idle {
            node.idle += 1;
            self.idle += 1;
        } else {
            node.idle -= 1;
            self.idle -= 1;
        }
        if was == (self.idle > 0) {
            self.reclass_node(now, at);
        } else {
            self.reclass_nodes(now);
        }
    }

    fn reclass_nodes(&mut self, now: u64) {
        for at in 0..self.nodes.len() {
            self.reclass_node(now, at);
        }
    }

    /// Why a task waits on a busy CPU of the node.
    #[inline]
    fn reclass_node(&mut self, now: u64, at: usize) {
        let node = &mut self.nodes[at];
        let class = if self.idle == 0 {
            BUSY
        } else if self.pending > 0 {
            PENDING
        } else if node.idle > 0 {
            SAME_NODE
        } else {
            OTHER_NODE
        };
        if class != node.class {
            node.advance(now);
            node.class = class;
        }
    }
}
