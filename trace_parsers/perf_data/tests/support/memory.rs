//! Recordings of memory samples: a task goes from one of two nodes to the other, and what becomes of its memory.

use super::writer::{Form, Writer, write_parts};

/// What becomes of the memory that the task used on its first node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Story {
    /// Its pages follow, one after the other, and its loads are fast again.
    Followed,
    /// Its pages stay; it takes other ones, of its new node. Its loads say the same as in [`Story::Followed`].
    OtherPages,
    /// Its pages follow, and its loads stay slow: the new node's memory is busy.
    NotPaid,
    /// Its pages stay, and it goes on using them.
    Stayed,
}

/// The stories, whether physical addresses are recorded, and names.
pub const RECORDINGS: [(Story, bool, &str); 5] = [
    (Story::Followed, true, "followed"),
    (Story::OtherPages, true, "other-pages"),
    (Story::NotPaid, true, "not-paid"),
    (Story::OtherPages, false, "no-phys"),
    (Story::Stayed, true, "stayed"),
];

/// Identifier, ip, tid, time, CPU, period.
const COMMON: u64 = 1 << 16 | 1 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 8;
const RAW: u64 = 1 << 10;
/// Address, data source, physical address, page size, `WEIGHT_STRUCT`.
const MEMORY: u64 = 1 << 3 | 1 << 15 | 1 << 19 | 1 << 22 | 1 << 24;
pub const PHYS_ADDR: u64 = 1 << 19;
const SWITCH: [u64; 2] = [31, 32];
const MIGRATE: [u64; 2] = [41, 42];
const PAGES: [u64; 2] = [51, 52];
const LOADS: [u64; 2] = [61, 62];
const STORES: [u64; 2] = [71, 72];
const FORMATS: [(&str, &str); 3] = [
    (
        "sched",
        "name: sched_switch\nID: 372\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
         \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
         \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\
         \tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n\
         \tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n\
         \tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n\
         print fmt: \"prev_pid=%d next_pid=%d\", REC->prev_pid, REC->next_pid\n",
    ),
    (
        "sched",
        "name: sched_migrate_task\nID: 371\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
         \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
         \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\
         \tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n\
         \tfield:int orig_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\tfield:int dest_cpu;\toffset:36;\tsize:4;\tsigned:1;\n\n\
         print fmt: \"pid=%d\", REC->pid\n",
    ),
    (
        "migrate",
        "name: mm_migrate_pages\nID: 713\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
         \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
         \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\tfield:unsigned long succeeded;\toffset:8;\tsize:8;\tsigned:0;\n\
         \tfield:unsigned long failed;\toffset:16;\tsize:8;\tsigned:0;\n\tfield:enum migrate_mode mode;\toffset:24;\tsize:4;\tsigned:0;\n\
         \tfield:int reason;\toffset:28;\tsize:4;\tsigned:1;\n\n\
         print fmt: \"nr_succeeded=%lu nr_failed=%lu mode=%s reason=%s\", REC->succeeded, REC->failed, __print_symbolic(REC->mode, {0, \"MIGRATE_ASYNC\"}), \
         __print_symbolic(REC->reason, {5, \"numa_misplaced\"})\n",
    ),
];

/// The task that moves, and one that shares lines with others and stays.
pub const MOVER: (&str, u32) = ("mover", 501);
pub const SHARER: (&str, u32) = ("sharer", 601);
const SECOND: u64 = 1_000_000_000;
/// Where the recording begins, ns.
pub const BEGIN: u64 = 5 * SECOND;
/// When the mover goes from CPU 0 to CPU 2.
pub const MOVED: u64 = BEGIN + SECOND;
const END: u64 = BEGIN + 3 * SECOND;
/// One load of the mover per this time.
const STEP: u64 = 2_500_000;
const PAGES_USED: u64 = 48;
/// Size of a block of memory; node 0 has the first 16 of them, node 1 the next.
const BLOCK: u64 = 128 << 20;

// `PERF_MEM_S` of op, level, snoop, lock, TLB, level number, remote, as Intel's CPUs have them.
const L3_HIT: u64 = 0x2 | 0x42 << 5 | 0x2 << 19 | 0x1a << 26 | 3 << 33;
const L3_HITM: u64 = 0x2 | 0x42 << 5 | 0x10 << 19 | 0x1a << 26 | 3 << 33;
const LOCAL_RAM: u64 = 0x2 | 0x82 << 5 | 0x2 << 19 | 0x1a << 26 | 0xd << 33;
const REMOTE_RAM: u64 = 0x2 | 0x102 << 5 | 0x2 << 19 | 0x1a << 26 | 0xd << 33 | 1 << 37;
const STORE_L1: u64 = 0x4 | 0xa << 5 | 0x1 << 19 | 0x1 << 26 | 1 << 33;
/// What the kernel says of events that have no data source.
pub const NOTHING: u64 = 0x1 | 0x1 << 5 | 0x1 << 19 | 0x1 << 24 | 0x1 << 26 | 0xf << 33;

/// A load or a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    pub ts: u64,
    pub cpu: u32,
    pub tid: u32,
    pub store: bool,
    pub addr: u64,
    pub phys: u64,
    pub data_src: u64,
    pub weight: u32,
    pub ins_lat: u16,
}

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (self.0 >> 33) % most
    }
}

/// What the mover and the sharer did, in order.
pub fn accesses(story: Story) -> Vec<Access> {
    let mut dice = Dice(7);
    let mut all = Vec::new();
    for at in 0..(END - BEGIN) / STEP {
        let ts = BEGIN + at * STEP + dice.below(STEP / 2);
        let moved = ts >= MOVED;
        let (cpu, node) = if moved { (2, 1) } else { (0, 0) };
        let mut page = at % PAGES_USED;
        let migrated = ts >= migrates(page) && story != Story::Stayed;
        let mut home = u64::from(migrated && story != Story::OtherPages);
        if migrated && story == Story::OtherPages {
            page += PAGES_USED;
            home = 1;
        }
        let (data_src, base) = match dice.below(10) {
            0..3 => (L3_HIT, 45),
            _ if home != node => (REMOTE_RAM, 380),
            _ if moved && story == Story::NotPaid => (LOCAL_RAM, 380),
            _ => (LOCAL_RAM, 170),
        };
        let offset = dice.below(64) * 64;
        let weight = base + dice.below(base / 4);
        all.push(Access {
            ts,
            cpu,
            tid: MOVER.1,
            store: false,
            addr: 0x7f00_0000_0000 + page * 4096 + offset,
            phys: home * 16 * BLOCK + (page + 1) * 4096 + offset,
            data_src,
            weight: weight as u32,
            ins_lat: (weight + 9) as u16,
        });
        if at % 5 == 0 {
            let (stores, data_src, weight) = if at % 2 == 0 {
                (true, STORE_L1, 0)
            } else {
                (false, L3_HITM, 120 + dice.below(20) as u32)
            };
            all.push(Access {
                ts: ts + 1_000,
                cpu: 1,
                tid: SHARER.1,
                store: stores,
                addr: 0x7e00_0000_0040,
                phys: 0x10_0040,
                data_src,
                weight,
                ins_lat: 0,
            });
        }
    }
    all
}

/// When a page goes to the new node.
fn migrates(page: u64) -> u64 {
    MOVED + 300_000_000 + page * 10_000_000
}

fn features(form: Form) -> Vec<(u32, Vec<u8>)> {
    let section = |fill: &dyn Fn(&mut Writer)| {
        let mut w = Writer::new(form);
        fill(&mut w);
        w.bytes
    };
    let events = [
        ("sched:sched_switch", SWITCH),
        ("sched:sched_migrate_task", MIGRATE),
        ("migrate:mm_migrate_pages", PAGES),
        ("cpu/mem-loads,ldlat=30/P", LOADS),
        ("cpu/mem-stores/P", STORES),
    ];
    vec![
        (4, section(&|w| w.string("6.18.0-test"))),
        (
            7,
            section(&|w| [4, 4].into_iter().for_each(|cpus| w.u32(cpus))),
        ),
        (
            12,
            section(&|w| {
                w.u32(events.len() as u32);
                w.u32(128);
                for ((name, ids), &(kind, config, bits, _)) in events.iter().zip(&ATTRS) {
                    w.attr(kind, config, bits);
                    w.u32(2);
                    w.string(name);
                    w.words(ids);
                }
            }),
        ),
        (
            14,
            section(&|w| {
                w.u32(2);
                for (nid, cpus) in [(0, "0-1"), (1, "2-3")] {
                    w.u32(nid);
                    w.words(&[2 << 20, 1 << 20]);
                    w.string(cpus);
                }
            }),
        ),
        (
            22,
            section(&|w| {
                w.words(&[1, BLOCK, 2]);
                for (nid, blocks) in [(0, 0xffff), (1, 0xffff_0000)] {
                    w.words(&[nid, 32, 32, blocks]);
                }
            }),
        ),
    ]
}

const ATTRS: [(u32, u64, u64, [u64; 2]); 5] = [
    (2, 372, COMMON | RAW, SWITCH),
    (2, 371, COMMON | RAW, MIGRATE),
    (2, 713, COMMON | RAW, PAGES),
    (4, 0x1cd, COMMON | MEMORY, LOADS),
    (4, 0x82d0, COMMON | MEMORY, STORES),
];

/// The head of a sample; without an address.
fn head(w: &mut Writer, ids: [u64; 2], tid: u32, ts: u64) {
    w.words(&[ids[0], 0x40_1000]);
    w.u32(tid - 1);
    w.u32(tid);
    w.u64(ts);
}

fn cpu_and_period(w: &mut Writer, cpu: u32) {
    w.u32(cpu);
    w.u32(0);
    w.u64(1);
}

fn access(w: &mut Writer, one: &Access, phys: bool) {
    w.record(9, |w| {
        head(w, if one.store { STORES } else { LOADS }, one.tid, one.ts);
        w.u64(one.addr);
        cpu_and_period(w, one.cpu);
        w.u64(u64::from(one.weight) | u64::from(one.ins_lat) << 32 | 3 << 48);
        w.u64(one.data_src);
        if phys {
            w.u64(one.phys);
        }
        w.u64(4096);
    });
}

/// A tracepoint's sample: `fill` writes its own fields.
fn traced(
    w: &mut Writer,
    (ids, id): ([u64; 2], u16),
    (cpu, tid, ts): (u32, u32, u64),
    size: u32,
    fill: impl FnOnce(&mut Writer),
) {
    w.record(9, |w| {
        head(w, ids, tid.max(1), ts);
        cpu_and_period(w, cpu);
        w.u32(size + 12); // to a whole word, as the kernel does
        w.u16(id);
        w.u16(0);
        w.u32(tid);
        fill(w);
        w.u32(0);
    });
}

fn comm(w: &mut Writer, name: &str) {
    let mut bytes = [0; 16];
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    w.bytes.extend(bytes);
}

fn switch(w: &mut Writer, cpu: u32, ts: u64, prev: (&str, u32), next: (&str, u32)) {
    traced(w, (SWITCH, 372), (cpu, prev.1, ts), 56, |w| {
        comm(w, prev.0);
        w.u32(prev.1);
        w.u32(120);
        // Who is moved is runnable, who ends sleeps.
        w.u64(u64::from(prev.1 != 0 && ts != MOVED - 30_000));
        comm(w, next.0);
        w.u32(next.1);
        w.u32(120);
    });
}

/// The recording of a story. Without `phys`, samples have no physical addresses.
pub fn recording(form: Form, story: Story, phys: bool) -> Vec<u8> {
    first(form, story, phys, usize::MAX)
}

/// The same, with no more loads and stores than these.
pub fn first(form: Form, story: Story, phys: bool, most: usize) -> Vec<u8> {
    let mut attrs = ATTRS;
    if !phys {
        for attr in &mut attrs {
            attr.2 &= !PHYS_ADDR;
        }
    }
    write_parts(form, &attrs, &FORMATS, features(form), |w| {
        for cpu in 0..4 {
            let task = [Some(MOVER), Some(SHARER), None, None][cpu as usize];
            let idle = ("swapper", 0);
            switch(w, cpu, BEGIN - 10_000, ("perf", 400), task.unwrap_or(idle));
        }
        let mut page = 0;
        let mut gone = false;
        for one in accesses(story).into_iter().take(most) {
            if !gone && one.ts >= MOVED {
                gone = true;
                switch(w, 0, MOVED - 30_000, MOVER, ("swapper", 0));
                traced(w, (MIGRATE, 371), (2, 0, MOVED - 20_000), 32, |w| {
                    comm(w, MOVER.0);
                    w.u32(MOVER.1);
                    w.u32(120);
                    w.u32(0);
                    w.u32(2);
                });
                switch(w, 2, MOVED - 10_000, ("swapper", 0), MOVER);
            }
            while !matches!(story, Story::OtherPages | Story::Stayed)
                && page < PAGES_USED
                && migrates(page) <= one.ts
            {
                traced(w, (PAGES, 713), (2, MOVER.1, migrates(page)), 24, |w| {
                    w.words(&[1, 0]);
                    w.u32(0);
                    w.u32(5);
                });
                page += 1;
            }
            access(w, &one, phys);
        }
        switch(w, 2, END, MOVER, ("swapper", 0));
        w.record(68, |_| {});
    })
}
