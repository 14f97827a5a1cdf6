//! How many tasks wait, over time.

use numalens_core::topology::Node;

use crate::utilisation::result::{Depth, NodeDepth};
use crate::window::Steps;

/// Points of the series, at most.
const POINTS: u64 = 512;

#[derive(Debug, Default)]
struct NodeQueue {
    waiting: u32,
    since_ns: u64,
    /// Waiting tasks × ns in the step so far.
    area: u64,
    most: u32,
    mean: Vec<f64>,
    max: Vec<u32>,
}

impl NodeQueue {
    #[inline]
    fn advance(&mut self, ts_ns: u64) {
        let ns = ts_ns.saturating_sub(self.since_ns);
        if ns != 0 {
            self.area = self.area.saturating_add(u64::from(self.waiting) * ns);
            // A task that moves from CPU to CPU is gone, or there twice, between two rows of one moment.
            self.most = self.most.max(self.waiting);
            self.since_ns = ts_ns;
        }
    }
}

/// Counts waiting tasks by node. The caller says when a step ends.
#[derive(Debug)]
pub(super) struct Queues {
    nodes: Vec<NodeQueue>,
    steps: Steps,
    step: usize,
    /// When the step ends.
    pub(super) end_ns: u64,
}

impl Queues {
    pub(super) fn new(nodes: usize, from_ns: u64, to_ns: u64) -> Self {
        let steps = Steps::round(from_ns, to_ns, POINTS.min(Steps::most(nodes)));
        let queue = || NodeQueue {
            since_ns: from_ns,
            ..NodeQueue::default()
        };
        Self {
            nodes: std::iter::repeat_with(queue).take(nodes).collect(),
            steps,
            step: 0,
            end_ns: steps.end(0),
        }
    }

    /// The tasks that wait on a CPU of the node change in number.
    #[inline]
    pub(super) fn change(&mut self, ts_ns: u64, place: u32, old: u16, new: u16) {
        if let Some(node) = self.nodes.get_mut(place as usize) {
            node.advance(ts_ns);
            node.waiting = node.waiting - u32::from(old) + u32::from(new);
        }
    }

    /// Ends the step; false when there is none any more.
    pub(super) fn end_step(&mut self) -> bool {
        if self.step >= self.steps.count() {
            return false;
        }
        let ns = self.end_ns - self.steps.start(self.step);
        for node in &mut self.nodes {
            node.advance(self.end_ns);
            node.mean.push(node.area as f64 / ns as f64);
            node.max.push(node.most);
            node.area = 0;
            node.most = 0;
        }
        self.step += 1;
        self.end_ns = self.steps.end(self.step);
        true
    }

    pub(super) fn finish(self, nodes: &[Node]) -> Depth {
        Depth {
            step_ns: self.steps.step_ns(),
            nodes: nodes
                .iter()
                .zip(self.nodes)
                .map(|(node, queue)| NodeDepth {
                    nid: node.nid,
                    mean: queue.mean,
                    max: queue.max,
                })
                .collect(),
        }
    }
}
