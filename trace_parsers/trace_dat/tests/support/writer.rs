//! Writes small recordings in every form that the reader must know, for tests.

use std::fmt::Write as _;

/// How a recording is laid out.
#[derive(Debug, Clone)]
pub struct Form {
    pub version: u32,
    pub big: bool,
    pub long_size: u8,
    pub page_size: u32,
    pub compression: &'static str,
    /// Version 7: put the sub-buffer size into the buffer option, as newer recorders do.
    pub page_size_in_option: bool,
}

impl Form {
    /// All combinations.
    pub fn all() -> Vec<Self> {
        let mut forms = Vec::new();
        for big in [false, true] {
            for long_size in [4, 8] {
                let form = |version, compression, page_size_in_option| Self {
                    version,
                    big,
                    long_size,
                    page_size: 256,
                    compression,
                    page_size_in_option,
                };
                forms.push(form(6, "none", false));
                for compression in ["none", "zlib", "zstd"] {
                    forms.push(form(7, compression, false));
                    forms.push(form(7, compression, true));
                }
            }
        }
        forms
    }
}

/// One event of the writer's only type: `test:sample` with a number, a text and two dynamic fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    pub ts: u64,
    pub number: i32,
    pub text: String,
    /// Events lost just before this one: starts a new page. `Some(None)`: the kernel did not count them.
    pub lost: Option<Option<u64>>,
}

impl Sample {
    pub fn new(ts: u64, number: i32, text: &str) -> Self {
        Self {
            ts,
            number,
            text: text.to_owned(),
            lost: None,
        }
    }
}

/// A tracing instance: its name and the events of each CPU.
pub type Instance = (&'static str, Vec<Vec<Sample>>);

/// The event's number in the file.
pub const SAMPLE_ID: u16 = 1234;

struct Bytes {
    out: Vec<u8>,
    big: bool,
}

impl Bytes {
    fn u16(&mut self, value: u16) {
        self.out.extend(if self.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        });
    }
    fn u32(&mut self, value: u32) {
        self.out.extend(if self.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        });
    }
    fn u64(&mut self, value: u64) {
        self.out.extend(if self.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        });
    }
    fn long(&mut self, value: u64, long_size: u8) {
        if long_size == 4 {
            self.u32(value as u32)
        } else {
            self.u64(value)
        }
    }
    fn put(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }
    fn sized(&mut self, text: &str) {
        self.u64(text.len() as u64);
        self.put(text.as_bytes());
    }
}

fn bytes(form: &Form) -> Bytes {
    Bytes {
        out: Vec::new(),
        big: form.big,
    }
}

fn header_page(form: &Form) -> String {
    let long = form.long_size;
    let data = 8 + u32::from(long);
    format!(
        "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:{long};\tsigned:1;\n\
         \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:{data};\tsize:{};\tsigned:0;\n",
        form.page_size - data
    )
}

fn sample_format() -> String {
    let mut text = format!("name: sample\nID: {SAMPLE_ID}\nformat:\n");
    for (declaration, offset, size, signed) in [
        ("unsigned short common_type", 0, 2, 0),
        ("unsigned char common_flags", 2, 1, 0),
        ("unsigned char common_preempt_count", 3, 1, 0),
        ("int common_pid", 4, 4, 1),
        ("int number", 8, 4, 1),
        ("char comm[16]", 12, 16, 0),
        ("__data_loc char[] name", 28, 4, 0),
        ("__rel_loc u16[] words", 32, 4, 0),
    ] {
        let _ = writeln!(
            text,
            "\tfield:{declaration};\toffset:{offset};\tsize:{size};\tsigned:{signed};"
        );
        if declaration == "int common_pid" {
            text.push('\n');
        }
    }
    text.push_str(
        "\nprint fmt: \"number=%d comm=%s name=%s\", REC->number, REC->comm, __get_str(name)\n",
    );
    text
}

fn record(form: &Form, sample: &Sample) -> Vec<u8> {
    let mut out = bytes(form);
    out.u16(SAMPLE_ID);
    out.put(&[1, 2]);
    out.u32(77);
    out.u32(sample.number as u32);
    let mut comm = [0_u8; 16];
    let short = &sample.text.as_bytes()[..sample.text.len().min(15)];
    comm[..short.len()].copy_from_slice(short);
    out.put(&comm);
    let name_len = sample.text.len() as u32 + 1;
    let words_at = (36 + name_len).next_multiple_of(2);
    out.u32(name_len << 16 | 36);
    out.u32(4 << 16 | (words_at - 36));
    out.put(sample.text.as_bytes());
    out.put(&[0]);
    while out.out.len() < words_at as usize {
        out.put(&[0]);
    }
    out.u16(7);
    out.u16(60_000);
    out.out
}

fn head_word(form: &Form, kind: u32, delta: u32) -> u32 {
    if form.big {
        kind << 27 | delta
    } else {
        delta << 5 | kind
    }
}

/// The pages of one CPU. Lengths alternate between the short and the long form, large gaps use a time extend, and
/// every fifth stamp is absolute.
fn pages(form: &Form, samples: &[Sample]) -> Vec<u8> {
    let room = form.page_size as usize - 8 - usize::from(form.long_size);
    let mut pages = Vec::new();
    let mut page: Option<(u64, u64, Bytes, Option<Option<u64>>)> = None;
    for (index, sample) in samples.iter().enumerate() {
        let record = record(form, sample);
        let body = record.len().next_multiple_of(4);
        let worst = body + 16;
        let full = page
            .as_ref()
            .is_none_or(|(_, _, data, _)| data.out.len() + worst + 8 > room);
        if full || sample.lost.is_some() {
            if let Some(done) = page.take() {
                close(form, done, room, &mut pages);
            }
            page = Some((sample.ts, sample.ts, bytes(form), sample.lost));
        }
        let (_, last, data, _) = page.as_mut().unwrap();
        let mut delta = sample.ts - *last;
        if index % 5 == 4 {
            data.u32(head_word(form, 31, (sample.ts & ((1 << 27) - 1)) as u32));
            data.u32((sample.ts >> 27) as u32);
            delta = 0;
        } else if delta >= 1 << 27 {
            data.u32(head_word(form, 30, (delta & ((1 << 27) - 1)) as u32));
            data.u32((delta >> 27) as u32);
            delta = 0;
        }
        *last = sample.ts;
        if index % 2 == 0 && body <= 28 * 4 {
            data.u32(head_word(form, (body / 4) as u32, delta as u32));
        } else {
            data.u32(head_word(form, 0, delta as u32));
            data.u32(record.len() as u32 + 4);
        }
        data.put(&record);
        while !data.out.len().is_multiple_of(4) {
            data.put(&[0]);
        }
    }
    if let Some(done) = page.take() {
        close(form, done, room, &mut pages);
    }
    pages
}

fn close(
    form: &Form,
    page: (u64, u64, Bytes, Option<Option<u64>>),
    room: usize,
    pages: &mut Vec<u8>,
) {
    let (stamp, _, data, lost) = page;
    let mut flags = 0;
    let mut out = bytes(form);
    out.u64(stamp);
    if let Some(count) = lost {
        flags = 1 << 31 | if count.is_some() { 1 << 30 } else { 0 };
    }
    out.long(data.out.len() as u64 | flags, form.long_size);
    out.put(&data.out);
    if let Some(Some(count)) = lost {
        out.long(count, form.long_size);
    }
    out.out.resize(form.page_size as usize, 0);
    assert!(data.out.len() + usize::from(form.long_size) <= room);
    pages.extend(out.out);
}

fn compress(form: &Form, data: &[u8]) -> Vec<u8> {
    match form.compression {
        "zstd" => zstd::bulk::compress(data, 3).unwrap(),
        "zlib" => {
            let mut encoder = flate2::read::ZlibEncoder::new(data, flate2::Compression::default());
            let mut out = Vec::new();
            std::io::Read::read_to_end(&mut encoder, &mut out).unwrap();
            out
        }
        _ => data.to_vec(),
    }
}

fn prologue(form: &Form) -> Bytes {
    let mut out = bytes(form);
    out.put(b"\x17\x08\x44tracing");
    out.put(form.version.to_string().as_bytes());
    out.put(&[0, u8::from(form.big), form.long_size]);
    out.u32(form.page_size);
    out
}

fn header_info(form: &Form) -> Vec<u8> {
    let mut out = bytes(form);
    out.put(b"header_page\0");
    out.sized(&header_page(form));
    out.put(b"header_event\0");
    out.sized("# compressed entry header\n");
    out.out
}

fn event_formats(form: &Form) -> Vec<u8> {
    let mut out = bytes(form);
    out.u32(1);
    out.put(b"test\0");
    out.u32(1);
    out.sized(&sample_format());
    out.out
}

/// A whole recording. `options` are (number, data) pairs; the first instance is the top level.
pub fn write(form: &Form, instances: &[Instance], options: &[(u16, Vec<u8>)]) -> Vec<u8> {
    if form.version == 6 {
        write_v6(form, instances, options)
    } else {
        write_v7(form, instances, options)
    }
}

fn write_v6(form: &Form, instances: &[Instance], options: &[(u16, Vec<u8>)]) -> Vec<u8> {
    let mut out = prologue(form);
    out.put(&header_info(form));
    out.u32(0);
    out.put(&event_formats(form));
    out.u32(3);
    out.put(b"sym");
    out.u32(0);
    out.sized("77 saved name\n78 other\n");
    let cpus = instances[0].1.len();
    out.u32(cpus as u32);
    out.put(b"options  \0");
    for (id, data) in options {
        out.u16(*id);
        out.u32(data.len() as u32);
        out.put(data);
    }
    // The instances' tables follow the data of the top level; their offsets are patched below.
    let mut patches = Vec::new();
    for (name, _) in &instances[1..] {
        out.u16(3);
        out.u32(8 + name.len() as u32 + 1);
        patches.push(out.out.len());
        out.u64(0);
        out.put(name.as_bytes());
        out.put(&[0]);
    }
    out.u16(0);
    for (index, (_, streams)) in instances.iter().enumerate() {
        if index > 0 {
            let mut offset = bytes(form);
            offset.u64(out.out.len() as u64);
            let at = patches[index - 1];
            out.out[at..at + 8].copy_from_slice(&offset.out);
        }
        out.put(b"flyrecord\0");
        let clock = "local global [mono] boot";
        let table = out.out.len();
        let clock_len = if index == 0 { 8 + clock.len() } else { 0 };
        let mut at = (table + cpus * 16 + clock_len).next_multiple_of(form.page_size as usize);
        let data: Vec<Vec<u8>> = streams.iter().map(|samples| pages(form, samples)).collect();
        for stream in &data {
            out.u64(at as u64);
            out.u64(stream.len() as u64);
            at += stream.len();
        }
        if index == 0 {
            out.sized(clock);
        }
        let aligned = out.out.len().next_multiple_of(form.page_size as usize);
        out.out.resize(aligned, 0);
        for stream in &data {
            out.put(stream);
        }
    }
    out.out
}

fn section(form: &Form, id: u16, data: &[u8], compressed: bool) -> Vec<u8> {
    let mut out = bytes(form);
    out.u16(id);
    out.u16(u16::from(compressed));
    out.u32(0);
    if compressed {
        let packed = compress(form, data);
        out.u64(packed.len() as u64 + 8);
        out.u32(packed.len() as u32);
        out.u32(data.len() as u32);
        out.put(&packed);
    } else {
        out.u64(data.len() as u64);
        out.put(data);
    }
    out.out
}

fn write_v7(form: &Form, instances: &[Instance], options: &[(u16, Vec<u8>)]) -> Vec<u8> {
    let packed = form.compression != "none";
    let mut out = prologue(form);
    out.put(form.compression.as_bytes());
    out.put(b"\x001.0\0");
    let first = out.out.len();
    out.u64(0);
    let mut list: Vec<(u16, Vec<u8>)> = options.to_vec();
    let mut saved = bytes(form);
    saved.sized("77 saved name\n78 other\n");
    let mut none = bytes(form);
    none.u32(0);
    for (id, data) in [
        (16, header_info(form)),
        (17, none.out),
        (18, event_formats(form)),
        (21, saved.out),
    ] {
        let mut offset = bytes(form);
        offset.u64(out.out.len() as u64);
        list.push((id, offset.out));
        out.put(&section(form, id, &data, packed));
    }
    for (name, streams) in instances {
        let at = out.out.len();
        let mut option = bytes(form);
        option.u64(at as u64);
        option.put(name.as_bytes());
        option.put(b"\0mono\0");
        if form.page_size_in_option {
            option.u32(form.page_size);
        }
        option.u32(streams.len() as u32);
        let mut head = bytes(form);
        head.u16(3);
        head.u16(u16::from(packed));
        head.u32(0);
        head.u64(0);
        out.put(&head.out);
        for (cpu, samples) in streams.iter().enumerate() {
            let pages = pages(form, samples);
            let aligned = out.out.len().next_multiple_of(form.page_size as usize);
            out.out.resize(aligned, 0);
            option.u32(cpu as u32);
            option.u64(out.out.len() as u64);
            if packed && !pages.is_empty() {
                // Two pages a chunk; the size leaves out the count's own four bytes, as trace-cmd's does.
                let chunks: Vec<&[u8]> = pages.chunks(2 * form.page_size as usize).collect();
                let start = out.out.len();
                out.u32(chunks.len() as u32);
                for chunk in chunks {
                    let small = compress(form, chunk);
                    out.u32(small.len() as u32);
                    out.u32(chunk.len() as u32);
                    out.put(&small);
                }
                option.u64((out.out.len() - start - 4) as u64);
            } else {
                option.u64(pages.len() as u64);
                out.put(&pages);
            }
        }
        let mut size = bytes(form);
        size.u64((out.out.len() - at - 16) as u64);
        out.out[at + 8..at + 16].copy_from_slice(&size.out);
        list.push((3, option.out));
    }
    let mut next = 0_u64;
    // Two sections of options, the second reached through the first's end mark.
    let (early, late) = list.split_at(list.len() / 2);
    for part in [late, early] {
        let mut data = bytes(form);
        for (id, option) in part {
            data.u16(*id);
            data.u32(option.len() as u32);
            data.put(option);
        }
        data.u16(0);
        data.u32(8);
        data.u64(next);
        next = out.out.len() as u64;
        out.put(&section(form, 0, &data.out, false));
    }
    let mut offset = bytes(form);
    offset.u64(next);
    out.out[first..first + 8].copy_from_slice(&offset.out);
    out.out
}

/// A 32-bit option value in the recording's byte order.
pub fn number32(form: &Form, values: &[u32]) -> Vec<u8> {
    let mut out = bytes(form);
    for &value in values {
        out.u32(value);
    }
    out.out
}

/// 64-bit option values in the recording's byte order.
pub fn number64(form: &Form, values: &[u64]) -> Vec<u8> {
    let mut out = bytes(form);
    for &value in values {
        out.u64(value);
    }
    out.out
}
