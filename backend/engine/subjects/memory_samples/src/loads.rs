//! Sources of loads, and their sums.
//!
//! The bits are those of `union perf_mem_data_src` (`include/uapi/linux/perf_event.h`, Linux 6.18; `PERF_MEM_LVLNUM_L0` and
//! `mem_region` are of 7.0).

use numalens_replay::memory_samples::MemorySample;
use schemars::JsonSchema;
use serde::Serialize;

/// `PERF_MEM_OP_LOAD`.
const OP_LOAD: u64 = 0x2;
/// `PERF_MEM_LVL_*`, from bit 5 on.
mod lvl {
    pub(super) const HIT: u64 = 0x2;
    pub(super) const MISS: u64 = 0x4;
    /// L1, LFB, L2, L3.
    pub(super) const CACHES: u64 = 0x78;
    pub(super) const LOC_RAM: u64 = 0x80;
    /// One hop and two.
    pub(super) const REM_RAM: u64 = 0x300;
    /// One hop and two.
    pub(super) const REM_CCE: u64 = 0xc00;
    /// I/O and uncached memory.
    pub(super) const NO_MEMORY: u64 = 0x3000;
}
/// `PERF_MEM_LVLNUM_*`, from bit 33 on: L1 to L4, `L2_MHB` and L0, any cache, LFB.
const NUM_CACHES: [u64; 8] = [1, 2, 3, 4, 5, 7, 0xb, 0xc];
const NUM_RAM: u64 = 0xd;
/// CXL, persistent memory.
const NUM_SLOW: [u64; 2] = [9, 0xe];
/// Memory-side cache, uncached, I/O.
const NUM_OTHERS: [u64; 3] = [6, 8, 0xa];
/// `PERF_MEM_REGION_MMIO`, from bit 46 on: device memory, of which Intel's machines say `LVLNUM_RAM` (`omr_data_source`,
/// `arch/x86/events/intel/ds.c`).
const REGION_MMIO: u64 = 7;
/// `PERF_MEM_HOPS_0`, from bit 43 on: another core of the same node.
const HOPS_SAME_NODE: u64 = 1;

/// Source of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoadSource {
    /// A cache of the node, or a fill buffer.
    Cache,
    /// A cache of another core of the node, which had the line unmodified.
    LocalPeer,
    /// The node's memory.
    LocalDram,
    /// Another node's memory.
    RemoteDram,
    /// A cache of another node, which had the line unmodified.
    RemoteCache,
    /// A cache of another core of the node, which had modified the line.
    LocalHitm,
    /// A cache of another node, which had modified the line.
    RemoteHitm,
    /// Memory of a slower tier: CXL, or persistent.
    SlowMemory,
    /// I/O, uncached memory, a memory-side cache, or not reported by the machine.
    Other,
}

impl LoadSource {
    /// The source of a sample's data; `None` unless it is a load.
    ///
    /// Returns the source as `c2c_decode_stats` does (`tools/perf/util/mem-events.c`, Linux 6.18), with three differences. On
    /// a machine that counts hops, these give the node. A load has one source. A line forwarded by another core counts as a
    /// peer's, as on Arm (`PERF_MEM_SNOOPX_PEER`).
    pub(crate) fn of(sample: &MemorySample) -> Option<Self> {
        if sample.op() & OP_LOAD == 0 {
            return None;
        }
        let bits = |from: u32, count: u32| (sample.data_src >> from) & ((1 << count) - 1);
        let (level, number) = (bits(5, 14), bits(33, 4));
        let (snoop, remote, hops) = (bits(19, 5), bits(37, 1) != 0, bits(43, 3));
        let (region, peer) = (bits(46, 5), bits(38, 2) != 0);
        let hitm = snoop & 0x10 != 0;
        let away = if remote {
            hops != HOPS_SAME_NODE
        } else {
            level & (lvl::REM_RAM | lvl::REM_CCE) != 0
        };
        let ram = level & (lvl::LOC_RAM | lvl::REM_RAM) != 0 || number == NUM_RAM;
        let cache = level & (lvl::CACHES | lvl::REM_CCE) != 0 || NUM_CACHES.contains(&number);
        let missed = level & lvl::MISS != 0 && level & lvl::HIT == 0;
        let other =
            level & lvl::NO_MEMORY != 0 || NUM_OTHERS.contains(&number) || region == REGION_MMIO;
        Some(if NUM_SLOW.contains(&number) {
            Self::SlowMemory
        } else if other || (missed && !ram && !hitm) {
            Self::Other
        } else if hitm && (cache || remote) && !ram {
            if away {
                Self::RemoteHitm
            } else {
                Self::LocalHitm
            }
        } else if ram {
            if away {
                Self::RemoteDram
            } else {
                Self::LocalDram
            }
        } else if cache {
            match (away, peer) {
                (true, _) => Self::RemoteCache,
                (false, true) => Self::LocalPeer,
                (false, false) => Self::Cache,
            }
        } else {
            Self::Other
        })
    }
}

/// Loads of one source.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
#[schemars(rename = "LoadSum")]
pub(crate) struct Sum {
    /// Number of samples.
    loads: u64,
    /// Mean of their latencies, cycles; `None` without a latency.
    cycles: Option<f64>,
    /// Number of loads with a latency, the sum of the latencies and of their squares.
    #[serde(skip)]
    timed: (f64, f64, f64),
}

impl Sum {
    pub(crate) fn add(&mut self, weight: u64) {
        self.loads += 1;
        if weight > 0 {
            let value = weight as f64;
            let (count, sum, squares) = self.timed;
            self.timed = (count + 1.0, sum + value, squares + value * value);
            self.cycles = Some(self.timed.1 / self.timed.0);
        }
    }

    fn join(&mut self, more: &Self) {
        self.loads += more.loads;
        let ((n0, sum0, squares0), (n1, sum1, squares1)) = (self.timed, more.timed);
        self.timed = (n0 + n1, sum0 + sum1, squares0 + squares1);
        self.cycles = (self.timed.0 > 0.0).then(|| self.timed.1 / self.timed.0);
    }

    pub(crate) fn loads(&self) -> u64 {
        self.loads
    }

    pub(crate) fn cycles(&self) -> Option<f64> {
        self.cycles
    }

    /// Returns the number of latencies, their mean, and the square of its standard error.
    pub(crate) fn mean(&self) -> (f64, f64, f64) {
        let (count, sum, squares) = self.timed;
        let mean = sum / count.max(1.0);
        let variance = (squares / count.max(1.0) - mean * mean).max(0.0);
        (count, mean, variance / (count - 1.0).max(1.0))
    }
}

/// Loads by where they found their data.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub(crate) struct Loads {
    /// All of them.
    pub(crate) all: Sum,
    /// From a cache of the node, or a fill buffer.
    pub(crate) cache: Sum,
    /// From the cache of another core of the node, unmodified; counted in `cache` on machines that do not report it.
    pub(crate) local_peer: Sum,
    /// From the memory of the CPU's node.
    pub(crate) local_dram: Sum,
    /// From another node's memory.
    pub(crate) remote_dram: Sum,
    /// From another node's cache, unmodified.
    pub(crate) remote_cache: Sum,
    /// Modified, from the cache of another core of the node.
    pub(crate) local_hitm: Sum,
    /// Modified, from another node's cache.
    pub(crate) remote_hitm: Sum,
    /// From memory of a slower tier: CXL, or persistent.
    pub(crate) slow_memory: Sum,
    /// I/O, uncached memory, a memory-side cache, or not reported.
    pub(crate) other: Sum,
}

impl Loads {
    pub(crate) fn add(&mut self, source: LoadSource, weight: u64) {
        self.all.add(weight);
        let of = match source {
            LoadSource::Cache => &mut self.cache,
            LoadSource::LocalPeer => &mut self.local_peer,
            LoadSource::LocalDram => &mut self.local_dram,
            LoadSource::RemoteDram => &mut self.remote_dram,
            LoadSource::RemoteCache => &mut self.remote_cache,
            LoadSource::LocalHitm => &mut self.local_hitm,
            LoadSource::RemoteHitm => &mut self.remote_hitm,
            LoadSource::SlowMemory => &mut self.slow_memory,
            LoadSource::Other => &mut self.other,
        };
        of.add(weight);
    }

    pub(crate) fn join(&mut self, more: &Self) {
        let own = [
            (&mut self.all, &more.all),
            (&mut self.cache, &more.cache),
            (&mut self.local_peer, &more.local_peer),
            (&mut self.local_dram, &more.local_dram),
            (&mut self.remote_dram, &more.remote_dram),
            (&mut self.remote_cache, &more.remote_cache),
            (&mut self.local_hitm, &more.local_hitm),
            (&mut self.remote_hitm, &more.remote_hitm),
            (&mut self.slow_memory, &more.slow_memory),
            (&mut self.other, &more.other),
        ];
        for (sum, more) in own {
            sum.join(more);
        }
    }

    /// Loads from memory, and which part of them another node's served.
    pub(crate) fn dram(&self) -> (u64, f64) {
        let (near, far) = (self.local_dram.loads, self.remote_dram.loads);
        (near + far, far as f64 / ((near + far).max(1)) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A union of its fields: op, level, snoop, level number, remote, hops.
    fn of(
        op: u64,
        level: u64,
        snoop: u64,
        number: u64,
        remote: u64,
        hops: u64,
    ) -> Option<LoadSource> {
        source(op | level << 5 | snoop << 19 | number << 33 | remote << 37 | hops << 43)
    }

    /// Without hops, and with what else newer machines say: the extended snoop and the region.
    fn of_more(
        op: u64,
        level: u64,
        snoop: u64,
        number: u64,
        remote: u64,
        snoopx: u64,
        region: u64,
    ) -> Option<LoadSource> {
        let more = snoopx << 38 | region << 46;
        source(op | level << 5 | snoop << 19 | number << 33 | remote << 37 | more)
    }

    fn source(data_src: u64) -> Option<LoadSource> {
        LoadSource::of(&MemorySample {
            ts_ns: 0,
            cpu: 0,
            pid: 0,
            data_src,
            weight: 0,
            addr: 0,
            phys_addr: 0,
            page_size: 0,
        })
    }

    #[test]
    fn sources_are_those_of_the_machines_encodings() {
        use LoadSource::*;
        // pebs_data_source of Intel's (arch/x86/events/intel/ds.c): L1, LFB, L3 with HITM, the memories, an L3 miss.
        assert_eq!(of(2, 0x2 | 0x8, 0x2, 1, 0, 0), Some(Cache));
        assert_eq!(of(2, 0x2 | 0x10, 0x2, 0xc, 0, 0), Some(Cache));
        assert_eq!(of(2, 0x2 | 0x40, 0x10, 3, 0, 0), Some(LocalHitm));
        assert_eq!(of(2, 0x2 | 0x80, 0x4, 0xd, 0, 0), Some(LocalDram));
        assert_eq!(of(2, 0x2 | 0x100, 0x2, 0xd, 1, 0), Some(RemoteDram));
        assert_eq!(of(2, 0x2 | 0x400, 0x10, 0xb, 1, 0), Some(RemoteHitm));
        assert_eq!(of(2, 0x2 | 0x400, 0x4, 0xb, 1, 0), Some(RemoteCache));
        assert_eq!(of(2, 0x4 | 0x40, 0x1, 3, 0, 0), Some(Other));
        assert_eq!(of(2, 0x2 | 0x1000, 0x2, 0xa, 0, 0), Some(Other));
        // perf_ibs_get_mem_lvl of AMD's (arch/x86/events/amd/ibs.c): a cache of another complex of the node, of another node, memory.
        assert_eq!(of(2, 0x2 | 0x400, 0x10, 0xb, 1, 1), Some(LocalHitm));
        assert_eq!(of(2, 0x2 | 0x400, 0x2, 0xb, 1, 1), Some(Cache));
        assert_eq!(of(2, 0x2 | 0x800, 0x4, 0xb, 1, 2), Some(RemoteCache));
        assert_eq!(of(2, 0x2 | 0x100, 0x2, 0xd, 1, 2), Some(RemoteDram));
        // Its extension memory (IBS_DATA_SRC_EXT_EXT_MEM, IBS_DATA_SRC_EXT_PMEM), and what it says of I/O.
        assert_eq!(of(2, 0x2, 0, 9, 0, 0), Some(SlowMemory));
        assert_eq!(of(2, 0x2, 0, 0xe, 1, 3), Some(SlowMemory));
        assert_eq!(of(2, 0x2 | 0x1000, 0, 0xa, 0, 0), Some(Other));
        // arm_spe__synth_data_source: a remote access without more.
        assert_eq!(of(2, 0x2 | 0x400, 0x1, 0xb, 1, 0), Some(RemoteCache));
        // arm_spe__synth_data_source_generic and _neoverse: a peer's cache, and a cluster's on the other socket.
        assert_eq!(of(2, 0x2 | 0x20, 0, 2, 0, 0), Some(Cache));
        assert_eq!(of_more(2, 0x2 | 0x20, 0, 2, 0, 2, 0), Some(LocalPeer));
        assert_eq!(of_more(2, 0x2 | 0x400, 0, 0xb, 1, 2, 0), Some(RemoteCache));
        // omr_data_source and pnc_pebs_l2_hit_data_source (Linux 7.0): L0, another core's L2, another agent's cache here and
        // on the other socket, memory here and there, device memory.
        assert_eq!(of(2, 0x2, 0x2, 7, 0, 0), Some(Cache));
        assert_eq!(of_more(2, 0x2 | 0x40, 0x4, 3, 0, 1, 6), Some(LocalPeer));
        assert_eq!(of_more(2, 0x2 | 0x40, 0x4, 3, 0, 0, 5), Some(Cache));
        assert_eq!(of_more(2, 0x2 | 0x440, 0x10, 3, 1, 0, 5), Some(RemoteHitm));
        assert_eq!(of_more(2, 0x2 | 0x80, 0x4, 0xd, 0, 0, 8), Some(LocalDram));
        assert_eq!(of_more(2, 0x2 | 0x100, 0x4, 0xd, 1, 0, 8), Some(RemoteDram));
        assert_eq!(of_more(2, 0x2, 0x4, 0xd, 0, 0, REGION_MMIO), Some(Other));
        // The oldest have levels only.
        assert_eq!(of(2, 0x2 | 0x200, 0x1, 0, 0, 0), Some(RemoteDram));
        assert_eq!(of(2, 0x2 | 0x800, 0x10, 0, 0, 0), Some(RemoteHitm));
        // Stores, and software events, of which nothing is known.
        assert_eq!(of(4, 0x2 | 0x8, 0x1, 1, 0, 0), None);
        assert_eq!(of(1, 0x1, 0x1, 0xf, 0, 0), None);
        assert_eq!(of(2, 0x1, 0x1, 0xf, 0, 0), Some(Other));
    }

    #[test]
    fn a_mean_is_of_the_loads_that_have_a_latency() {
        let mut loads = Loads::default();
        for weight in [0, 100, 300] {
            loads.add(LoadSource::LocalDram, weight);
        }
        loads.add(LoadSource::RemoteDram, u64::MAX);
        assert_eq!(loads.local_dram.cycles(), Some(200.0));
        assert_eq!(loads.local_dram.mean(), (2.0, 200.0, 10_000.0));
        assert_eq!(loads.dram(), (4, 0.25));
        assert!(loads.all.cycles().is_some_and(f64::is_finite));
        assert_eq!(loads.cache.cycles(), None);
    }
}
