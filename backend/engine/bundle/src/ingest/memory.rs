//! Sources of loads and stores in samples of perf, as rows of the log of memory samples.

use arrow_array::RecordBatch;
use arrow_buffer::ScalarBuffer;
use numalens_core::columns::i64s;
use numalens_replay::memory_samples::MemorySample;

/// The columns of such samples in a batch. Each is optional but for one of the first two.
pub(super) struct MemoryColumns {
    data_src: Option<ScalarBuffer<i64>>,
    phys_addr: Option<ScalarBuffer<i64>>,
    addr: Option<ScalarBuffer<i64>>,
    weight: Option<ScalarBuffer<i64>>,
    page_size: Option<ScalarBuffer<i64>>,
}

impl MemoryColumns {
    /// The columns; `None` where a sample says nothing of memory.
    pub(super) fn find(batch: &RecordBatch) -> Option<Self> {
        let found = Self {
            data_src: i64s(batch, "data_src"),
            phys_addr: i64s(batch, "phys_addr"),
            addr: i64s(batch, "addr"),
            weight: i64s(batch, "weight"),
            page_size: i64s(batch, "data_page_size"),
        };
        (found.data_src.is_some() || found.phys_addr.is_some()).then_some(found)
    }

    /// A row without its time; `None` where the machine gives neither where the data came from nor where in memory it lies.
    pub(super) fn sample(&self, row: usize, cpu: u32, pid: i32) -> Option<MemorySample> {
        let of = |column: &Option<ScalarBuffer<i64>>| {
            column.as_ref().map_or(0, |column| column[row] as u64)
        };
        let sample = MemorySample {
            ts_ns: 0,
            cpu,
            pid,
            data_src: of(&self.data_src),
            weight: of(&self.weight),
            addr: of(&self.addr),
            phys_addr: of(&self.phys_addr),
            page_size: of(&self.page_size),
        };
        sample.tells().then_some(sample)
    }
}
