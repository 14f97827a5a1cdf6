//! Logs of requests that real programs wrote.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;

use numalens_requests::{Request, read};

/// The requests of a fixture, or why it has none.
fn requests(name: &str) -> Result<Vec<Request>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/fixtures/requests");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    read(&text, (5_000_000_000, 9_000_000_000))
}

#[test]
fn logs_of_real_programs_are_read() {
    // It was logged at 1795815145.709 and took less than a millisecond.
    for name in ["nginx.log", "nginx-fields.log", "nginx-json.log"] {
        let read = requests(name).unwrap();
        assert_eq!(read.len(), 3, "{name}");
        assert_eq!(read[0].start_ns, 1_795_815_145_709_000_000, "{name}");
        assert_eq!(read[0].ns, 0, "{name}");
    }
    let read = requests("ab.tsv").unwrap();
    assert_eq!(read.len(), 3);
    assert_eq!(read[0].start_ns, 1_795_815_145_000_000_000);
}

#[test]
fn logs_without_what_it_takes_say_what_does() {
    assert!(
        requests("nginx-combined.log")
            .unwrap_err()
            .contains("$msec")
    );
    assert!(requests("wrk.txt").unwrap_err().contains("script"));
}
