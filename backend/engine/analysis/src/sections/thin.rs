//! Series that are too long to be drawn, thinned.

use std::collections::{BTreeMap, BTreeSet};

/// Every n-th item so that there are at most `most`, and the last; all without a limit.
pub(super) fn evenly<T>(items: &mut Vec<T>, most: Option<usize>) {
    let Some(most) = most.filter(|&most| items.len() > most) else {
        return;
    };
    let step = items.len().div_ceil(most);
    let last = items.len() - 1;
    let mut at = 0;
    items.retain(|_| {
        let kept = at % step == 0 || at == last;
        at += 1;
        kept
    });
}

/// Steps of several nodes with about `most` left: of each part of a node's steps the ends, its highest and its lowest, so that
/// a peak above a threshold stays however many steps there are. All without a limit.
pub(super) fn extremes<T>(
    steps: &mut Vec<T>,
    most: Option<usize>,
    node_of: impl Fn(&T) -> i32,
    height: impl Fn(&T) -> u64,
) {
    let Some(most) = most.filter(|&most| steps.len() > most) else {
        return;
    };
    let mut nodes: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
    for (at, step) in steps.iter().enumerate() {
        nodes.entry(node_of(step)).or_default().push(at);
    }
    let length = (4 * steps.len()).div_ceil(most);
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    for part in nodes.values().flat_map(|rows| rows.chunks(length)) {
        let lowest = part.iter().min_by_key(|&&at| (height(&steps[at]), at));
        let highest = part.iter().max_by_key(|&&at| (height(&steps[at]), at));
        kept.extend(
            part.first()
                .into_iter()
                .chain(part.last())
                .chain(lowest)
                .chain(highest),
        );
    }
    let mut at = 0;
    steps.retain(|_| {
        let keep = kept.contains(&at);
        at += 1;
        keep
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_series_keeps_its_ends() {
        for len in 0..200_usize {
            for most in 1..40 {
                let mut items: Vec<usize> = (0..len).collect();
                evenly(&mut items, Some(most));
                assert!(items.len() <= most + 1, "{len} {most}");
                assert!(items.is_sorted());
                assert_eq!(
                    (items.first(), items.last()),
                    ((len > 0).then_some(&0), len.checked_sub(1).as_ref())
                );
            }
        }
        let mut all: Vec<usize> = (0..200).collect();
        evenly(&mut all, None);
        assert_eq!(all.len(), 200);
    }

    #[test]
    fn a_nodes_ends_and_extremes_stay() {
        let whole: Vec<(i32, usize, u64)> = (0..400)
            .map(|at| (at as i32 % 3, at, (at * 7919 % 97) as u64))
            .collect();
        for most in 20..100 {
            let mut left = whole.clone();
            extremes(&mut left, Some(most), |step| step.0, |step| step.2);
            assert!(left.len() <= most + 4 * 3);
            assert!(left.is_sorted_by_key(|step| step.1));
            for node in 0..3 {
                let of = |steps: &[(i32, usize, u64)]| -> Vec<(usize, u64)> {
                    let of = steps.iter().filter(|step| step.0 == node);
                    of.map(|step| (step.1, step.2)).collect()
                };
                let (all, kept) = (of(&whole), of(&left));
                assert_eq!((all.first(), all.last()), (kept.first(), kept.last()));
                let peak = |steps: &[(usize, u64)]| steps.iter().map(|step| step.1).max();
                let pit = |steps: &[(usize, u64)]| steps.iter().map(|step| step.1).min();
                assert_eq!((peak(&all), pit(&all)), (peak(&kept), pit(&kept)));
            }
        }
    }
}
