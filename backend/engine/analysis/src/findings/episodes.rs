//! Stretches of time in which a sliding window is full enough.

use std::collections::VecDeque;

/// A stretch of time and the stall in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Episode {
    /// Its start, ns.
    pub from_ns: u64,
    /// Its end, ns.
    pub to_ns: u64,
    /// The stall in it, ns.
    pub stall_ns: u64,
}

impl Episode {
    /// The stall as a share of the time, percent.
    #[must_use]
    pub fn percent(&self) -> f64 {
        self.stall_ns as f64 / (self.to_ns.saturating_sub(self.from_ns)).max(1) as f64 * 100.0
    }
}

/// Finds episodes among steps that come by time.
#[derive(Debug, Clone)]
pub(super) struct Sliding {
    over_ns: u64,
    percent: u64,
    steps: VecDeque<Episode>,
    span: u64,
    stall: u64,
    episodes: Vec<Episode>,
}

impl Sliding {
    /// Stretches made of windows of `over_ns` with at least `percent` of stall.
    pub(super) fn new(over_ns: u64, percent: u64) -> Self {
        Self {
            over_ns,
            percent,
            steps: VecDeque::new(),
            span: 0,
            stall: 0,
            episodes: Vec::new(),
        }
    }

    /// The next `count` steps, all like `step`: when the window is full of them, the others only make the episode longer.
    pub(super) fn steps(&mut self, mut step: Episode, count: u64) {
        let length = (step.to_ns - step.from_ns).max(1);
        let one_by_one = count.min(self.over_ns / length + 2);
        for _ in 0..one_by_one {
            self.step(step);
            (step.from_ns, step.to_ns) = (step.to_ns, step.to_ns + length);
        }
        let (times, ns) = (count - one_by_one, (count - one_by_one) * length);
        if times == 0 {
            return;
        }
        let end = step.from_ns;
        for step in &mut self.steps {
            step.from_ns += ns;
            step.to_ns += ns;
        }
        if let Some(last) = self.episodes.last_mut().filter(|last| last.to_ns == end) {
            last.to_ns += ns;
            last.stall_ns += step.stall_ns * times;
        }
    }

    /// The next step. Steps that leave time out begin a new stretch.
    fn step(&mut self, step: Episode) {
        if self
            .steps
            .back()
            .is_some_and(|last| last.to_ns != step.from_ns)
        {
            self.steps.clear();
            (self.span, self.stall) = (0, 0);
        }
        self.span += step.to_ns - step.from_ns;
        self.stall += step.stall_ns;
        self.steps.push_back(step);
        while let Some(first) = self.steps.front() {
            let length = first.to_ns - first.from_ns;
            if self.span - length < self.over_ns {
                break;
            }
            self.span -= length;
            self.stall -= first.stall_ns;
            self.steps.pop_front();
        }
        if self.span < self.over_ns
            || self.stall * 100 < self.percent * self.span
            || self.stall == 0
        {
            return;
        }
        match self.episodes.last_mut() {
            // The window overlaps the episode before: only what is new counts.
            Some(last)
                if self
                    .steps
                    .front()
                    .is_some_and(|first| first.from_ns < last.to_ns) =>
            {
                let new = self.steps.iter().filter(|step| step.from_ns >= last.to_ns);
                last.stall_ns += new.map(|step| step.stall_ns).sum::<u64>();
                last.to_ns = step.to_ns;
            }
            _ => self.episodes.push(Episode {
                from_ns: step.to_ns - self.span,
                to_ns: step.to_ns,
                stall_ns: self.stall,
            }),
        }
    }

    pub(super) fn finish(self) -> Vec<Episode> {
        self.episodes
    }
}

/// The worst `most` of `episodes`.
pub(super) fn worst(mut episodes: Vec<Episode>, most: usize) -> Vec<Episode> {
    episodes.sort_by(|a, b| b.stall_ns.cmp(&a.stall_ns).then(a.from_ns.cmp(&b.from_ns)));
    episodes.truncate(most);
    episodes
}
