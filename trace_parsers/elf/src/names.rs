//! Names as their language writes them.

use std::fmt::{self, Write};

/// Longest name that is written, bytes: a short mangled name can expand to any length.
const LONGEST: usize = 4096;

/// Symbol as perf prints it: Rust's without the hash, C++'s without parameters and result, others unchanged.
pub(crate) fn demangled(name: &str) -> String {
    rust(name)
        .or_else(|| cpp(name))
        .unwrap_or_else(|| cut(name).to_owned())
}

fn rust(name: &str) -> Option<String> {
    let name = rustc_demangle::try_demangle(name).ok()?;
    let mut text = Limited::default();
    write!(text, "{name:#}").ok()?;
    Some(text.0)
}

fn cpp(name: &str) -> Option<String> {
    use cpp_demangle::{DemangleOptions, Symbol};

    if !name.starts_with("_Z") || name.len() > LONGEST {
        return None;
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    let mut text = Limited::default();
    let symbol = Symbol::new(name).ok()?;
    symbol.structured_demangle(&mut text, &options).ok()?;
    Some(text.0)
}

/// Takes so many bytes and no more.
#[derive(Default)]
struct Limited(String);

impl Write for Limited {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.0.len() + part.len() > LONGEST {
            return Err(fmt::Error);
        }
        self.0.push_str(part);
        Ok(())
    }
}

fn cut(name: &str) -> &str {
    let mut end = name.len().min(LONGEST);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_their_language_writes_them() {
        for (mangled, name) in [
            ("main", "main"),
            ("_ZN4work3SumImE3addEm", "work::Sum<unsigned long>::add"),
            ("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"),
            ("_RNvC6_123foo3bar", "123foo::bar"),
            ("_Znot a name", "_Znot a name"),
            ("", ""),
        ] {
            assert_eq!(demangled(mangled), name);
        }
    }

    #[test]
    fn a_short_name_of_an_endless_one_stays_as_it_is() {
        // Each substitution doubles the one before.
        let doubled = (0..30).fold("_Z1fI1aS_".to_owned(), |name, at| {
            let of = if at == 0 {
                String::new()
            } else {
                format!("{:X}", at - 1)
            };
            format!("{name}1bIS{of}_S{of}_E")
        });
        let name = format!("{doubled}Evv");
        assert!(demangled(&name).len() <= LONGEST);
        assert_eq!(demangled(&"a".repeat(2 * LONGEST)).len(), LONGEST);
    }
}
