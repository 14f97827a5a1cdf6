//! Functions of programs that came along with a perf.data, and what perf itself names.

use super::stacks::{Folded, ask, folded};
use super::*;
use serde_json::json;

const PIE: &str = "symbols/burn.data.tar.bz2";

/// The stacks as perf prints them, of programs all of whose functions it knows.
fn expected(text: &str) -> Folded {
    let text = std::fs::read_to_string(sample(text)).unwrap();
    let mut lines = text.lines().filter(|line| line.contains("(/opt/burn/"));
    assert!(lines.all(|line| !line.contains("[unknown]")));
    let mut found = Folded::new();
    for block in text.split("\n\n").filter(|block| !block.trim().is_empty()) {
        let frames = block.lines().filter(|line| line.starts_with('\t'));
        let mut way: Vec<(String, String)> = frames
            .map(|line| {
                let (address, rest) = line.trim().split_once(' ').unwrap();
                let (symbol, module) = rest.rsplit_once(" (").unwrap();
                match symbol.rsplit_once("+0x") {
                    Some((name, _)) => (name.to_owned(), module.trim_end_matches(')').to_owned()),
                    None => (format!("0x{address}"), String::new()),
                }
            })
            .collect();
        way.reverse();
        *found.entry(way).or_default() += 1;
    }
    assert_eq!(found.values().sum::<u64>(), 86);
    found
}

fn missing(answer: &Value) -> Vec<(&str, &str)> {
    let files = answer["files_without_functions"].as_array().unwrap().iter();
    files
        .map(|file| {
            (
                file["file"].as_str().unwrap(),
                file["build_id"].as_str().unwrap(),
            )
        })
        .collect()
}

fn notes(made: &Made) -> String {
    made.manifest["notes"].to_string()
}

#[test]
fn functions_of_programs_are_those_of_perf_script() {
    // Build ids in the header, and in the records of mappings; position-independent, fixed, and stripped with separate symbols.
    for name in ["burn", "burn-mmap"] {
        let data = format!("symbols/{name}.data.zst");
        let made = made(&[&data, PIE, "symbols/stripped.debug.zst"]);
        let answer = ask(&made.open, "stacks", &json!({}));
        let script = format!("symbols/{name}.script.txt");
        assert_eq!(folded(&answer), expected(&script), "{name}");
        assert_eq!(missing(&answer), []);
        assert!(!notes(&made).contains("build id"), "{}", notes(&made));
    }
}

#[test]
fn what_did_not_come_along_is_named_with_its_build_id() {
    let made = made(&["symbols/burn.data.zst", "symbols/fixed.zst"]);
    let answer = ask(&made.open, "stacks", &json!({}));
    let mut files = missing(&answer);
    files.sort_unstable();
    assert_eq!(
        files,
        [
            ("/opt/burn/pie", "db53d03bf19bcfd77eb477653bdf88ba5d15aa55"),
            (
                "/opt/burn/stripped",
                "6b0f03b85ec5e2974508d8578608abe805fa4fe7"
            )
        ]
    );
    let functions = answer["functions"].as_array().unwrap().iter();
    let of = |wanted: &'static str| {
        let found = functions.clone().filter(move |it| it["module"] == wanted);
        found.map(|it| it["name"].as_str().unwrap().to_owned())
    };
    assert!(of("/opt/burn/fixed").all(|name| !name.contains("+0x")));
    assert!(of("/opt/burn/pie").all(|name| name.starts_with("pie+0x")));
}

#[test]
fn a_file_of_another_build_names_nothing() {
    // The same program, path and functions, and another build.
    let made = made(&["symbols/burn.data.zst", "symbols/pie-rebuilt.zst"]);
    let answer = ask(&made.open, "stacks", &json!({}));
    let functions = answer["functions"].as_array().unwrap();
    let named = |it: &&Value| it["name"] == "burn";
    assert_eq!(functions.iter().find(named), None);
    assert_eq!(missing(&answer).len(), 3);
    let notes = notes(&made);
    assert!(
        notes.contains("No recording has a mapping with the build ID of pie-rebuilt"),
        "{notes}"
    );
}

#[test]
fn half_of_a_stripped_program_is_said_to_be_half() {
    let only_symbols = made(&["symbols/burn.data.zst", "symbols/stripped.debug.zst"]);
    let said = notes(&only_symbols);
    assert!(said.contains("add the program as well"), "{said}");
    let archive = made(&["symbols/burn.data.zst", PIE]);
    let said = notes(&archive);
    assert!(
        said.contains("is stripped: add its separate symbol file"),
        "{said}"
    );
}

#[test]
fn a_damaged_program_is_a_note_and_not_the_end() {
    let program = stacks::inflated(&std::fs::read(sample("symbols/fixed.zst")).unwrap());
    let mut inputs = named(&[sample("symbols/burn.data.zst")]);
    inputs.push(("cut".to_owned(), Box::new(program[..200].to_vec())));
    let made = try_request(IngestRequest {
        inputs,
        ..IngestRequest::default()
    });
    let notes = notes(&made.unwrap());
    assert!(
        notes.contains("cut: byte 0: expected a whole ELF file"),
        "{notes}"
    );
}
