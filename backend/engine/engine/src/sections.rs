//! The sections of all subjects over a window, answered from what the bundle holds of the replay. No event is read.

use std::collections::BTreeMap;

use numalens_bundle::Error;
use numalens_core::json::for_browser;
use numalens_subject::Context;
use numalens_subject::section::{components, generator, json};
use schemars::Schema;
use serde::Serialize;

use crate::catalogue::Catalogue;
use crate::decisions::Compared;
use crate::metrics::Table;
use crate::report::Report;
use crate::subjects::{descriptions, sections};

/// The names of all sections.
pub fn section_names() -> impl Iterator<Item = &'static str> {
    sections().map(|section| section.name)
}

/// The answer of a section over a window, as JSON. With `browser` moments are decimal strings.
///
/// # Errors
///
/// Fails when there is no such section, an option is wrong or a log cannot be read.
pub fn analyse(
    open: &Context,
    section: &str,
    window: (u64, u64),
    options: &str,
    browser: bool,
) -> Result<Vec<u8>, Error> {
    let Some(section) = sections().find(|found| found.name == section) else {
        let names: Vec<&str> = section_names().collect();
        return Err(Error::Wrong(format!(
            "expected a section ({}), found \"{section}\"",
            names.join(", ")
        )));
    };
    let answer = || (section.answer)(open, window, options);
    if browser {
        for_browser(answer)
    } else {
        answer()
    }
}

/// Description of a section for the service, with the schemas of its options and of its answer.
#[derive(Serialize)]
struct Described {
    about: &'static str,
    options: Schema,
    answer: Schema,
}

/// The sections of the service and the report, and what their answers refer to.
#[derive(Serialize)]
struct Description {
    sections: BTreeMap<&'static str, Described>,
    components: serde_json::Map<String, serde_json::Value>,
    report: Schema,
    report_components: serde_json::Map<String, serde_json::Value>,
}

/// The JSON schemas of the options of each section.
///
/// # Errors
///
/// Fails when a schema is not JSON.
pub fn options() -> Result<Vec<u8>, Error> {
    let options: BTreeMap<_, _> = sections()
        .map(|section| (section.name, for_browser(section.options)))
        .collect();
    json(&options)
}

/// The JSON schemas of the sections that the service has, as they are written for a browser, and of the report, whose moments
/// are numbers.
///
/// # Errors
///
/// Fails when a schema is not JSON.
pub fn schemas() -> Result<Vec<u8>, Error> {
    let mut generator = generator();
    let described = descriptions().filter_map(|(section, describe)| {
        let described = Described {
            options: for_browser(section.options),
            answer: for_browser(|| describe(&mut generator)),
            about: section.about?,
        };
        Some((section.name, described))
    });
    let sections = described.collect();
    // Not sections.
    for_browser(|| {
        generator.subschema_for::<Catalogue>();
        generator.subschema_for::<Table<'_>>();
        generator.subschema_for::<Compared>();
    });
    let mut of_report = numalens_subject::section::generator();
    let report = of_report.subschema_for::<Report>();
    json(&Description {
        sections,
        components: for_browser(|| components(generator)),
        report,
        report_components: components(of_report),
    })
}
