//! Detection of logs of requests.

use crate::read::{is_otlp, read};

/// Lines that are looked at.
const LOOKED_AT: usize = 16;

/// Returns whether a file begins like a log of requests: with names for start and duration, or with lines of one request each.
///
/// A table without names must have exactly two columns: others of numbers alone may be anything.
#[must_use]
pub fn sniff(head: &[u8]) -> bool {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // A letter may be cut by the end of what is looked at.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    if is_otlp(text) {
        return true;
    }
    // So may be the last line.
    let whole = text.rfind('\n').map_or(text, |end| &text[..end]);
    let lines = whole.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first: Vec<&str> = lines.take(LOOKED_AT).collect();
    let columns = |line: &&str| line.split([',', ';', '\t']).count();
    let is_number = |c: char| c.is_ascii_digit() || " ,;.\t+-:TZ".contains(c);
    let unnamed = first.iter().all(|line| line.chars().all(is_number));
    let separated = first.iter().any(|line| columns(line) > 1);
    let fits = !unnamed || !separated || first.iter().all(|line| columns(line) == 2);
    !first.is_empty() && fits && read(&first.join("\n"), (0, u64::MAX)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_differs_from_other_texts() {
        for log in [
            "3730539095252,7378000\n3730539095299,7",
            "# client\nstart_ns,duration_ns\n1,2\n",
            "{\"timestamp\": \"2026-11-27T07:19:22Z\", \"latency_ms\": 3}\n{\"time",
            "0 1 1335 0 1795763579 102136 92\n",
            "2026-11-27T07:19:22.415Z;0.5\n",
            "{\n  \"resourceSpans\": [{\"scopeSpans\": [{\"spans\": [{\"na",
            "1795763962.415 0.012 200 \"GET / HTTP/1.1\"\n",
            "[2026-11-27T07:19:22.415Z] \"GET / HTTP/1.1\" 200 - 0 5 12 11 \"-\"\n",
            "starttime\tseconds\tctime\tdtime\tttime\twait\nFri Nov 27 07:19:22 2026\t1795763962\t0\t3\t4\t3\n",
        ] {
            assert!(sniff(log.as_bytes()), "{log}");
        }
        for other in [
            "",
            "hello",
            "0,0,0,0,,0,0\n1,0,0,0,,0,0\n",
            "1,2\n3,4,5\n",
            "1\n2\n",
            "{\"start\": 1}\n",
            "{\"time\": 5, \"psi\": {}}\n",
            "cpu,time\n1,2\n",
            "1795763962 12 200 /\n",
        ] {
            assert!(!sniff(other.as_bytes()), "{other}");
        }
        assert!(!sniff(b"1,\xff\n"));
    }
}
