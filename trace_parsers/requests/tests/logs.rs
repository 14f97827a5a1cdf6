//! Logs of requests that real programs wrote: nginx 1.22.1, `ab -g` of Apache 2.4, wrk 4.1.
#![allow(clippy::unwrap_used, missing_docs)]

use numalens_requests::{Request, read};

/// A line of nginx with `log_format` of `$msec $request_time $status "$request"`.
const NGINX: &str = r#"1795815145.709 0.000 200 "GET / HTTP/1.0""#;
/// The same with `msec=$msec rt=$request_time`.
const NGINX_FIELDS: &str = r#"127.0.0.1 "GET / HTTP/1.0" 200 msec=1795815145.709 rt=0.000"#;
/// The same as JSON.
const NGINX_JSON: &str = r#"{"msec":"1795815145.709","request_time":"0.000","status":"200"}"#;
/// The same in nginx's own format.
const NGINX_COMBINED: &str =
    r#"127.0.0.1 - - [27/Nov/2026:21:32:25 +0000] "GET / HTTP/1.0" 200 2 "-" "ApacheBench/2.3""#;
/// The head and a line of `ab -g`.
const AB: [&str; 2] = [
    "starttime\tseconds\tctime\tdtime\tttime\twait",
    "Fri Nov 27 21:32:25 2026\t1795815145\t0\t0\t0\t0",
];
const WRK: &str = "\
Running 1s test @ http://127.0.0.1:18099/
  1 threads and 1 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   212.92us  813.88us  10.38ms   93.69%
    Req/Sec    44.25k     5.90k   50.45k    63.64%
  48277 requests in 1.10s, 6.86MB read
Requests/sec:  43861.39
Transfer/sec:      6.23MB
";

/// The requests of a log, or why it has none.
fn requests(text: &str) -> Result<Vec<Request>, String> {
    read(text, (5_000_000_000, 9_000_000_000))
}

#[test]
fn logs_of_real_programs_are_read() {
    // It was logged at 1795815145.709 and took less than a millisecond.
    for line in [NGINX, NGINX_FIELDS, NGINX_JSON] {
        let read = requests(&format!("{line}\n").repeat(3)).unwrap();
        assert_eq!(read.len(), 3, "{line}");
        assert_eq!(read[0].start_ns, 1_795_815_145_709_000_000, "{line}");
        assert_eq!(read[0].ns, 0, "{line}");
    }
    let [head, line] = AB;
    let read = requests(&format!("{head}\n{line}\n{line}\n{line}\n")).unwrap();
    assert_eq!(read.len(), 3);
    assert_eq!(read[0].start_ns, 1_795_815_145_000_000_000);
}

#[test]
fn logs_without_what_it_takes_say_what_does() {
    let combined = requests(&format!("{NGINX_COMBINED}\n").repeat(3));
    assert!(combined.unwrap_err().contains("$msec"));
    assert!(requests(WRK).unwrap_err().contains("script"));
}
