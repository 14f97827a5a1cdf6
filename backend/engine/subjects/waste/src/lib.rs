//! CPU time that was idle while tasks waited, and why; shared among nodes in proportion, so that nothing is lost.

mod catalogue;
mod meter;
pub mod sections;

use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

pub use self::catalogue::WasteCause;
pub use self::meter::{Config, Meter};
pub use self::sections::SUBJECT;

/// Sums of weights up to this one have their fractions kept exactly; beyond (so many tasks waiting at once), fractions of
/// 2^-32 ns do.
const EXACT: usize = 1 << 10;

/// Fraction bits beyond [`EXACT`].
const FINE: u32 = 32;

/// Whole numbers, each shared among nodes in proportion to weights of its own. Parts are kept as fractions, by denominator:
/// rounding happens once, when all is in, so errors do not add up however many amounts there are.
#[derive(Debug)]
struct Shares {
    nodes: usize,
    total: u64,
    /// By denominator: numerators by node. Place 0 holds units of 2^-32.
    parts: Vec<Vec<u128>>,
}

impl Shares {
    fn new(nodes: usize) -> Self {
        Self {
            nodes,
            total: 0,
            parts: Vec::new(),
        }
    }

    /// Shares `amount` by the nodes' weights, whose sum is `sum`, not 0.
    fn add(&mut self, amount: u64, sum: u32, weights: impl Iterator<Item = u32>) {
        self.total = self.total.saturating_add(amount);
        let exact = sum as usize <= EXACT;
        let place = if exact { sum as usize } else { 0 };
        if self.parts.len() <= place {
            self.parts.resize_with(place + 1, Vec::new);
        }
        let Some(parts) = self.parts.get_mut(place) else {
            return;
        };
        if parts.is_empty() {
            parts.resize(self.nodes, 0);
        }
        for (part, weight) in parts.iter_mut().zip(weights) {
            let product = u128::from(amount) * u128::from(weight);
            *part += if exact {
                product
            } else {
                (product << FINE) / u128::from(sum.max(1))
            };
        }
    }

    /// Each node's share, at most 1 away from the true one; they add up to all that was given.
    fn finish(self) -> Vec<u64> {
        let mut shares = vec![0_u64; self.nodes];
        let mut rests = vec![0_u128; self.nodes];
        for (place, parts) in self.parts.iter().enumerate() {
            let denominator = if place == 0 { 1 << FINE } else { place as u128 };
            for ((&part, share), rest) in parts.iter().zip(&mut shares).zip(&mut rests) {
                *share += (part / denominator) as u64;
                *rest += ((part % denominator) << u64::BITS) / denominator;
            }
        }
        for (share, rest) in shares.iter_mut().zip(&mut rests) {
            *share += (*rest >> u64::BITS) as u64;
            *rest &= u128::from(u64::MAX);
        }
        let mut left = self.total.saturating_sub(shares.iter().sum());
        let mut order: Vec<usize> = (0..self.nodes).collect();
        order.sort_by_key(|&node| (std::cmp::Reverse(rests[node]), node));
        for node in order {
            let one = left.min(1);
            shares[node] += one;
            left -= one;
        }
        debug_assert_eq!(left, 0, "each node is less than 1 short");
        shares
    }
}

// What comes out.

/// CPU-ns that have a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WasteCauseTime")]
pub struct CauseAmount {
    /// The cause.
    pub cause: WasteCause,
    /// CPU-ns.
    pub ns: u64,
}

impl CauseAmount {
    /// A list of all causes from amounts in the order of [`WasteCause::ALL`].
    fn list(amounts: [u64; WasteCause::ALL.len()]) -> Vec<Self> {
        WasteCause::ALL
            .into_iter()
            .zip(amounts)
            .map(|(cause, ns)| Self { cause, ns })
            .collect()
    }
}

/// Waste of a node's waiting tasks.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "WasteNode")]
pub struct NodeWaste {
    /// The node.
    pub nid: u32,
    /// CPU-seconds.
    pub cpu_seconds: f64,
    /// CPU-ns: the sum of the causes.
    pub cpu_ns: u64,
    /// Every cause, in order.
    pub causes: Vec<CauseAmount>,
}

/// Waste over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WasteSeries")]
pub struct Series {
    /// Length of a step, ns; the last one may be shorter.
    pub step_ns: u64,
    /// CPU-ns of the machine in each step.
    pub cpu_ns: Vec<u64>,
}

/// Idle CPUs while tasks wait in a window.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Waste {
    /// CPU-seconds.
    pub cpu_seconds: f64,
    /// CPU-ns: the sum over the nodes, and over the causes.
    pub cpu_ns: u64,
    /// Each node's part, by where tasks waited.
    pub per_node: Vec<NodeWaste>,
    /// Every cause, in order.
    pub causes: Vec<CauseAmount>,
    /// The same without tasks that are bound to their CPU; `None` when it is not known which are.
    pub affine_cpu_seconds: Option<f64>,
    /// Over time.
    pub series: Series,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

/// CPU-ns as CPU-seconds.
fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::{EXACT, Shares};

    #[test]
    fn thirds_add_up() {
        let mut shares = Shares::new(3);
        for _ in 0..10 {
            shares.add(1, 3, [1, 1, 1].into_iter());
        }
        assert_eq!(shares.finish(), [4, 3, 3]);
    }

    #[test]
    fn small_amounts_do_not_favour_anybody() {
        let mut shares = Shares::new(2);
        for _ in 0..300 {
            shares.add(1, 3, [1, 2].into_iter());
            shares.add(1, 5, [4, 1].into_iter());
        }
        assert_eq!(shares.finish(), [340, 260]);
    }

    #[test]
    fn a_crowd_is_shared_as_well() {
        let mut shares = Shares::new(2);
        let sum = EXACT as u32 * 3;
        for _ in 0..9 {
            shares.add(7, sum, [sum / 3, sum - sum / 3].into_iter());
        }
        assert_eq!(shares.finish(), [21, 42]);
    }
}
