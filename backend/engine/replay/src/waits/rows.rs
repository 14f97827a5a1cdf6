//! The waits as they lie in their files.

use numalens_core::logs::table;

use super::{Cause, CauseNs, WaitEnd, WaitFrom, WaitRow};

table! {
    /// A row of `waits/waits.arrow`.
    StoredWait, WaitColumns, end_ns, {
        start_ns: u64,
        end_ns: u64,
        task: u32,
        prio: i32,
        waker_pid: i32,
        group: u32,
        cpu: u16,
        from_cpu: u16,
        /// Start in the lower four bits, end in the upper ones: 0 where the version that wrote the file knew no other end
        /// than a switch-in.
        from: u8,
    }
}

table! {
    /// A row of `waits/causes.arrow`. Its batches are those of the waits.
    StoredCause, CauseColumns, ns, {
        /// Row of the wait in its batch.
        wait: u16,
        cause: u8,
        ns: u64,
    }
}

impl StoredWait {
    #[inline]
    pub(super) fn pack(wait: &WaitRow) -> Self {
        Self {
            start_ns: wait.start_ns,
            end_ns: wait.end_ns,
            task: wait.task,
            prio: wait.prio,
            waker_pid: wait.waker_pid,
            group: wait.group,
            cpu: wait.cpu as u16,
            from_cpu: wait.from_cpu as u16,
            from: wait.from as u8 | (wait.end as u8) << 4,
        }
    }

    #[inline]
    pub(super) fn unpack(self) -> WaitRow {
        WaitRow {
            start_ns: self.start_ns,
            end_ns: self.end_ns,
            task: self.task,
            prio: self.prio,
            cpu: u32::from(self.cpu),
            from_cpu: u32::from(self.from_cpu),
            from: numbered(&WaitFrom::ALL, self.from & 0xf),
            end: numbered(&WaitEnd::ALL, self.from >> 4),
            waker_pid: self.waker_pid,
            group: self.group,
        }
    }
}

/// Returns the item with the number; the last one for a number that no version wrote.
pub(super) fn numbered<T: Copy>(all: &[T], number: u8) -> T {
    all[usize::from(number).min(all.len() - 1)]
}

impl WaitColumns {
    #[inline]
    pub(super) fn end(&self, row: usize) -> u64 {
        self.end_ns[row]
    }

    #[inline]
    pub(super) fn start(&self, row: usize) -> u64 {
        self.start_ns[row]
    }

    #[inline]
    pub(super) fn task(&self, row: usize) -> u32 {
        self.task[row]
    }
}

impl CauseColumns {
    /// The first row that is of this wait or a later one.
    pub(super) fn first_of(&self, wait: usize) -> usize {
        self.wait.partition_point(|&of| usize::from(of) < wait)
    }

    /// The first row of a wait whose rows end at `end`.
    #[inline]
    pub(super) fn begin_of(&self, wait: usize, end: usize) -> usize {
        let before = self.wait[..end].iter().rev();
        end - before.take_while(|&&of| usize::from(of) == wait).count()
    }

    /// The wait and cause of a row; `None` when there is no such cause.
    #[inline]
    pub(super) fn unpack(&self, row: usize) -> Option<(usize, CauseNs)> {
        let cause = *Cause::ALL.get(usize::from(self.cause[row]))?;
        let ns = self.ns[row];
        Some((usize::from(self.wait[row]), CauseNs { cause, ns }))
    }
}
