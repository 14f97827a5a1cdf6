//! Names that stay inside the folder they are put into.

use std::collections::BTreeSet;
use std::ops::Bound;

/// Longest part of a name, bytes: what file systems take.
const MAX_PART: usize = 255;
/// Longest name, bytes: the kernel's `PATH_MAX`.
const MAX_NAME: usize = 4096;

/// Returns a relative path of plain parts joined by `/`, or the reason for which the name is invalid.
///
/// A backslash also separates parts, since some zip writers use it. `./` is dropped.
///
/// # Errors
/// The name is empty, leads upwards, begins at a root or drive, holds control characters or is too long.
pub fn safe_name(name: &str) -> Result<String, String> {
    if name.len() > MAX_NAME {
        return Err(format!("its name is longer than {MAX_NAME} bytes"));
    }
    if name.chars().any(char::is_control) {
        return Err("its name holds a control character".to_owned());
    }
    if name.starts_with(['/', '\\']) {
        return Err("its name starts at the root".to_owned());
    }
    let mut parts = Vec::new();
    for part in name.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => return Err("its name leads to a parent folder".to_owned()),
            part if part.len() > MAX_PART => {
                return Err(format!(
                    "a part of its name is longer than {MAX_PART} bytes"
                ));
            }
            part => parts.push(part),
        }
    }
    let Some(first) = parts.first() else {
        return Err("it has no name".to_owned());
    };
    if let [letter, b':', ..] = first.as_bytes()
        && letter.is_ascii_alphabetic()
    {
        return Err("its name begins at a drive".to_owned());
    }
    Ok(parts.join("/"))
}

/// The names given so far in one archive.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    /// The safe form of a name that no other entry has, as a file or as a folder of files.
    pub(crate) fn take(&mut self, name: &str) -> Result<String, String> {
        let safe = safe_name(name)?;
        if self.0.contains(&safe) {
            return Err("another entry before it has the same name".to_owned());
        }
        let folder = format!("{safe}/");
        let inside = self
            .0
            .range::<String, _>((Bound::Included(&folder), Bound::Unbounded));
        if inside
            .into_iter()
            .next()
            .is_some_and(|next| next.starts_with(&folder))
        {
            return Err("entries before it use its name as a folder".to_owned());
        }
        let mut slashes = safe.match_indices('/');
        if slashes.any(|(at, _)| self.0.contains(&safe[..at])) {
            return Err("a file before it has the name of its folder".to_owned());
        }
        self.0.insert(safe.clone());
        Ok(safe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in [
            "",
            ".",
            "./",
            "/etc/passwd",
            "\\x",
            "..",
            "a/../../b",
            "a\\..\\b",
            "C:x",
            "c:/x",
            "./D:\\x",
            "a\0b",
            "a\nb",
            "\u{85}",
        ] {
            assert!(safe_name(name).is_err(), "{name:?}");
        }
        assert!(safe_name(&"x".repeat(256)).is_err());
        assert!(safe_name(&"x/".repeat(3000)).is_err());
        assert_eq!(safe_name("./a//b\\c").as_deref(), Ok("a/b/c"));
        assert_eq!(safe_name("..a/b..").as_deref(), Ok("..a/b.."));
        assert_eq!(safe_name("ab:c").as_deref(), Ok("ab:c"));
        assert!(safe_name(&"x".repeat(255)).is_ok());
    }

    #[test]
    fn a_name_is_given_once() {
        let mut names = Names::default();
        assert_eq!(names.take("a/b").as_deref(), Ok("a/b"));
        assert!(names.take("./a//b").is_err());
        assert!(names.take("a").is_err(), "a is a folder already");
        assert!(names.take("a/b/c").is_err(), "a/b is a file already");
        assert_eq!(names.take("a-b").as_deref(), Ok("a-b"));
        assert_eq!(names.take("a/c").as_deref(), Ok("a/c"));
    }

    proptest! {
        #[test]
        fn a_safe_name_stays_inside(name in "[a.:/\\\\ \u{0}C-]{0,20}") {
            if let Ok(safe) = safe_name(&name) {
                let path = std::path::Path::new(&safe);
                prop_assert!(path.components().all(|part| matches!(part, std::path::Component::Normal(_))));
                prop_assert_eq!(safe_name(&safe), Ok(safe.clone()));
            }
        }
    }
}
