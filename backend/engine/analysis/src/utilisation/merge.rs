//! Slices of all CPUs in one order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use numalens_replay::timeline::SliceRef;

/// The slices of all lanes by their starts, each lane being in that order already. Slices that start together come in the
/// order of the lanes.
pub fn merged<I: Iterator<Item = SliceRef>>(lanes: Vec<I>) -> impl Iterator<Item = SliceRef> {
    let mut lanes: Vec<(I, Option<SliceRef>)> = lanes
        .into_iter()
        .map(|mut lane| {
            let first = lane.next();
            (lane, first)
        })
        .collect();
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = lanes
        .iter()
        .enumerate()
        .filter_map(|(at, (_, first))| first.map(|slice| Reverse((slice.start_ns, at))))
        .collect();
    std::iter::from_fn(move || {
        let mut top = heap.peek_mut()?;
        let Reverse((_, at)) = *top;
        let (lane, first) = lanes.get_mut(at)?;
        let next = lane.next();
        let slice = std::mem::replace(first, next);
        match next {
            Some(next) => *top = Reverse((next.start_ns, at)),
            None => {
                std::collections::binary_heap::PeekMut::pop(top);
            }
        }
        slice
    })
}
