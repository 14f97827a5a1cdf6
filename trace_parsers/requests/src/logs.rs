//! Logs of servers and of programs that make load, each by the form of its lines.

use serde::Deserialize;

use crate::request::{Request, Unit, decimal, iso, scaled};

/// Reads the line of a log of envoy in its default format: `[START] "REQUEST" CODE FLAGS RECEIVED SENT DURATION ...`, durations in ms.
pub(super) fn envoy(line: &str) -> Option<Request> {
    let (start, rest) = line.strip_prefix('[')?.split_once("] \"")?;
    let (_, rest) = rest.split_once("\" ")?;
    let duration = rest.split(' ').nth(4)?;
    Some(Request {
        start_ns: iso(start).filter(|_| start.contains('.'))?,
        ns: scaled(decimal(duration)?, Unit::Ms)?,
        tid: None,
    })
}

/// Reads the line of a log of nginx whose format has `$msec` and `$request_time`: the first two fields, or `msec=` and `request_time=`
/// (`rt=`) among others. A request is logged when it ends.
pub(super) fn nginx(line: &str) -> Option<Request> {
    let field = |names: &[&str]| {
        let mut fields = line.split([' ', '\t', ',']);
        fields.find_map(|field| {
            let (name, value) = field.trim_matches('"').split_once('=')?;
            names.contains(&name).then(|| value.trim_matches('"'))
        })
    };
    let mut first = line.split([' ', '\t']);
    let named = field(&["msec"]).zip(field(&["request_time", "rt"]));
    let (end, duration) = named.or_else(|| Some((first.next()?, first.next()?)))?;
    let millis = |text: &str| {
        text.rsplit_once('.')
            .is_some_and(|(_, digits)| digits.len() == 3)
    };
    if !millis(end) || !millis(duration) {
        return None;
    }
    let end_ns = scaled(decimal(end)?, Unit::S)?;
    let ns = scaled(decimal(duration)?, Unit::S)?;
    Some(Request {
        start_ns: end_ns.checked_sub(ns)?,
        ns,
        tid: None,
    })
}

/// Kind of a text without single requests, or with times too coarse to place them; `None` for others.
pub(super) fn refused(first: &str) -> Option<&'static str> {
    if first.starts_with("Running ") && first.contains(" test @ ") {
        return Some(
            "wrk prints no single requests; log them in its script (function response) as start_us,duration_us",
        );
    }
    // 27/Nov/2026:07:19:22 +0000
    let clf = first
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    let clf = clf.is_some_and(|(time, _)| {
        let mut parts = time.split(['/', ':', ' ']);
        let numbers = [parts.next(), parts.nth(1), parts.next()];
        time.contains('/')
            && numbers
                .iter()
                .flatten()
                .all(|part| part.parse::<u32>().is_ok())
    });
    clf.then_some(
        "its times have whole seconds only; log $msec and $request_time (nginx), or START_TIME with milliseconds (envoy)",
    )
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Traces {
    resource_spans: Vec<ResourceSpans>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans {
    #[serde(default, alias = "instrumentationLibrarySpans")]
    scope_spans: Vec<ScopeSpans>,
}

#[derive(Deserialize)]
struct ScopeSpans {
    #[serde(default)]
    spans: Vec<Span>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Span {
    #[serde(default)]
    parent_span_id: String,
    start_time_unix_nano: Number,
    end_time_unix_nano: Number,
    #[serde(default)]
    kind: serde_json::Value,
    #[serde(default)]
    attributes: Vec<Attribute>,
}

/// 64-bit numbers are texts in the JSON of protobuf.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Number(u64),
    Text(String),
}

impl Number {
    fn value(&self) -> Option<u64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Text(text) => text.parse().ok(),
        }
    }
}

#[derive(Deserialize)]
struct Attribute {
    key: String,
    value: serde_json::Value,
}

impl Span {
    /// True for the work of a server for a request from outside.
    fn is_server(&self) -> bool {
        self.kind == 2 || self.kind == "SPAN_KIND_SERVER"
    }

    fn request(&self) -> Result<Request, String> {
        let times = self
            .start_time_unix_nano
            .value()
            .zip(self.end_time_unix_nano.value());
        let times = times.and_then(|(start, end)| Some((start, end.checked_sub(start)?)));
        let (start_ns, ns) = times.ok_or("expected a span that ends after it starts")?;
        let mut attributes = self.attributes.iter();
        let thread = attributes.find(|attribute| attribute.key == "thread.id");
        let tid = thread.and_then(|thread| {
            let value = thread.value.get("intValue")?;
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            text.parse().ok()
        });
        Ok(Request { start_ns, ns, tid })
    }
}

/// Reads spans of OpenTelemetry (OTLP as JSON): one document, or one a line. Requests are the spans of servers; without any, those
/// without a parent.
pub(super) fn otlp(text: &str) -> Result<Vec<Request>, String> {
    let mut spans = Vec::new();
    for traces in serde_json::Deserializer::from_str(text).into_iter::<Traces>() {
        let traces = traces.map_err(|error| format!("expected spans of OTLP: {error}"))?;
        let scopes = traces
            .resource_spans
            .into_iter()
            .flat_map(|it| it.scope_spans);
        spans.extend(scopes.flat_map(|scope| scope.spans));
    }
    let servers = spans.iter().any(Span::is_server);
    let chosen = spans.iter().filter(|span| {
        if servers {
            span.is_server()
        } else {
            span.parent_span_id.is_empty()
        }
    });
    chosen.map(Span::request).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const END_NS: u64 = 1_795_763_962_415_000_000;

    #[test]
    fn envoy_logs_starts_and_nginx_ends() {
        let line = "[2026-11-27T07:19:22.415Z] \"GET / HTTP/1.1\" 200 - 0 5 12 11 \"-\" \"curl\" \"id\" \"host\" \"10.0.0.1:80\"";
        let request = envoy(line).unwrap();
        assert_eq!((request.start_ns, request.ns), (END_NS, 12_000_000));
        for line in [
            "1795763962.415 0.012 200 /",
            "10.0.0.1 \"GET / HTTP/1.1\" 200 msec=1795763962.415 rt=0.012",
        ] {
            let request = nginx(line).unwrap();
            assert_eq!(
                (request.start_ns, request.ns),
                (END_NS - 12_000_000, 12_000_000)
            );
        }
        // Without milliseconds a request cannot be placed.
        assert_eq!(
            envoy("[2026-11-27T07:19:22Z] \"GET / HTTP/1.1\" 200 - 0 5 12 11"),
            None
        );
        assert_eq!(nginx("1795763962 12"), None);
    }

    #[test]
    fn texts_without_requests_are_refused() {
        assert!(
            refused("Running 10s test @ http://localhost/")
                .unwrap()
                .starts_with("wrk prints")
        );
        let combined =
            "::1 - - [27/Nov/2026:07:19:22 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"curl\"";
        assert!(refused(combined).unwrap().contains("$msec"));
        assert_eq!(refused("start_ns,duration_ns"), None);
        assert_eq!(refused("1,2 [x]"), None);
    }

    #[test]
    fn requests_are_the_spans_of_servers_or_those_without_a_parent() {
        let span = |kind: u8, parent: &str| {
            format!(
                "{{\"spanId\":\"a\",\"parentSpanId\":\"{parent}\",\"kind\":{kind},\"startTimeUnixNano\":\"1000\",\"endTimeUnixNano\":\"3000\",\"attributes\":[{{\"key\":\"thread.id\",\"value\":{{\"intValue\":\"7\"}}}}]}}"
            )
        };
        let traces = |spans: &str| {
            format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{spans}]}}]}}]}}\n")
        };
        let all = traces(&format!(
            "{},{},{}",
            span(3, ""),
            span(2, "b"),
            span(1, "b")
        ));
        let read = otlp(&all).unwrap();
        assert_eq!(
            read,
            [Request {
                start_ns: 1_000,
                ns: 2_000,
                tid: Some(7)
            }]
        );
        let roots = format!("{}{}", traces(&span(1, "")), traces(&span(1, "b")));
        assert_eq!(otlp(&roots).unwrap().len(), 1);
        assert!(otlp("{\"resourceSpans\": 5}").is_err());
    }
}
