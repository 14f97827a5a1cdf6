//! Adds the binary seeds to the archives: `cargo test -p numalens-fuzz --test seeds -- --ignored`. Text seeds are the first
//! lines of real recordings.
#![allow(missing_docs, clippy::unwrap_used, dead_code, unreachable_pub)]

#[path = "../../perf_data/tests/support/memory.rs"]
#[allow(clippy::pedantic)]
mod memory;
#[path = "../../trace_dat/tests/support/writer.rs"]
#[allow(clippy::pedantic)]
mod trace_dat;
/// The writer of perf.data.
#[path = "../../perf_data/tests/support/writer.rs"]
#[allow(clippy::pedantic)]
mod writer;

use std::io::Write;
use std::path::Path;

use numalens_fuzz::{Seeds, keep, seeds};

/// Adds seeds to those of a target.
fn add(target: &str, more: Seeds) {
    let mut all = seeds(target).unwrap_or_default();
    all.extend(more);
    keep(target, &all).unwrap();
}

#[test]
#[ignore = "writes files"]
fn trace_dat_in_every_form() {
    use trace_dat::{Form, Sample, number32, number64, write};
    let mut seeds = Seeds::new();
    for form in Form::all() {
        let cpu = |from: u64| -> Vec<Sample> {
            let mut samples: Vec<Sample> = (0..6)
                .map(|i| Sample::new(from + i * 40_000_000, i as i32, "task"))
                .collect();
            samples[3].lost = Some(Some(5));
            samples
        };
        let instances = [("", vec![cpu(1000), cpu(1003)]), ("two", vec![cpu(7)])];
        let options = vec![
            (1, b"0x10\0".to_vec()),
            (4, b"local [mono]\0".to_vec()),
            (2, b"CPU: 0\nentries: 6\nread events: 0\n\0".to_vec()),
            (
                14,
                [number32(&form, &[3, 1]), number64(&form, &[0])].concat(),
            ),
        ];
        let order = if form.big { "be" } else { "le" };
        let size = if form.page_size_in_option {
            "-sized"
        } else {
            ""
        };
        let name = format!(
            "v{}-{order}{}-{}{size}",
            form.version, form.long_size, form.compression
        );
        seeds.insert(name, write(&form, &instances, &options));
    }
    add("trace_dat", seeds);
}

#[test]
#[ignore = "writes files"]
fn perf_data_in_every_form() {
    use writer::{Form, Item, write};
    let followed = memory::first(Form::PLAIN, memory::Story::Followed, true, 8);
    let mut seeds = Seeds::from([("file-le-memory".to_owned(), followed)]);
    for form in Form::all() {
        let items = [
            Item::Mini(100, 0, 1, vec![1, 2]),
            Item::Fault(110, 1, 0x1000),
            Item::Lost(120, 0, 3),
            Item::Mini(130, 0, -1, vec![]),
            Item::Mini(90, 1, 7, vec![u64::MAX]),
        ];
        let order = if form.big { "be" } else { "le" };
        let shape = if form.pipe { "pipe" } else { "file" };
        let packed = form.packed.map_or(String::new(), |kind| format!("-{kind}"));
        seeds.insert(format!("{shape}-{order}{packed}"), write(form, &items));
    }
    add("perf_data", seeds);
}

#[test]
#[ignore = "writes files"]
fn bundles() {
    use numalens_bundle::{Files, IngestRequest, Memory, Progress, ingest};
    use numalens_columns::SliceSource;
    let mut made = Seeds::new();
    for (name, target, inputs, lines) in [
        ("events", "ftrace_text", &["tc-multi.report"][..], 40),
        ("stacks", "ftrace_text", &["stacks.report"], 70),
        (
            "samples",
            "samples",
            &["cling-2x4-small.psi.jsonl", "tc-small.vmstat.jsonl"],
            4,
        ),
    ] {
        let known = seeds(target).unwrap();
        let texts: Vec<String> = inputs
            .iter()
            .map(|input| {
                let text = std::str::from_utf8(&known[*input]).unwrap();
                text.lines()
                    .take(lines)
                    .flat_map(|line| [line, "\n"])
                    .collect()
            })
            .collect();
        let request = IngestRequest {
            inputs: inputs
                .iter()
                .zip(&texts)
                .map(|(input, text)| {
                    let source = Box::new(SliceSource(text.as_bytes()));
                    ((*input).to_owned(), source as _)
                })
                .collect(),
            ..IngestRequest::default()
        };
        let files = Memory::default();
        ingest(request, &files, &mut Progress::new(None)).unwrap();
        let members: Vec<_> = files
            .names()
            .into_iter()
            .map(|name| (files.whole(&name).unwrap(), name))
            .collect();
        let members = members
            .iter()
            .map(|(bytes, name)| (name.as_str(), bytes.as_slice()));
        made.insert(name.to_owned(), numalens_fuzz::packed(members));
        let recordings = inputs.iter().zip(&texts);
        let recordings = recordings.map(|(input, text)| (*input, text.as_bytes()));
        made.insert(
            format!("{name}-recordings"),
            numalens_fuzz::packed(recordings),
        );
    }
    add("bundle", made);
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn tarred(files: &[(&str, tar::EntryType, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, kind, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(*kind);
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        if kind.is_symlink() {
            header.set_link_name("elsewhere").unwrap();
        }
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

#[test]
#[ignore = "writes files"]
fn archives_of_every_kind() {
    use tar::EntryType;
    let mut seeds = Seeds::new();
    let mut put = |name: &str, bytes: &[u8]| drop(seeds.insert(name.to_owned(), bytes.to_vec()));
    let long = "n".repeat(140);
    let text = b"some avg10=0.00\n".repeat(30);
    let files = [
        ("a/psi", EntryType::Regular, &text[..]),
        (&long, EntryType::Regular, b"long name"),
        ("link", EntryType::Symlink, b""),
        ("folder/", EntryType::Directory, b""),
        ("last", EntryType::Regular, b"end"),
    ];
    let plain = tarred(&files);
    put("tar", &plain);
    put("tar-cut", &plain[..plain.len() - 1200]);
    let pax = [b"19 path=of/the/pax\n".as_slice(), b"10 size=3\n"].concat();
    let records = tarred(&[
        ("pax", EntryType::XHeader, &pax),
        ("x", EntryType::Regular, b"abc"),
        ("hole", EntryType::Fifo, b""),
    ]);
    put("tar-pax", &records);
    put("tgz", &gz(&plain));
    put("tar-zst", &zstd::bulk::compress(&plain, 3).unwrap());
    put("gz-two-members", &[gz(&text), gz(b"more")].concat());
    let frame = zstd::bulk::compress(&text, 3).unwrap();
    put(
        "zst-two-frames",
        &[b"\x50\x2a\x4d\x18\x03\0\0\0abc", &frame[..], &frame].concat(),
    );
    for (name, large, method) in [
        ("zip", false, zip::CompressionMethod::Deflated),
        ("zip-stored-wide", true, zip::CompressionMethod::Stored),
    ] {
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(method)
            .large_file(large);
        let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (file, bytes) in [("a/psi", &text[..]), ("b", b"short"), ("../c", b"unsafe")] {
            writer.start_file(file, options).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.add_symlink("link", "b", options).unwrap();
        let bytes = writer.finish().unwrap().into_inner();
        put(name, &bytes);
        put(&format!("{name}-cut"), &bytes[..bytes.len() * 2 / 3]);
    }
    let mut writer = zip::ZipWriter::new_stream(Vec::new());
    writer
        .start_file("streamed", zip::write::SimpleFileOptions::default())
        .unwrap();
    writer.write_all(&text).unwrap();
    put("zip-streamed", &writer.finish().unwrap().into_inner());
    add("archive", seeds);
}

#[test]
#[ignore = "writes files"]
fn event_formats_with_records() {
    let mut seeds = Seeds::new();
    for (name, field, size) in [
        ("array", "u16 words[6]", 12),
        ("text", "char comm[16]", 16),
        ("dynamic", "__data_loc char[] name", 4),
        ("relative", "__rel_loc u8[] words", 4),
        ("long", "unsigned long value", 8),
        ("bitmask", "__data_loc cpumask_t mask", 4),
    ] {
        let mut bytes = b"name: seed\nID: 12\nformat:\n".to_vec();
        for line in [
            "unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;".to_owned(),
            "int common_pid;\toffset:4;\tsize:4;\tsigned:1;".to_owned(),
            format!("{field};\toffset:8;\tsize:{size};\tsigned:0;"),
            "char rest[];\toffset:24;\tsize:0;\tsigned:1;".to_owned(),
        ] {
            bytes.extend(format!("\tfield:{line}\n").bytes());
        }
        bytes.extend(b"\nprint fmt: \"%d\", REC->value\n\0");
        let record: Vec<u8> = (0..40).collect();
        let mut located = record.clone();
        located[8..12].copy_from_slice(&[24, 0, 8, 0]);
        for record in [&record[..], &located, &record[..9], b""] {
            bytes.push(record.len() as u8);
            bytes.extend(record);
        }
        seeds.insert(name.to_owned(), bytes);
    }
    add("event_format", seeds);
}

/// A tar of plain files.
fn of_files(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let files: Vec<_> = files
        .iter()
        .map(|(name, bytes)| (name.as_str(), tar::EntryType::Regular, bytes.as_slice()))
        .collect();
    tarred(&files)
}

#[test]
#[ignore = "writes files"]
fn spread_over_folders() {
    use writer::{Form, Item, write};
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/fixtures/pages.tar.gz");
    let pages = flate2::read::GzDecoder::new(std::fs::File::open(pages).unwrap());
    let mut files = Vec::new();
    for entry in tar::Archive::new(pages).entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_str().unwrap().to_owned();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
        if ["header_page", "sched_switch/format", "core_id"]
            .iter()
            .any(|end| name.ends_with(end))
        {
            files.push((name, bytes));
        } else if name.contains("traces/cpu") {
            bytes.truncate(4096);
            files.push((name, bytes));
        }
    }
    let mut seeds = Seeds::from([("pages".to_owned(), of_files(&files))]);
    for form in Form::all().into_iter().filter(|form| !form.pipe) {
        let items = [
            Item::Mini(100, 0, 1, vec![1, 2]),
            Item::Fault(110, 1, 0x1000),
            Item::Mini(130, 0, -1, vec![]),
        ];
        let head = write(form, &items);
        let number = |at: usize| {
            let bytes = head[at..at + 8].try_into().unwrap();
            if form.big {
                u64::from_be_bytes(bytes)
            } else {
                u64::from_le_bytes(bytes)
            }
        };
        let (start, size) = (number(40) as usize, number(48) as usize);
        let records = head[start..start + size].to_vec();
        let order = if form.big { "be" } else { "le" };
        let packed = form.packed.map_or(String::new(), |kind| format!("-{kind}"));
        let files = [
            ("p/data", head.clone()),
            ("p/data.0", records.clone()),
            ("p/data.1", records),
        ];
        let files = files.map(|(name, bytes)| (name.to_owned(), bytes));
        seeds.insert(format!("perf-{order}{packed}"), of_files(&files));
    }
    add("spread", seeds);
}
