//! Version of the traced kernel, from recordings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of a kernel: the rules of pressure depend on it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct KernelVersion {
    /// First number of the release.
    pub major: u16,
    /// Second number of the release.
    pub minor: u16,
}

impl KernelVersion {
    /// The version in a recording's text about its kernel: `uname` (`Linux host 6.1.0-56-amd64 x86_64`) or a release
    /// alone (`6.18.44-fc`). `None` when it holds no release.
    #[must_use]
    pub fn of(kernel: &str) -> Option<Self> {
        let mut words = kernel.split_whitespace().peekable();
        if words.next_if_eq(&"Linux").is_some() {
            // A machine may be named like a release, or by its address; but a text may also leave its name out.
            let mut after = words.clone();
            after.next();
            if let Some(version) = after.find_map(release) {
                return Some(version);
            }
        }
        words.find_map(release)
    }
}

/// The first two numbers of a word that begins like a release.
fn release(word: &str) -> Option<KernelVersion> {
    let mut numbers = word.splitn(3, '.');
    let major = numbers.next()?.parse().ok()?;
    let rest = numbers.next()?;
    let digits = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let minor = rest[..digits].parse().ok()?;
    Some(KernelVersion { major, minor })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_recorders_write() {
        for (text, version) in [
            ("Linux (none) 6.1.0-56-amd64 x86_64", Some((6, 1))),
            ("6.18.44-fc-v669", Some((6, 18))),
            ("Linux 10.0.0.7 4.20.3 x86_64", Some((4, 20))),
            ("Linux 5.17-rc5", Some((5, 17))),
            ("3.1", Some((3, 1))),
            ("7.2.13+deb14-amd64", Some((7, 2))),
            ("Linux vm", None),
            ("", None),
            ("99999999.1", None),
        ] {
            let found = KernelVersion::of(text).map(|version| (version.major, version.minor));
            assert_eq!(found, version, "{text}");
        }
    }
}
