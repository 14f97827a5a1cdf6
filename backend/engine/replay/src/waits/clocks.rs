//! Causes of waits as clocks that only advance: a wait reads them once when it begins and once when it ends, however much
//! happened in between.
//!
//! Each CPU has a clock per class, of which one runs at a time. The cause of waits on a busy CPU also depends on the idle
//! CPUs. These are the same for all CPUs of a node, so the node has clocks for it, and a busy CPU takes over the time of its
//! node's clocks since it became busy. A clock is brought up to date when it is read or when its class changes.
//!
//! A task that may run on some CPUs only has a [`Scope`] of its own: the CPUs that it may use, seen from the node where it
//! waits. A CPU has clocks for each scope that waits there; there are few, as tasks share the masks of their cpusets.

mod spans;

use numalens_core::CpuSet;
use numalens_core::topology::Node;

use self::spans::served;
use super::rules::{
    BUSY, CLASSES, ClockSnapshot, FAIR, HIGHER, IDLE, INTERRUPT, KICK_DROPPED, NEW_IDLE,
    NOT_ALLOWED, NUMA_SCAN, OTHER_NODE, PENDING, SAME_NODE, SCOPE_CLASSES, SOFTIRQ, UNKNOWN,
    UNSEEN,
};
use super::{CauseSpan, SpanOf};

/// Masks that are distinguished. A task of a further one counts as one that may run anywhere.
const MOST_MASKS: usize = 64;

/// Number of the softirq that balances (`SCHED_SOFTIRQ`).
pub(crate) const SCHED: u32 = 7;

/// Kind of task on a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum On {
    Unknown,
    Idle,
    /// A task of the fair class.
    Task,
    /// A task of a class above it: stop, deadline or real-time.
    Higher,
}

impl On {
    /// Returns the kind of a task of this priority, as the kernel counts (`MAX_RT_PRIO` is 100).
    #[inline]
    pub(crate) fn task(prio: i32) -> Self {
        if prio < 100 { Self::Higher } else { Self::Task }
    }
}

/// Place of a scope among all.
pub(crate) type ScopeId = u32;

/// Clocks of a CPU for the tasks of one scope that wait there.
#[derive(Debug)]
struct View {
    scope: ScopeId,
    ns: ClockSnapshot,
    /// Times of the scope's clocks when these took over last.
    taken: [u64; SCOPE_CLASSES.len()],
}

#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)]
struct CpuClock {
    on: On,
    /// Interrupts being served.
    irqs: u8,
    softirq: bool,
    /// True if its task scans memory for NUMA balancing.
    numa_scan: bool,
    /// True if it has nothing to run and looks for tasks of others.
    new_idle: bool,
    /// Class that overrides all others: the CPU is taken from its kernel, according to a log.
    taken: Option<usize>,
    /// The balancing softirq is raised or runs.
    raised: bool,
    balancing: bool,
    class: Class,
    since: u64,
    /// Since when an interrupt or a softirq is what its waiters wait for.
    serves_since: u64,
    /// Since when it runs tasks of a higher class, if it does.
    higher_since: u64,
    /// For tasks that may run anywhere; the scope is the CPU's node.
    own: View,
    /// For the others.
    others: Vec<View>,
}

/// Class of a CPU's clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A class of its own.
    Own(usize),
    /// Class of the scopes' clocks, from this position on.
    Scope(usize),
}

/// CPUs of which nothing is known and to which tasks may come.
#[derive(Debug, Clone, Copy, Default)]
struct Unseen {
    /// Number of these.
    cpus: u32,
    /// Since when there are any.
    since: u64,
    /// Until when there were some last.
    until: u64,
}

impl Unseen {
    /// One more, or one less.
    fn step(&mut self, now: u64, more: bool) {
        if more && self.cpus == 0 {
            self.since = now;
        } else if !more && self.since < now {
            self.until = now;
        }
        step(&mut self.cpus, more);
    }

    /// Returns whether there are any, or were after a time.
    fn after(self, ns: u64) -> bool {
        self.cpus > 0 || self.until > ns
    }
}

/// The CPUs that some tasks may use, seen from a node.
#[derive(Debug)]
struct Scope {
    /// The node where they wait.
    node: u32,
    /// The CPUs; `None` = all.
    mask: Option<u32>,
    /// Idle ones.
    idle: u32,
    /// Number of these on the node.
    near: u32,
    /// CPUs of the mask that are unseen.
    unseen: Unseen,
    /// Since when none of those is idle, or one was idle last.
    full_since: u64,
    /// CPUs that have clocks for it.
    views: Vec<u32>,
    /// Running class of [`SCOPE_CLASSES`].
    class: usize,
    since: u64,
    ns: [u64; SCOPE_CLASSES.len()],
}

/// The clocks of all CPUs and scopes.
#[derive(Debug)]
pub(crate) struct Clocks {
    cpus: Vec<CpuClock>,
    /// First those of the nodes, then those of masks.
    scopes: Vec<Scope>,
    /// Number of scopes of nodes; CPUs without a known node belong to the last one.
    nodes: u32,
    /// The node of a CPU.
    node_of: Vec<u32>,
    /// By CPU: scopes of masks that have it.
    scopes_of: Vec<Vec<ScopeId>>,
    masks: Vec<CpuSet>,
    /// Scopes of masks that have got their first idle CPU, or have lost the last one.
    crossed: Vec<ScopeId>,
    /// CPUs to which no task may come (`cpu_active`), and since when: one that goes off or comes up runs its own kernel threads only.
    inactive: Vec<(u32, u64)>,
    /// CPUs of these that come back with their next event.
    offline: Vec<u32>,
    /// Idle CPUs to which tasks may come.
    idle: u32,
    unseen: Unseen,
    /// CPUs on which balancing is raised or runs.
    pending: u32,
    /// Since when there are any.
    pending_since: u64,
    /// Since when a kick came that raised no balancing, and none was raised.
    dropped_since: Option<u64>,
    /// Ended spans that were not reported yet.
    ended: Vec<CauseSpan>,
    /// True if the start of softirqs is recorded; otherwise a raised one would seem never to begin.
    softirqs: bool,
}

/// Clocks of which the one numbered `runs` ran on for `ns`. All are written, since a processor that reads several numbers
/// at once waits for a single one that was just written.
#[inline]
fn ran<const N: usize>(clocks: &[u64; N], runs: usize, ns: u64) -> [u64; N] {
    std::array::from_fn(|at| clocks[at] + if at == runs { ns } else { 0 })
}

impl View {
    fn new(scope: ScopeId) -> Self {
        Self {
            scope,
            ns: [0; CLASSES],
            taken: [0; SCOPE_CLASSES.len()],
        }
    }
}

impl CpuClock {
    #[inline]
    fn views(&mut self) -> impl Iterator<Item = &mut View> {
        std::iter::once(&mut self.own).chain(&mut self.others)
    }
}

impl Scope {
    /// Returns whether the CPU is among those of its mask.
    fn has(&self, masks: &[CpuSet], cpu: u32) -> bool {
        self.mask
            .is_some_and(|mask| masks[mask as usize].contains(cpu))
    }

    fn new(now: u64, node: u32, mask: Option<u32>) -> Self {
        Self {
            node,
            mask,
            idle: 0,
            near: 0,
            unseen: Unseen::default(),
            full_since: now,
            views: Vec::new(),
            class: BUSY,
            since: now,
            ns: [0; SCOPE_CLASSES.len()],
        }
    }

    /// Values of the clocks at `now`.
    #[inline]
    fn read(&self, now: u64) -> [u64; SCOPE_CLASSES.len()] {
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
            scopes: (0..=nodes.len() as u32)
                .map(|node| Scope::new(now, node, None))
                .collect(),
            nodes: nodes.len() as u32 + 1,
            node_of: Vec::new(),
            scopes_of: Vec::new(),
            masks: Vec::new(),
            crossed: Vec::new(),
            inactive: Vec::new(),
            offline: Vec::new(),
            idle: 0,
            unseen: Unseen::default(),
            pending: 0,
            pending_since: now,
            dropped_since: None,
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
                clocks.node_of[cpu as usize] = at;
                clocks.cpus[cpu as usize].own.scope = at;
            }
        }
        clocks
    }

    /// Makes sure that the CPU has its clocks.
    pub(crate) fn reach(&mut self, cpu: u32, now: u64) {
        if (cpu as usize) < self.cpus.len() {
            return;
        }
        let node = self.nodes - 1;
        while self.cpus.len() <= cpu as usize {
            self.unseen.step(now, true);
            self.node_of.push(node);
            self.scopes_of.push(Vec::new());
            let new = self.cpus.len() as u32;
            for (at, scope) in (self.nodes..).zip(&mut self.scopes[self.nodes as usize..]) {
                if scope.has(&self.masks, new) {
                    self.scopes_of[new as usize].push(at);
                    scope.unseen.step(now, true);
                }
            }
            self.cpus.push(CpuClock {
                on: On::Unknown,
                irqs: 0,
                softirq: false,
                numa_scan: false,
                new_idle: false,
                taken: None,
                raised: false,
                balancing: false,
                class: Class::Own(UNKNOWN),
                since: now,
                serves_since: now,
                higher_since: now,
                own: View::new(node),
                others: Vec::new(),
            });
        }
        self.reclass_scopes(now);
    }

    /// Numbers a mask; `None` when there are too many already.
    pub(crate) fn mask(&mut self, mask: &CpuSet) -> Option<u32> {
        let found = self.masks.iter().position(|known| known == mask);
        let at = found.unwrap_or(self.masks.len());
        if at >= MOST_MASKS {
            return None;
        }
        if found.is_none() {
            self.masks.push(mask.clone());
        }
        Some(at as u32)
    }

    /// Returns whether a mask contains a CPU.
    pub(crate) fn mask_has(&self, mask: u32, cpu: u32) -> bool {
        self.masks[mask as usize].contains(cpu)
    }

    /// The scope of a task that waits on `cpu` and may run on the CPUs of a mask, or anywhere.
    #[inline]
    pub(crate) fn scope(&mut self, now: u64, cpu: u32, mask: Option<u32>) -> ScopeId {
        let node = self.node_of[cpu as usize];
        match mask {
            None => node,
            Some(mask) => self.scope_of_mask(now, cpu, node, mask),
        }
    }

    #[cold]
    fn scope_of_mask(&mut self, now: u64, cpu: u32, node: u32, mask: u32) -> ScopeId {
        let known = self.scopes.iter();
        let found = known
            .skip(self.nodes as usize)
            .position(|scope| scope.node == node && scope.mask == Some(mask));
        let at = found.map_or(self.scopes.len() as u32, |place| place as u32 + self.nodes);
        if found.is_none() {
            let mut scope = Scope::new(now, node, Some(mask));
            for cpu in self.masks[mask as usize]
                .iter()
                .filter(|cpu| (*cpu as usize) < self.cpus.len())
            {
                self.scopes_of[cpu as usize].push(at);
                if self.is_free(cpu) {
                    scope.idle += 1;
                    scope.near += u32::from(self.node_of[cpu as usize] == node);
                }
                if self.is_unseen(cpu) {
                    scope.unseen.step(now, true);
                }
            }
            self.scopes.push(scope);
            self.reclass_scope(now, at);
        }
        if self.cpus[cpu as usize]
            .others
            .iter()
            .all(|view| view.scope != at)
        {
            self.advance(now, cpu);
            let mut view = View::new(at);
            view.taken = self.scopes[at as usize].read(now);
            self.cpus[cpu as usize].others.push(view);
            self.scopes[at as usize].views.push(cpu);
        }
        at
    }

    /// The mask of a scope; `None` when it is of tasks that may run anywhere.
    #[inline]
    pub(crate) fn mask_of(&self, scope: ScopeId) -> Option<u32> {
        self.scopes[scope as usize].mask
    }

    /// All masks by number.
    pub(crate) fn into_masks(self) -> Vec<CpuSet> {
        self.masks
    }

    /// Class of the CPU's clocks for a scope that runs.
    pub(crate) fn class(&self, cpu: u32, scope: ScopeId) -> usize {
        match self.cpus[cpu as usize].class {
            Class::Own(class) => class,
            Class::Scope(first) => first + self.scopes[scope as usize].class,
        }
    }

    /// Values of the CPU's clocks for a scope at `now`.
    #[inline]
    pub(crate) fn read(&self, now: u64, cpu: u32, scope: ScopeId) -> ClockSnapshot {
        let clock = &self.cpus[cpu as usize];
        let mut views = clock.others.iter();
        let view = match &clock.own {
            own if own.scope == scope => own,
            own => views.find(|view| view.scope == scope).unwrap_or(own),
        };
        self.read_view(now, clock, view)
    }

    #[inline]
    fn read_view(&self, now: u64, clock: &CpuClock, view: &View) -> ClockSnapshot {
        match clock.class {
            Class::Own(class) => ran(&view.ns, class, now.saturating_sub(clock.since)),
            Class::Scope(first) => {
                let scope = self.scopes[view.scope as usize].read(now);
                let mut ns = view.ns;
                for (clock, (now, taken)) in
                    ns[first..].iter_mut().zip(scope.iter().zip(&view.taken))
                {
                    *clock += now - taken;
                }
                ns
            }
        }
    }

    /// The CPU switched: it neither serves an interrupt nor a softirq any more, whatever was recorded of their ends, and its new
    /// task scans no memory as long as [`Self::numa_scan`] does not say so.
    #[inline]
    pub(crate) fn switched(&mut self, now: u64, cpu: u32, on: On) {
        let clock = &mut self.cpus[cpu as usize];
        let served = clock.irqs > 0 || clock.softirq || clock.numa_scan || clock.new_idle;
        let was = clock.on;
        if was == on && !served {
            return;
        }
        self.advance(now, cpu);
        let clock = &mut self.cpus[cpu as usize];
        (clock.irqs, clock.on) = (0, on);
        (clock.softirq, clock.numa_scan, clock.new_idle) = (false, false, false);
        self.reclass(cpu);
        self.balancing(now, cpu, false);
        if was == On::Unknown && on != On::Unknown {
            self.comes_back(now, cpu);
        }
        if (was == On::Higher) != (on == On::Higher) {
            self.runs_higher(now, cpu, on == On::Higher);
        }
        if (was == On::Unknown) != (on == On::Unknown) && self.is_active(cpu) {
            self.becomes_unseen(now, cpu, on == On::Unknown);
        }
        if (was == On::Idle) != (on == On::Idle) && self.is_active(cpu) {
            self.idles(now, cpu, on == On::Idle);
        }
    }

    /// From here on tasks may come to the CPU, or may not.
    pub(crate) fn activate(&mut self, now: u64, cpu: u32, active: bool) {
        let (was_free, was_unseen) = (self.is_free(cpu), self.is_unseen(cpu));
        let known = self.inactive.iter().position(|&(known, _)| known == cpu);
        match (known, active) {
            (Some(at), true) => {
                let (_, since) = self.inactive.remove(at);
                self.note(SpanOf::Inactive, cpu, since, now);
            }
            (None, false) => self.inactive.push((cpu, now)),
            _ => {}
        }
        let (free, unseen) = (self.is_free(cpu), self.is_unseen(cpu));
        if was_free != free {
            self.idles(now, cpu, free);
        }
        if was_unseen != unseen {
            self.becomes_unseen(now, cpu, unseen);
        }
    }

    /// The CPU is offline until it is known again what is on it.
    pub(crate) fn goes_offline(&mut self, now: u64, cpu: u32) {
        if self.is_active(cpu) {
            self.activate(now, cpu, false);
            self.offline.push(cpu);
        }
    }

    #[cold]
    fn comes_back(&mut self, now: u64, cpu: u32) {
        if self.offline.contains(&cpu) {
            self.offline.retain(|&off| off != cpu);
            // The caller counts what is on it now.
            let on = std::mem::replace(&mut self.cpus[cpu as usize].on, On::Unknown);
            self.activate(now, cpu, true);
            self.cpus[cpu as usize].on = on;
        }
    }

    /// Returns whether tasks may come to the CPU.
    #[inline]
    pub(crate) fn is_active(&self, cpu: u32) -> bool {
        self.inactive.iter().all(|&(inactive, _)| inactive != cpu)
    }

    /// Returns whether a task could run on the CPU at once.
    #[inline]
    fn is_free(&self, cpu: u32) -> bool {
        self.cpus[cpu as usize].on == On::Idle && self.is_active(cpu)
    }

    /// Returns whether the state of the CPU is unknown, and tasks may run there.
    #[inline]
    fn is_unseen(&self, cpu: u32) -> bool {
        self.cpus[cpu as usize].on == On::Unknown && self.is_active(cpu)
    }

    /// From here on nothing is known of the CPU, or something is again.
    #[cold]
    fn becomes_unseen(&mut self, now: u64, cpu: u32, unseen: bool) {
        self.unseen.step(now, unseen);
        for &at in &self.scopes_of[cpu as usize] {
            self.scopes[at as usize].unseen.step(now, unseen);
        }
        self.reclass_scopes(now);
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

    /// The task on the CPU scans its memory from now on, or does not any more.
    pub(crate) fn numa_scan(&mut self, now: u64, cpu: u32, scans: bool) {
        if self.cpus[cpu as usize].numa_scan != scans {
            self.advance(now, cpu);
            self.cpus[cpu as usize].numa_scan = scans;
            self.reclass(cpu);
        }
    }

    /// The CPU has nothing to run and begins or ends to look for tasks of others.
    pub(crate) fn new_idle(&mut self, now: u64, cpu: u32, looks: bool) {
        if self.cpus[cpu as usize].new_idle != looks {
            self.advance(now, cpu);
            self.cpus[cpu as usize].new_idle = looks;
            self.reclass(cpu);
        }
    }

    /// The CPU is taken from its kernel, by its host or by the hardware, or given back. No switch ends that: nothing that the kernel
    /// does can fall into it.
    pub(crate) fn taken(&mut self, now: u64, cpu: u32, class: usize, enter: bool) {
        self.advance(now, cpu);
        let taken = &mut self.cpus[cpu as usize].taken;
        match enter {
            true => *taken = Some(class),
            false if *taken == Some(class) => *taken = None,
            false => {}
        }
        self.reclass(cpu);
    }

    /// A softirq is to be served by the CPU.
    pub(crate) fn raise(&mut self, now: u64, cpu: u32, vec: u32) {
        if vec == SCHED && self.softirqs {
            self.raised(now, cpu, true);
        }
    }

    #[inline]
    fn advance(&mut self, now: u64, cpu: u32) {
        let clock = &mut self.cpus[cpu as usize];
        let (class, ns) = (clock.class, now.saturating_sub(clock.since));
        clock.since = now;
        for view in clock.views() {
            match class {
                Class::Own(class) => view.ns = ran(&view.ns, class, ns),
                Class::Scope(first) => {
                    let scope = self.scopes[view.scope as usize].read(now);
                    let clocks = view.ns[first..].iter_mut();
                    for (clock, (now, taken)) in clocks.zip(scope.iter().zip(&view.taken)) {
                        *clock += now - taken;
                    }
                    view.taken = scope;
                }
            }
        }
    }

    /// Determines the CPU's class again; its clock is up to date.
    #[inline]
    fn reclass(&mut self, cpu: u32) {
        let clock = &mut self.cpus[cpu as usize];
        let class = match clock.on {
            On::Unknown => Class::Own(UNKNOWN),
            _ if let Some(taken) = clock.taken => Class::Own(taken),
            On::Idle => Class::Own(IDLE),
            _ if clock.irqs > 0 => Class::Own(INTERRUPT),
            _ if clock.softirq => Class::Own(SOFTIRQ),
            _ if clock.new_idle => Class::Own(NEW_IDLE),
            _ if clock.numa_scan => Class::Own(NUMA_SCAN),
            On::Task => Class::Scope(FAIR),
            On::Higher => Class::Scope(HIGHER),
        };
        if matches!((clock.class, class), (Class::Own(_), Class::Scope(_))) {
            let since = clock.since;
            for view in clock.views() {
                view.taken = self.scopes[view.scope as usize].read(since);
            }
        }
        let (was, now) = (std::mem::replace(&mut clock.class, class), clock.since);
        if was != class {
            let since = std::mem::replace(&mut clock.serves_since, now);
            if let Class::Own(was) = was
                && let Some(of) = served(was)
            {
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
                self.reclass_scopes(now);
            }
        }
    }

    /// A kick came to a CPU and raised no balancing.
    pub(crate) fn kick_dropped(&mut self, now: u64) {
        if self.dropped_since.is_none() {
            self.dropped_since = Some(now);
            self.reclass_scopes(now);
        }
    }

    /// Balancing is raised on an idle CPU, or a later kick asks for it.
    #[inline]
    pub(crate) fn kick_served(&mut self, now: u64) {
        if let Some(since) = self.dropped_since.take() {
            self.note(SpanOf::KickDropped, 0, since, now);
            self.reclass_scopes(now);
        }
    }

    #[inline]
    fn idles(&mut self, now: u64, cpu: u32, idle: bool) {
        let was = self.idle > 0;
        step(&mut self.idle, idle);
        let node = self.node_of[cpu as usize];
        let own = &mut self.scopes[node as usize];
        step(&mut own.near, idle);
        own.full_since = now;
        for &at in &self.scopes_of[cpu as usize] {
            let scope = &mut self.scopes[at as usize];
            let before = scope.idle;
            step(&mut scope.idle, idle);
            if (before == 0) != (scope.idle == 0) {
                self.crossed.push(at);
            }
            if scope.node == node {
                step(&mut scope.near, idle);
            }
        }
        if was != (self.idle > 0) {
            self.reclass_scopes(now);
            return;
        }
        self.reclass_scope(now, node);
        for place in 0..self.scopes_of[cpu as usize].len() {
            self.reclass_scope(now, self.scopes_of[cpu as usize][place]);
        }
    }

    fn reclass_scopes(&mut self, now: u64) {
        for at in 0..self.scopes.len() as u32 {
            self.reclass_scope(now, at);
        }
    }

    /// Determines the cause of waits of the scope's tasks on a busy CPU.
    #[inline]
    fn reclass_scope(&mut self, now: u64, at: ScopeId) {
        let scope = &mut self.scopes[at as usize];
        let class = if self.idle == 0 {
            // An idle one would say that its tasks are pinned, even if it is not theirs.
            if self.unseen.cpus > 0 { UNSEEN } else { BUSY }
        } else if scope.mask.is_some() && scope.idle == 0 {
            if scope.unseen.cpus > 0 {
                UNSEEN
            } else {
                NOT_ALLOWED
            }
        } else if self.pending > 0 {
            PENDING
        } else if self.dropped_since.is_some() {
            KICK_DROPPED
        } else if scope.near > 0 {
            SAME_NODE
        } else {
            OTHER_NODE
        };
        if class != scope.class {
            scope.advance(now);
            scope.class = class;
        }
    }

    /// Returns whether a scope of a mask got its first idle CPU, or lost the last one.
    #[inline]
    pub(crate) fn has_crossed(&self) -> bool {
        !self.crossed.is_empty()
    }

    /// Scopes that did so since the last call.
    pub(crate) fn take_crossed(&mut self) -> Vec<ScopeId> {
        std::mem::take(&mut self.crossed)
    }

    /// CPUs where tasks of a scope wait, or have waited.
    pub(crate) fn views_of(&self, scope: ScopeId) -> &[u32] {
        &self.scopes[scope as usize].views
    }

    /// Idle CPUs of the node of a CPU.
    pub(crate) fn idle_near(&self, cpu: u32) -> u32 {
        self.scopes[self.node_of[cpu as usize] as usize].near
    }

    /// Since when no CPU of the node of a CPU is idle; when the last change was while some are.
    pub(crate) fn full_since(&self, cpu: u32) -> u64 {
        self.scopes[self.node_of[cpu as usize] as usize].full_since
    }

    /// Returns whether two CPUs are on one node.
    pub(crate) fn same_node(&self, a: u32, b: u32) -> bool {
        self.node_of[a as usize] == self.node_of[b as usize]
    }

    /// Returns whether any CPU is idle.
    pub(crate) fn any_idle(&self) -> bool {
        self.idle > 0
    }

    /// Returns whether a CPU without known state may get tasks, or might after a time.
    pub(crate) fn any_unseen(&self, after: u64) -> bool {
        self.unseen.after(after)
    }

    /// Returns whether a CPU without known state is within the scope, or was after a time.
    pub(crate) fn any_unseen_in(&self, scope: ScopeId, after: u64) -> bool {
        let scope = &self.scopes[scope as usize];
        match scope.mask {
            Some(_) => scope.unseen.after(after),
            None => self.any_unseen(after),
        }
    }

    /// Returns whether a CPU of the mask is idle.
    pub(crate) fn any_idle_in(&self, scope: ScopeId) -> bool {
        self.scopes[scope as usize].idle > 0
    }
}

/// One more, or one less.
#[inline]
fn step(count: &mut u32, more: bool) {
    *count = if more {
        *count + 1
    } else {
        count.saturating_sub(1)
    };
}
