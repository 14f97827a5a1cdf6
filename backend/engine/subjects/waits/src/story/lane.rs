//! Pieces of time in a row, of which there may be more than anyone can look at.

use numalens_replay::waits::CauseTotals;

/// Values that add up when pieces are merged.
pub(super) trait Sum {
    fn add(&mut self, other: &Self);
}

impl Sum for CauseTotals {
    fn add(&mut self, other: &Self) {
        for (sum, more) in self.iter_mut().zip(other) {
            *sum += more;
        }
    }
}

impl Sum for u64 {
    fn add(&mut self, other: &Self) {
        *self += *other;
    }
}

/// A time range: one piece, or several short ones together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece<T> {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    /// Number of pieces.
    pub(super) count: u64,
    pub(super) sum: T,
}

impl<T> Piece<T> {
    pub(super) fn one(from_ns: u64, to_ns: u64, sum: T) -> Self {
        Self {
            from_ns,
            to_ns,
            count: 1,
            sum,
        }
    }
}

/// Pieces in ascending order that do not overlap. While there are few, they are kept as they are. When there are more,
/// those that are shorter than a bucket of time and begin in the same one become one; what they add up to stays exact.
#[derive(Debug)]
pub(super) struct Lane<T> {
    from_ns: u64,
    most: usize,
    /// Of a bucket, ns; `None` while there are few.
    width: Option<u64>,
    /// Length of all buckets together.
    span_ns: u64,
    pieces: Vec<Piece<T>>,
    /// Bucket of the last piece, if it may take in more.
    open: Option<u64>,
}

impl<T: Sum> Lane<T> {
    /// Of a span of time; hardly more than `most` pieces come out.
    pub(super) fn new(from_ns: u64, to_ns: u64, most: usize) -> Self {
        Self {
            from_ns,
            most: most.max(2),
            width: None,
            span_ns: to_ns.saturating_sub(from_ns),
            pieces: Vec::new(),
            open: None,
        }
    }

    pub(super) fn push(&mut self, piece: Piece<T>) {
        if piece.from_ns >= piece.to_ns {
            return;
        }
        if let Some(width) = self.width {
            self.put(piece, width);
            return;
        }
        self.pieces.push(piece);
        if self.pieces.len() > self.most {
            let width = self.span_ns.div_ceil(self.most as u64 / 2).max(1);
            self.width = Some(width);
            for piece in std::mem::take(&mut self.pieces) {
                self.put(piece, width);
            }
        }
    }

    fn put(&mut self, piece: Piece<T>, width: u64) {
        let short = piece.to_ns - piece.from_ns < width;
        let bucket = short.then(|| piece.from_ns.saturating_sub(self.from_ns) / width);
        if let Some(last) = self.pieces.last_mut()
            && bucket.is_some()
            && bucket == self.open
        {
            last.to_ns = piece.to_ns;
            last.count += piece.count;
            last.sum.add(&piece.sum);
        } else {
            self.pieces.push(piece);
            self.open = bucket;
        }
    }

    pub(super) fn finish(self) -> Vec<Piece<T>> {
        self.pieces
    }
}

#[cfg(test)]
mod tests {
    use super::{Lane, Piece};

    fn lane(lengths: &[u64], most: usize) -> Vec<Piece<u64>> {
        let whole: u64 = lengths.iter().sum();
        let mut lane = Lane::new(100, 100 + whole, most);
        let mut at = 100;
        for &ns in lengths {
            lane.push(Piece::one(at, at + ns, ns));
            at += ns;
        }
        lane.finish()
    }

    #[test]
    fn few_pieces_stay_as_they_are() {
        let found = lane(&[1, 2, 0, 3], 3);
        let ends: Vec<_> = found.iter().map(|piece| (piece.to_ns, piece.sum)).collect();
        assert_eq!(ends, [(101, 1), (103, 2), (106, 3)]);
    }

    #[test]
    fn many_short_ones_become_few_and_nothing_is_lost() {
        let mut lengths = vec![1; 5000];
        lengths[2500] = 5000;
        let found = lane(&lengths, 100);
        assert!(found.len() <= 100, "{}", found.len());
        assert!(
            found
                .iter()
                .any(|piece| piece.count == 1 && piece.sum == 5000)
        );
        assert_eq!(found.iter().map(|piece| piece.count).sum::<u64>(), 5000);
        assert_eq!(found.iter().map(|piece| piece.sum).sum::<u64>(), 9999);
        assert!(
            found
                .windows(2)
                .all(|pair| pair[0].to_ns == pair[1].from_ns)
        );
    }
}
