//! The samples of a window as one tree: what was on the CPU, below what had called it.

use std::collections::HashMap;

use numalens_replay::stacks::{Callsites, Sample};
use numalens_subject::window::step_of;

/// Means "none" in lists of numbers.
const NONE: u32 = u32::MAX;

/// The tree of some samples.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// By callsite.
    own: Vec<Sum>,
    total: Vec<Sum>,
    pub(crate) samples: Sum,
    /// Samples without a stack.
    pub(crate) without: u64,
    /// Samples with a truncated stack.
    pub(crate) truncated: u64,
}

/// Samples, and the periods that they represent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) samples: u64,
    pub(crate) weight: u64,
}

impl Sum {
    fn add(&mut self, more: Self) {
        self.samples += more.samples;
        self.weight = self.weight.saturating_add(more.weight);
    }
}

/// A callsite that is shown: its place in the list, which is behind its caller's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node {
    /// Place of its caller; `None` for an outermost one.
    pub(crate) parent: Option<u32>,
    /// The frame's number.
    pub(crate) frame: u32,
    /// Samples in the function itself.
    pub(crate) own: Sum,
    /// Samples in it and all that it called.
    pub(crate) total: Sum,
}

/// The largest part of a tree.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) nodes: Vec<Node>,
    /// Place of each callsite in the list; [`NONE`] for what is left out.
    places: Vec<u32>,
    /// Callsites that are left out, and samples that were in one of them.
    pub(crate) left_out: u64,
    pub(crate) left_out_samples: u64,
}

/// Totals of a function over all its callsites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FunctionSum {
    pub(crate) frame: u32,
    pub(crate) own: Sum,
    /// Each sample counts once, however often the function calls itself.
    pub(crate) total: Sum,
}

impl Tree {
    /// Without samples, of so many callsites.
    pub(crate) fn new(callsites: usize) -> Self {
        Self {
            own: vec![Sum::default(); callsites],
            ..Self::default()
        }
    }

    pub(crate) fn add(&mut self, sample: &Sample) {
        let one = Sum {
            samples: 1,
            weight: sample.weight,
        };
        self.samples.add(one);
        self.truncated += u64::from(sample.truncated);
        match sample.callsite.and_then(|at| self.own.get_mut(at as usize)) {
            Some(own) => own.add(one),
            None => self.without += 1,
        }
    }

    /// Adds up what callers come to. A caller's number is smaller than that of what it calls.
    pub(crate) fn sum(&mut self, callsites: &Callsites) {
        self.total.clone_from(&self.own);
        for at in (0..self.total.len()).rev() {
            let total = self.total[at];
            if let Some((parent, _)) = callsites.get(at as u32)
                && let Some(caller) = self.total.get_mut(parent as usize)
            {
                caller.add(total);
            }
        }
    }

    /// The callsites with most samples, callers first: with a callsite, all that called it are there.
    pub(crate) fn largest(&self, callsites: &Callsites, most: usize) -> Part {
        let met = (0..self.total.len()).filter(|&at| self.total[at].samples > 0);
        let mut met: Vec<u32> = met.map(|at| at as u32).collect();
        let all = met.len();
        if all > most {
            // No caller has fewer samples than what it calls, and its number is smaller.
            met.sort_unstable_by_key(|&at| {
                (std::cmp::Reverse(self.total[at as usize].samples), at)
            });
            met.truncate(most);
            met.sort_unstable();
        }
        let mut part = Part {
            nodes: Vec::with_capacity(met.len()),
            places: vec![NONE; self.total.len()],
            left_out: (all - met.len()) as u64,
            left_out_samples: self.samples.samples - self.without,
        };
        for at in met {
            let (parent, frame) = callsites.get(at).unwrap_or((NONE, 0));
            let parent = part.places.get(parent as usize).copied();
            let own = self.own[at as usize];
            part.places[at as usize] = part.nodes.len() as u32;
            part.left_out_samples -= own.samples;
            part.nodes.push(Node {
                parent,
                frame,
                own,
                total: self.total[at as usize],
            });
        }
        part
    }

    /// Totals of each function, those with most samples first.
    pub(crate) fn functions(&self, callsites: &Callsites) -> Vec<FunctionSum> {
        let mut sums: HashMap<u32, FunctionSum> = HashMap::new();
        let (first, next) = self.calls(callsites);
        // How often a function is on the way from the outermost callsite to the one at hand.
        let mut on_the_way: HashMap<u32, u32> = HashMap::new();
        let mut way: Vec<(u32, u32)> = Vec::new();
        let mut at = first[self.total.len()];
        loop {
            while at != NONE {
                let frame = callsites.get(at).map_or(0, |callsite| callsite.1);
                let sum = sums.entry(frame).or_insert(FunctionSum {
                    frame,
                    own: Sum::default(),
                    total: Sum::default(),
                });
                sum.own.add(self.own[at as usize]);
                let calls = on_the_way.entry(frame).or_default();
                if *calls == 0 {
                    sum.total.add(self.total[at as usize]);
                }
                *calls += 1;
                way.push((at, frame));
                at = first[at as usize];
            }
            let Some((left, frame)) = way.pop() else {
                break;
            };
            if let Some(calls) = on_the_way.get_mut(&frame) {
                *calls -= 1;
            }
            at = next[left as usize];
        }
        let mut sums: Vec<FunctionSum> = sums.into_values().collect();
        sums.sort_unstable_by_key(|sum| {
            let largest = |sum: u64| std::cmp::Reverse(sum);
            (
                largest(sum.own.samples),
                largest(sum.total.samples),
                sum.frame,
            )
        });
        sums
    }

    /// First callee of each callsite, the outermost ones after all others, and the next callee of its caller; those with
    /// samples.
    fn calls(&self, callsites: &Callsites) -> (Vec<u32>, Vec<u32>) {
        let len = self.total.len();
        let (mut first, mut next) = (vec![NONE; len + 1], vec![NONE; len]);
        for at in (0..len).rev().filter(|&at| self.total[at].samples > 0) {
            let parent = callsites.get(at as u32).map_or(NONE, |callsite| callsite.0);
            let list = &mut first[(parent as usize).min(len)];
            next[at] = *list;
            *list = at as u32;
        }
        (first, next)
    }
}

impl Part {
    /// Place of a callsite, or of the innermost of its callers that is shown; `None` when none is.
    pub(crate) fn place(&self, callsites: &Callsites, mut callsite: u32) -> Option<u32> {
        loop {
            match self.places.get(callsite as usize) {
                Some(&NONE) => callsite = callsites.get(callsite)?.0,
                Some(&place) => return Some(place),
                None => return None,
            }
        }
    }
}

/// Samples in each of equal steps of a window.
#[derive(Debug)]
pub(crate) struct Steps {
    from_ns: u64,
    pub(crate) step_ns: u64,
    at: u64,
    counts: HashMap<u32, (u64, u64)>,
    met: u64,
    /// Number of the step, callsite with most of its samples, how many these are, and how many there are.
    pub(crate) found: Vec<(u32, u32, u64, u64)>,
}

impl Steps {
    /// At most so many steps.
    pub(crate) fn new((from_ns, to_ns): (u64, u64), most: u64) -> Self {
        Self {
            from_ns,
            step_ns: step_of((from_ns, to_ns), most),
            at: 0,
            counts: HashMap::new(),
            met: 0,
            found: Vec::new(),
        }
    }

    /// Takes the next sample; they ascend in time.
    pub(crate) fn add(&mut self, sample: &Sample) {
        let at = (sample.ts_ns - self.from_ns) / self.step_ns;
        if at != self.at {
            self.end();
            self.at = at;
        }
        if let Some(callsite) = sample.callsite {
            self.met += 1;
            let met = self.met;
            let count = self.counts.entry(callsite).or_insert((0, met));
            count.0 += 1;
        }
    }

    /// Ends the last step.
    pub(crate) fn end(&mut self) {
        let all = self.counts.values().map(|count| count.0).sum();
        // Of several the first that was met.
        let most = self
            .counts
            .drain()
            .max_by_key(|(_, (count, met))| (*count, std::cmp::Reverse(*met)));
        if let Some((callsite, (count, _))) = most {
            self.found.push((self.at as u32, callsite, count, all));
        }
        self.met = 0;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    /// Stacks, the outermost frame first, each with its weight.
    type Sampled = Vec<(Vec<u32>, u64)>;

    fn grown(stacks: &Sampled) -> (Tree, Callsites, Vec<Sample>) {
        let mut callsites = Callsites::default();
        let samples: Vec<Sample> = (0..)
            .zip(stacks)
            .map(|(at, (frames, weight))| {
                let mut parent = NONE;
                for &frame in frames {
                    parent = callsites.number(parent, frame).unwrap();
                }
                Sample {
                    ts_ns: 100 + at,
                    cpu: 0,
                    pid: 1,
                    event: 0,
                    callsite: (parent != NONE).then_some(parent),
                    truncated: false,
                    weight: *weight,
                }
            })
            .collect();
        let mut tree = Tree::new(callsites.len());
        for sample in &samples {
            tree.add(sample);
        }
        tree.sum(&callsites);
        (tree, callsites, samples)
    }

    fn stacks() -> impl Strategy<Value = Sampled> {
        let frames = prop::collection::vec(0_u32..5, 0..7);
        prop::collection::vec((frames, 0_u64..100), 0..60)
    }

    proptest! {
        #[test]
        fn sums_are_those_of_the_samples(stacks in stacks(), most in 1_usize..40) {
            let (tree, callsites, _) = grown(&stacks);
            let with: Vec<_> = stacks.iter().filter(|sample| !sample.0.is_empty()).collect();
            prop_assert_eq!(tree.samples.samples, stacks.len() as u64);
            prop_assert_eq!(tree.without, (stacks.len() - with.len()) as u64);
            let whole = tree.largest(&callsites, usize::MAX);
            prop_assert_eq!((whole.left_out, whole.left_out_samples), (0, 0));
            let roots = whole.nodes.iter().filter(|node| node.parent.is_none());
            prop_assert_eq!(roots.map(|node| node.total.samples).sum::<u64>(), with.len() as u64);
            for (at, node) in (0..).zip(&whole.nodes) {
                let calls = whole.nodes.iter().filter(|call| call.parent == Some(at));
                let (samples, weight) = calls.fold((0, 0), |sum, call| {
                    (sum.0 + call.total.samples, sum.1 + call.total.weight)
                });
                prop_assert_eq!(node.own.samples + samples, node.total.samples);
                prop_assert_eq!(node.own.weight + weight, node.total.weight);
            }
            let part = tree.largest(&callsites, most);
            prop_assert!(part.nodes.len() <= most);
            prop_assert_eq!(part.nodes.len() as u64 + part.left_out, whole.nodes.len() as u64);
            let own: u64 = part.nodes.iter().map(|node| node.own.samples).sum();
            prop_assert_eq!(own + part.left_out_samples, with.len() as u64);
            for (at, node) in (0..).zip(&part.nodes) {
                prop_assert!(node.parent.is_none_or(|parent| parent < at));
            }
        }

        #[test]
        fn a_function_counts_once_for_each_sample(stacks in stacks()) {
            let (tree, callsites, _) = grown(&stacks);
            let found = tree.functions(&callsites);
            let frames: HashSet<u32> = stacks.iter().flat_map(|sample| sample.0.clone()).collect();
            prop_assert_eq!(found.len(), frames.len());
            for sum in found {
                let own = stacks.iter().filter(|sample| sample.0.last() == Some(&sum.frame));
                let total = stacks.iter().filter(|sample| sample.0.contains(&sum.frame));
                prop_assert_eq!(sum.own.samples, own.clone().count() as u64);
                prop_assert_eq!(sum.own.weight, own.map(|sample| sample.1).sum::<u64>());
                prop_assert_eq!(sum.total.samples, total.clone().count() as u64);
                prop_assert_eq!(sum.total.weight, total.map(|sample| sample.1).sum::<u64>());
            }
        }

        #[test]
        fn a_step_has_its_samples(stacks in stacks(), most in 1_u64..30) {
            let (tree, _, samples) = grown(&stacks);
            let window = (100, 100 + samples.len() as u64);
            let mut steps = Steps::new(window, most);
            for sample in &samples {
                steps.add(sample);
            }
            steps.end();
            prop_assert!(steps.found.iter().all(|step| u64::from(step.0) < most));
            prop_assert!(steps.found.is_sorted_by_key(|step| step.0));
            for &(at, callsite, count, all) in &steps.found {
                let of = |sample: &&Sample| (sample.ts_ns - 100) / steps.step_ns == u64::from(at);
                let inside: Vec<_> = samples.iter().filter(of).filter_map(|it| it.callsite).collect();
                let has = |callsite| inside.iter().filter(|&&it| it == callsite).count() as u64;
                prop_assert_eq!((count, all), (has(callsite), inside.len() as u64));
                prop_assert!(inside.iter().all(|&other| has(other) <= count));
            }
            let all: u64 = steps.found.iter().map(|step| step.3).sum();
            prop_assert_eq!(all, tree.samples.samples - tree.without);
        }
    }

    #[test]
    fn what_is_left_out_has_the_place_of_its_caller() {
        let stacks = vec![
            (vec![1, 2, 3], 1),
            (vec![1, 2], 1),
            (vec![1], 1),
            (vec![4], 1),
        ];
        let (tree, callsites, samples) = grown(&stacks);
        let part = tree.largest(&callsites, 2);
        assert_eq!((part.left_out, part.left_out_samples), (2, 2));
        let place = |at: usize| part.place(&callsites, samples[at].callsite.unwrap());
        assert_eq!([0, 1, 2, 3].map(place), [Some(1), Some(1), Some(0), None]);
    }
}
