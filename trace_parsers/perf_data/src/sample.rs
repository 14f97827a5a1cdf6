//! Positions of a sample's parts, by the event's attribute.
//!
//! Order and sizes: `perf_event_open(2)` and the kernel's `include/uapi/linux/perf_event.h`; the AUX bytes come last,
//! as the kernel writes them.

use linux_perf_event_reader::constants as bits;
use numalens_event_format::Endian;

/// `PERF_FORMAT_LOST` (Linux 6.0): a count of lost samples in each read value.
const READ_LOST: u64 = 1 << 4;
/// `PERF_SAMPLE_BRANCH_COUNTERS` (Linux 6.8): a word of counters per branch.
const BRANCH_COUNTERS: u64 = 1 << 19;
/// Parts at the front of a sample, each 8 bytes, in their order.
const FRONT: [u64; 9] = [
    bits::PERF_SAMPLE_IDENTIFIER,
    bits::PERF_SAMPLE_IP,
    bits::PERF_SAMPLE_TID,
    bits::PERF_SAMPLE_TIME,
    bits::PERF_SAMPLE_ADDR,
    bits::PERF_SAMPLE_ID,
    bits::PERF_SAMPLE_STREAM_ID,
    bits::PERF_SAMPLE_CPU,
    bits::PERF_SAMPLE_PERIOD,
];
/// Parts at the end of all other records (`sample_id_all`), each 8 bytes, in their order.
const BACK: [u64; 6] = [
    bits::PERF_SAMPLE_TID,
    bits::PERF_SAMPLE_TIME,
    bits::PERF_SAMPLE_ID,
    bits::PERF_SAMPLE_STREAM_ID,
    bits::PERF_SAMPLE_CPU,
    bits::PERF_SAMPLE_IDENTIFIER,
];
/// Single words after the parts of changing length: bits (either one serves) and column name.
pub(crate) const WORDS: [(u64, &str); 7] = [
    (
        bits::PERF_SAMPLE_WEIGHT | bits::PERF_SAMPLE_WEIGHT_STRUCT,
        "weight",
    ),
    (bits::PERF_SAMPLE_DATA_SRC, "data_src"),
    (bits::PERF_SAMPLE_TRANSACTION, "transaction"),
    (bits::PERF_SAMPLE_PHYS_ADDR, "phys_addr"),
    (bits::PERF_SAMPLE_CGROUP, "cgroup"),
    (bits::PERF_SAMPLE_DATA_PAGE_SIZE, "data_page_size"),
    (bits::PERF_SAMPLE_CODE_PAGE_SIZE, "code_page_size"),
];
/// Number of [`WORDS`] before the registers at interrupt.
const BEFORE_REGISTERS: usize = 3;

/// The layout of one event's records. Offsets count from the record's body, after its header of 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) sample_type: u64,
    pub(crate) read_format: u64,
    pub(crate) branch_type: u64,
    /// Registers per sample: user's, and those at interrupt.
    pub(crate) registers: [u32; 2],
    /// True if the other records end in time, CPU and id.
    pub(crate) id_all: bool,
    pub(crate) time: Option<usize>,
    pub(crate) cpu: Option<usize>,
    pub(crate) id: Option<usize>,
    /// Bytes of the front, which every sample has.
    pub(crate) front: usize,
}

/// The parts of a sample after its front.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    /// Addresses and context marks, 8 bytes each, in the recording's byte order.
    pub(crate) callchain: &'a [u8],
    /// A tracepoint's record.
    pub(crate) raw: &'a [u8],
    /// The single words by [`WORDS`], each 8 bytes in the recording's byte order; empty where there is none.
    pub(crate) words: [&'a [u8]; WORDS.len()],
}

impl Layout {
    pub(crate) fn new(
        sample_type: u64,
        read_format: u64,
        branch_type: u64,
        registers: [u32; 2],
        id_all: bool,
    ) -> Self {
        let mut layout = Self {
            sample_type,
            read_format,
            branch_type,
            registers,
            id_all,
            time: None,
            cpu: None,
            id: None,
            front: 0,
        };
        layout.time = layout.front_offset(bits::PERF_SAMPLE_TIME);
        layout.cpu = layout.front_offset(bits::PERF_SAMPLE_CPU);
        layout.id = layout
            .front_offset(bits::PERF_SAMPLE_IDENTIFIER)
            .or_else(|| layout.front_offset(bits::PERF_SAMPLE_ID));
        layout.front = FRONT.iter().filter(|&&bit| layout.has(bit)).count() * 8;
        layout
    }

    /// Returns whether samples have this part, or one of these.
    pub(crate) fn has(&self, bit: u64) -> bool {
        self.sample_type & bit != 0
    }

    /// Returns the position of a part of the front, equal in every sample.
    pub(crate) fn front_offset(&self, bit: u64) -> Option<usize> {
        let before = FRONT.iter().take_while(|&&part| part != bit);
        self.has(bit)
            .then(|| before.filter(|&&part| self.has(part)).count() * 8)
    }

    /// Returns the position of a part in a record that is not a sample, counted from the record's end.
    pub(crate) fn back_offset(&self, bit: u64) -> Option<usize> {
        let after = BACK.iter().skip_while(|&&part| part != bit);
        (self.id_all && self.has(bit)).then(|| after.filter(|&&part| self.has(part)).count() * 8)
    }

    /// Callchain and raw bytes; `None` where the sample is shorter than it says.
    #[inline]
    pub(crate) fn chain_and_raw<'a>(&self, body: &'a [u8], endian: Endian) -> Option<Parts<'a>> {
        let mut walk = Walk {
            rest: body.get(self.front..)?,
            endian,
        };
        walk.up_to_raw(self)
    }

    /// All parts; `None` where the sample is shorter than it says.
    pub(crate) fn parts<'a>(&self, body: &'a [u8], endian: Endian) -> Option<Parts<'a>> {
        let mut walk = Walk {
            rest: body.get(self.front..)?,
            endian,
        };
        let mut parts = walk.up_to_raw(self)?;
        if self.has(bits::PERF_SAMPLE_BRANCH_STACK) {
            let branches = walk.number()?;
            if self.branch_type & bits::PERF_SAMPLE_BRANCH_HW_INDEX != 0 {
                walk.skip(1, 8)?;
            }
            let words = if self.branch_type & BRANCH_COUNTERS == 0 {
                3
            } else {
                4
            };
            walk.skip(branches, words * 8)?;
        }
        if self.has(bits::PERF_SAMPLE_REGS_USER) && walk.number()? != 0 {
            walk.skip(u64::from(self.registers[0]), 8)?;
        }
        if self.has(bits::PERF_SAMPLE_STACK_USER) {
            let size = walk.number()?;
            if size != 0 {
                walk.skip(size, 1)?;
                walk.skip(1, 8)?; // how much of it is used
            }
        }
        for (at, (bit, _)) in WORDS.iter().enumerate() {
            if at == BEFORE_REGISTERS
                && self.has(bits::PERF_SAMPLE_REGS_INTR)
                && walk.number()? != 0
            {
                walk.skip(u64::from(self.registers[1]), 8)?;
            }
            if self.has(*bit) {
                parts.words[at] = walk.take(8)?;
            }
        }
        Some(parts)
    }
}

/// Steps over the parts of changing length.
struct Walk<'a> {
    rest: &'a [u8],
    endian: Endian,
}

impl<'a> Walk<'a> {
    #[inline]
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (part, rest) = self.rest.split_at_checked(n)?;
        self.rest = rest;
        Some(part)
    }

    #[inline]
    fn number(&mut self) -> Option<u64> {
        self.take(8).map(|bytes| self.endian.u64(bytes, 0))
    }

    /// `count` elements of `size` bytes.
    #[inline]
    fn skip(&mut self, count: u64, size: usize) -> Option<&'a [u8]> {
        self.take(usize::try_from(count).ok()?.checked_mul(size)?)
    }

    #[inline]
    fn up_to_raw(&mut self, layout: &Layout) -> Option<Parts<'a>> {
        let mut parts = Parts::default();
        if layout.has(bits::PERF_SAMPLE_READ) {
            self.read_values(layout.read_format)?;
        }
        if layout.has(bits::PERF_SAMPLE_CALLCHAIN) {
            let depth = self.number()?;
            parts.callchain = self.skip(depth, 8)?;
        }
        if layout.has(bits::PERF_SAMPLE_RAW) {
            let size = self.take(4).map(|bytes| self.endian.u32(bytes, 0))?;
            parts.raw = self.take(size as usize)?;
        }
        Some(parts)
    }

    fn read_values(&mut self, format: u64) -> Option<()> {
        let has = |bit: u64| u64::from(format & bit != 0);
        let times =
            has(bits::PERF_FORMAT_TOTAL_TIME_ENABLED) + has(bits::PERF_FORMAT_TOTAL_TIME_RUNNING);
        let value = 1 + has(bits::PERF_FORMAT_ID) + has(READ_LOST);
        let values = if has(bits::PERF_FORMAT_GROUP) == 1 {
            self.number()?
        } else {
            1
        };
        self.skip(times, 8)?;
        self.skip(values, value as usize * 8)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRONT_BITS: u64 = bits::PERF_SAMPLE_IDENTIFIER
        | bits::PERF_SAMPLE_TID
        | bits::PERF_SAMPLE_TIME
        | bits::PERF_SAMPLE_CPU;

    fn words(values: &[u64]) -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect()
    }

    #[test]
    fn offsets_follow_the_bits() {
        let layout = Layout::new(FRONT_BITS, 0, 0, [0; 2], true);
        assert_eq!(
            (layout.id, layout.time, layout.cpu),
            (Some(0), Some(16), Some(24))
        );
        assert_eq!(layout.front, 32);
        assert_eq!(layout.back_offset(bits::PERF_SAMPLE_TIME), Some(24));
        assert_eq!(layout.back_offset(bits::PERF_SAMPLE_IDENTIFIER), Some(8));
        assert_eq!(layout.back_offset(bits::PERF_SAMPLE_ID), None);
        let old = Layout::new(
            bits::PERF_SAMPLE_ID | bits::PERF_SAMPLE_IP,
            0,
            0,
            [0; 2],
            false,
        );
        assert_eq!(
            (old.id, old.back_offset(bits::PERF_SAMPLE_ID)),
            (Some(8), None)
        );
    }

    #[test]
    fn every_part_is_stepped_over() {
        let all = FRONT_BITS
            | bits::PERF_SAMPLE_READ
            | bits::PERF_SAMPLE_CALLCHAIN
            | bits::PERF_SAMPLE_RAW
            | bits::PERF_SAMPLE_BRANCH_STACK
            | bits::PERF_SAMPLE_REGS_USER
            | bits::PERF_SAMPLE_STACK_USER
            | bits::PERF_SAMPLE_WEIGHT_STRUCT
            | bits::PERF_SAMPLE_REGS_INTR
            | bits::PERF_SAMPLE_PHYS_ADDR
            | bits::PERF_SAMPLE_CODE_PAGE_SIZE;
        let groups = bits::PERF_FORMAT_GROUP | bits::PERF_FORMAT_ID | READ_LOST;
        let branches = bits::PERF_SAMPLE_BRANCH_HW_INDEX | BRANCH_COUNTERS;
        let layout = Layout::new(all, groups, branches, [2, 1], true);
        let mut body = words(&[1, 2, 3, 4]);
        body.extend(words(&[2, 10, 11, 12, 20, 21, 22])); // two read values of three words
        body.extend(words(&[3, 0xffff_ffff_ffff_ff80, 100, 101]));
        body.extend(4_u32.to_le_bytes());
        body.extend(b"rawr");
        body.extend(words(&[1, 99, 1, 2, 3, 4])); // one branch, its index and counters
        body.extend(words(&[2, 7, 8])); // user registers
        body.extend(words(&[8, 0x5555, 8])); // user stack
        body.extend(words(&[70])); // weight
        body.extend(words(&[0])); // no registers at interrupt
        body.extend(words(&[80, 90]));
        let parts = layout.parts(&body, Endian::Little).unwrap();
        assert_eq!((parts.raw, parts.callchain.len()), (&b"rawr"[..], 24));
        let seen: Vec<u64> = parts
            .words
            .iter()
            .map(|word| Endian::Little.u64(word, 0))
            .collect();
        assert_eq!(seen, [70, 0, 0, 80, 0, 0, 90]);
        assert_eq!(
            layout.chain_and_raw(&body, Endian::Little).unwrap().raw,
            b"rawr"
        );
        for cut in 0..body.len() {
            assert_eq!(layout.parts(&body[..cut], Endian::Little), None, "{cut}");
        }
    }

    #[test]
    fn a_callchain_that_says_more_than_there_is_is_none() {
        let layout = Layout::new(
            FRONT_BITS | bits::PERF_SAMPLE_CALLCHAIN | bits::PERF_SAMPLE_RAW,
            0,
            0,
            [0; 2],
            true,
        );
        let sample = |depth: u64| {
            let mut body = words(&[0; 4]);
            body.extend(words(&[depth, 0xffff_ffff_ffff_ff80, 1]));
            body.extend(0_u32.to_le_bytes());
            body
        };
        let body = sample(2);
        let parts = layout.chain_and_raw(&body, Endian::Little).unwrap();
        assert_eq!(parts.callchain.len(), 16);
        for depth in [3, 1 << 32, u64::MAX / 8, u64::MAX / 8 + 2, u64::MAX] {
            let body = sample(depth);
            let found = layout.chain_and_raw(&body, Endian::Little);
            assert_eq!(found, None, "{depth}");
        }
    }
}
