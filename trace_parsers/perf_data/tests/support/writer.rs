//! Small recordings in every form: both byte orders, file and pipe mode, plain and compressed.

use zstd::stream::raw::{Encoder, InBuffer, Operation, OutBuffer};

/// How a recording is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    pub big: bool,
    pub pipe: bool,
    /// Type of the compressed records, 81 or 83.
    pub packed: Option<u32>,
}

impl Form {
    pub const PLAIN: Self = Self {
        big: false,
        pipe: false,
        packed: None,
    };

    pub fn all() -> Vec<Self> {
        let mut forms = Vec::new();
        for big in [false, true] {
            for pipe in [false, true] {
                for packed in [None, Some(81), Some(83)] {
                    forms.push(Self { big, pipe, packed });
                }
            }
        }
        forms
    }
}

/// What a recording holds.
#[derive(Debug, Clone)]
pub enum Item {
    /// A sample of the tracepoint `sched:mini`: time, CPU, value, callchain.
    Mini(u64, u32, i32, Vec<u64>),
    /// A sample of the software event `page-faults`: time, CPU, address.
    Fault(u64, u32, u64),
    /// The kernel's record of lost events: time, CPU, count.
    Lost(u64, u32, u64),
    /// perf's count of lost samples at the end: id, count.
    Counted(u64, u64),
    Round,
    /// A record of any type.
    Other(u32, Vec<u8>),
}

/// Bits of the two attributes: identifier, ip, tid, time, CPU, period; the tracepoint has a callchain and raw bytes
/// too, the fault an address.
const COMMON: u64 = 1 << 16 | 1 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 8;
pub const MINI_TYPE: u64 = COMMON | 1 << 5 | 1 << 10;
pub const FAULT_TYPE: u64 = COMMON | 1 << 3;
/// Ids of the two events, by CPU.
pub const MINI_IDS: [u64; 2] = [11, 12];
pub const FAULT_IDS: [u64; 2] = [21, 22];

pub struct Writer {
    form: Form,
    pub bytes: Vec<u8>,
}

impl Writer {
    pub fn new(form: Form) -> Self {
        Self {
            form,
            bytes: Vec::new(),
        }
    }

    pub fn u16(&mut self, value: u16) {
        self.bytes.extend(if self.form.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        });
    }

    pub fn u32(&mut self, value: u32) {
        self.bytes.extend(if self.form.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        });
    }

    pub fn u64(&mut self, value: u64) {
        self.bytes.extend(if self.form.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        });
    }

    pub fn words(&mut self, values: &[u64]) {
        for &value in values {
            self.u64(value);
        }
    }

    pub fn record(&mut self, kind: u32, body: impl FnOnce(&mut Self)) {
        let start = self.bytes.len();
        self.u32(kind);
        self.u16(0);
        self.u16(0);
        body(self);
        let size = (self.bytes.len() - start) as u16;
        let size = if self.form.big {
            size.to_be_bytes()
        } else {
            size.to_le_bytes()
        };
        self.bytes[start + 6..start + 8].copy_from_slice(&size);
    }

    pub fn attr(&mut self, kind: u32, config: u64, sample_type: u64) {
        let mut flags: u64 = 1 << 18 | 1 << 25; // sample_id_all, use_clockid
        if self.form.big {
            flags = flags.reverse_bits();
        }
        self.u32(kind);
        self.u32(128);
        self.words(&[config, 1, sample_type, 0, flags, 0, 0, 0, 0, 0]);
        self.u32(0);
        self.u32(1); // CLOCK_MONOTONIC
        self.words(&[0; 4]);
    }

    pub fn string(&mut self, text: &str) {
        let size = (text.len() + 1).next_multiple_of(64);
        self.u32(size as u32);
        self.bytes.extend(text.bytes());
        self.bytes.resize(self.bytes.len() + size - text.len(), 0);
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Mini(ts, cpu, value, chain) => self.record(9, |w| {
                w.words(&[MINI_IDS[*cpu as usize], 0x4000]);
                w.u32(500);
                w.u32(501);
                w.u64(*ts);
                w.u32(*cpu);
                w.u32(0);
                w.words(&[1, chain.len() as u64]);
                w.words(chain);
                w.u32(12);
                w.u16(7); // common_type
                w.u16(0);
                w.u32(501);
                w.u32(*value as u32);
            }),
            Item::Fault(ts, cpu, addr) => self.record(9, |w| {
                w.words(&[FAULT_IDS[*cpu as usize], 0x5000]);
                w.u32(600);
                w.u32(601);
                w.words(&[*ts, *addr]);
                w.u32(*cpu);
                w.u32(0);
                w.u64(3);
            }),
            Item::Lost(ts, cpu, count) => self.record(2, |w| {
                w.words(&[MINI_IDS[0], *count]);
                w.back(*ts, *cpu, MINI_IDS[0]);
            }),
            Item::Counted(id, count) => self.record(13, |w| {
                w.u64(*count);
                w.back(0, 0, *id);
            }),
            Item::Round => self.record(68, |_| {}),
            Item::Other(kind, body) => self.record(*kind, |w| w.bytes.extend(body)),
        }
    }

    fn back(&mut self, ts: u64, cpu: u32, id: u64) {
        self.words(&[0, ts]);
        self.u32(cpu);
        self.u32(0);
        self.u64(id);
    }

    /// Writes items, with those between two rounds compressed in pieces that cut records.
    fn items(&mut self, items: &[Item]) {
        let Some(kind) = self.form.packed else {
            for item in items {
                self.item(item);
            }
            return;
        };
        let mut encoder = Encoder::new(1).unwrap();
        for part in items.split_inclusive(|item| matches!(item, Item::Round)) {
            let mut plain = Self::new(self.form);
            for item in part {
                plain.item(item);
            }
            let rounds = usize::from(matches!(part.last(), Some(Item::Round)));
            let whole = plain.bytes.len() - rounds * 8;
            for piece in plain.bytes[..whole].chunks(333) {
                let packed = compress(&mut encoder, piece);
                self.packed(kind, &packed);
            }
            (0..rounds).for_each(|_| self.item(&Item::Round));
        }
    }

    pub fn packed(&mut self, kind: u32, data: &[u8]) {
        self.record(kind, |w| {
            if kind == 83 {
                w.u64(data.len() as u64);
            }
            w.bytes.extend(data);
            if kind == 83 {
                w.bytes.resize(w.bytes.len().next_multiple_of(8), 0);
            }
        });
    }
}

fn compress(encoder: &mut Encoder<'_>, data: &[u8]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(data.len() * 2 + 1024);
    let mut output = OutBuffer::around(&mut packed);
    let mut input = InBuffer::around(data);
    while input.pos() < data.len() {
        encoder.run(&mut input, &mut output).unwrap();
    }
    while encoder.flush(&mut output).unwrap() > 0 {}
    packed
}

/// The event format of `sched:mini`, number 7.
const MINI_FORMAT: &str = "name: mini\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
     \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\tfield:int value;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"%d\", REC->value\n";

/// The section of event formats: each with its system.
fn tracing(form: Form, formats: &[(&str, &str)]) -> Vec<u8> {
    let mut w = Writer::new(form);
    w.bytes.extend(b"\x17\x08\x44tracing0.6\0");
    w.bytes.extend([u8::from(form.big), 8]);
    w.u32(4096);
    // perf reads neither when it is empty.
    let page = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
                \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
    for (mark, text) in [
        ("header_page\0", page),
        ("header_event\0", "# compressed entry header\n"),
    ] {
        w.bytes.extend(mark.bytes());
        w.u64(text.len() as u64);
        w.bytes.extend(text.bytes());
    }
    w.u32(0);
    w.u32(formats.len() as u32);
    for (system, format) in formats {
        w.bytes.extend(system.bytes().chain([0]));
        w.u32(1);
        w.u64(format.len() as u64);
        w.bytes.extend(format.bytes());
    }
    w.u32(0);
    w.u32(0);
    w.u64(0);
    w.bytes
}

fn features(form: Form) -> Vec<(u32, Vec<u8>)> {
    let section = |fill: &dyn Fn(&mut Writer)| {
        let mut w = Writer::new(form);
        fill(&mut w);
        w.bytes
    };
    vec![
        (4, section(&|w| w.string("6.9.1-test"))),
        (
            7,
            section(&|w| [4, 2].into_iter().for_each(|cpus| w.u32(cpus))),
        ),
        (
            14,
            section(&|w| {
                w.u32(2);
                for (nid, cpus) in [(0, "0,2"), (3, "1,3")] {
                    w.u32(nid);
                    w.words(&[1024, 512]);
                    w.string(cpus);
                }
            }),
        ),
        (
            29,
            section(&|w| {
                w.u32(1);
                w.u32(1);
                w.words(&[1_700_000_000_000_000_000, 5_000]);
            }),
        ),
    ]
}

/// A whole recording of these items.
pub fn write(form: Form, items: &[Item]) -> Vec<u8> {
    write_with(form, |w| w.items(items))
}

/// A whole recording whose records `fill` writes.
pub fn write_with(form: Form, fill: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let attrs = [(2, 7, MINI_TYPE, MINI_IDS), (1, 2, FAULT_TYPE, FAULT_IDS)];
    write_parts(
        form,
        &attrs,
        &[("sched", MINI_FORMAT)],
        features(form),
        fill,
    )
}

/// A whole recording: events by type, configuration, bits of their samples and ids; formats of tracepoints with their systems; features
/// of the header; and records, which `fill` writes.
pub fn write_parts(
    form: Form,
    attrs: &[(u32, u64, u64, [u64; 2])],
    formats: &[(&str, &str)],
    features: Vec<(u32, Vec<u8>)>,
    fill: impl FnOnce(&mut Writer),
) -> Vec<u8> {
    let magic = if form.big { b"2ELIFREP" } else { b"PERFILE2" };
    let mut w = Writer::new(form);
    w.bytes.extend(magic);
    if form.pipe {
        w.u64(16);
        for &(kind, config, bits, ids) in attrs {
            w.record(64, |w| {
                w.attr(kind, config, bits);
                w.words(&ids);
            });
        }
        for (feature, bytes) in features {
            w.record(80, |w| {
                w.u64(u64::from(feature));
                w.bytes.extend(bytes);
            });
        }
        let mut section = tracing(form, formats);
        // Its length counts what fills it up to whole words.
        section.resize(section.len().next_multiple_of(8), 0);
        w.record(66, |w| w.u32(section.len() as u32));
        w.bytes.extend(&section);
        fill(&mut w);
        return w.bytes;
    }
    let ids_at = 104;
    let count = attrs.len() as u64;
    let attrs_at = ids_at + 16 * count;
    let data_at = attrs_at + 144 * count;
    let mut data = Writer::new(form);
    fill(&mut data);
    let mut sections = vec![(1, tracing(form, formats))];
    sections.extend(features);
    let bits = sections
        .iter()
        .fold(0_u64, |bits, (feature, _)| bits | 1 << feature);
    w.words(&[
        104,
        144,
        attrs_at,
        144 * count,
        data_at,
        data.bytes.len() as u64,
        0,
        0,
    ]);
    w.words(&[bits, 0, 0, 0]);
    for (_, _, _, ids) in attrs {
        w.words(ids);
    }
    for (index, &(kind, config, bits, _)) in attrs.iter().enumerate() {
        w.attr(kind, config, bits);
        w.words(&[ids_at + 16 * index as u64, 16]);
    }
    w.bytes.extend(&data.bytes);
    let mut at = w.bytes.len() + sections.len() * 16;
    for (_, bytes) in &sections {
        w.words(&[at as u64, bytes.len() as u64]);
        at += bytes.len();
    }
    for (_, bytes) in sections {
        w.bytes.extend(bytes);
    }
    w.bytes
}
