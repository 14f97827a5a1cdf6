//! The catalogue of all subjects.
#![allow(clippy::unwrap_used, missing_docs)]

use numalens_engine::{catalogue, section_names};

#[test]
fn the_catalogue_names_each_kind_once_and_in_words() {
    let rows: serde_json::Value = serde_json::from_slice(&catalogue().unwrap()).unwrap();
    let rows = rows["findings"].as_array().unwrap();
    let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap().to_owned();
    let mut ids: Vec<String> = rows.iter().map(|row| text(row, "id")).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rows.len());
    for row in rows {
        let meaning = text(row, "meaning");
        assert!(meaning.ends_with('.') && !meaning.contains(". "), "{row}");
        for key in ["title", "kernel", "threshold", "cost"] {
            assert!(!text(row, key).is_empty(), "{row}");
        }
        assert!(row["detect"].is_null());
        for key in ["section", "moment"] {
            let named = text(&row["evidence"], key);
            assert!(section_names().any(|name| name == named), "{row}");
        }
    }
}
