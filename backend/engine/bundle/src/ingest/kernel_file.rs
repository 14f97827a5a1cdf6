//! A file of the kernel's functions that was given with recordings.

use numalens_columns::{Functions, Symbols};

use super::decode::Decoded;

/// A file of the kernel's functions, and notes about it.
pub(super) struct KernelFile {
    name: String,
    symbols: Symbols,
    functions: Functions,
    pub(super) notes: Vec<String>,
}

impl KernelFile {
    pub(super) fn new(file: Option<(String, Symbols)>) -> Self {
        let mut notes = Vec::new();
        let (name, symbols) = file.unwrap_or_default();
        let functions = symbols.clone().into_functions();
        if functions.is_empty() && !symbols.is_empty() {
            notes.push(format!(
                "{name} has no addresses: read /proc/kallsyms as root, or with kernel.kptr_restrict=0."
            ));
        }
        Self {
            name,
            symbols,
            functions,
            notes,
        }
    }

    /// The functions of a recording's kernel: its own, else the file's where nothing speaks against it.
    pub(super) fn functions(&mut self, recording: &Decoded) -> Functions {
        let own = recording.symbols.clone().into_functions();
        if !own.is_empty() || self.functions.is_empty() {
            return own;
        }
        let Some((symbol, start, end)) = recording.mappings.kernel_text() else {
            self.notes.push(format!(
                "Whether {} belongs to the kernel of {} is unknown.",
                self.name, recording.name
            ));
            return self.functions.clone();
        };
        // At each boot a kernel may lie elsewhere, and no two builds have the same length.
        let is = |name, place| self.symbols.address(name) == Some(place);
        if !is(symbol, start) || !["_etext", "_edata"].iter().any(|name| is(name, end)) {
            self.notes.push(format!(
                "{} is from a different kernel or boot than {}: the addresses differ, so kernel functions have no names.",
                self.name, recording.name
            ));
            return own;
        }
        self.functions.clone()
    }
}
