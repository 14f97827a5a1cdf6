//! Names of the recorded kernel's functions.

/// The recorded kernel's symbols, as `/proc/kallsyms` lists them: a line has an address in hexadecimal digits, a type, a name
/// and maybe a module. Kept as text: few of the many thousands are ever looked up.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Symbols(Vec<u8>);

impl Symbols {
    /// Takes the text of `/proc/kallsyms`.
    #[must_use]
    pub fn new(text: Vec<u8>) -> Self {
        Self(text)
    }

    /// Returns whether a file begins like `/proc/kallsyms`: its first lines are an address of 8 or 16 digits, a type and a
    /// name.
    #[must_use]
    pub fn sniff(head: &[u8]) -> bool {
        const LINES: usize = 3;
        let lines = head.split(|&byte| byte == b'\n').take(LINES);
        let fits = |line: &[u8]| {
            let Ok(text) = std::str::from_utf8(line) else {
                return false;
            };
            let mut words = text.split_ascii_whitespace();
            let (Some(address), Some(kind), Some(_)) = (words.next(), words.next(), words.next())
            else {
                return false;
            };
            matches!(address.len(), 8 | 16)
                && hexadecimal(address.as_bytes()).is_some()
                && kind.len() == 1
                && kind.as_bytes()[0].is_ascii_alphabetic()
        };
        lines.clone().count() == LINES && lines.clone().all(fits)
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the start of the function of this name, also if the compiler gave its copy a suffix (`name.isra.0`). `None`
    /// when it is not listed, when the kernel hid addresses (they are all 0 then), or when several places have the name.
    #[must_use]
    pub fn address(&self, name: &str) -> Option<u64> {
        let (mut whole, mut suffixed) = (Found::Nowhere, Found::Nowhere);
        for line in self.0.split(|&byte| byte == b'\n') {
            let mut words = line
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty());
            let (Some(address), Some(_), Some(symbol)) = (words.next(), words.next(), words.next())
            else {
                continue;
            };
            let Some(rest) = symbol.strip_prefix(name.as_bytes()) else {
                continue;
            };
            let found = match rest {
                [] => &mut whole,
                // What was moved out of a function's way is not where it begins.
                [b'.', suffix @ ..] if !parts(suffix).any(|part| part == b"cold") => &mut suffixed,
                _ => continue,
            };
            if let Some(address) = hexadecimal(address) {
                found.add(address);
            }
        }
        whole.one().or_else(|| suffixed.one())
    }

    /// Returns all functions in the order of their addresses, for many lookups.
    #[must_use]
    pub fn into_functions(self) -> Functions {
        let mut found = Vec::new();
        let mut begin = 0;
        for line in self.0.split(|&byte| byte == b'\n') {
            if let Some(function) = function(line).filter(|function| function.address != 0) {
                found.push((function.address, begin));
            }
            begin += line.len() + 1;
        }
        // What is first of one address is its name.
        found.sort_by_key(|function| function.0);
        Functions {
            text: self.0,
            found,
        }
    }
}

/// Functions by their addresses.
#[derive(Clone, Default)]
pub struct Functions {
    text: Vec<u8>,
    /// Address, and where its line begins.
    found: Vec<(u64, usize)>,
}

impl Functions {
    /// The function at an address as the kernel prints it: its name, after that its module; with `inside`, the place in the
    /// function and the function's size before that. `None` before the first function.
    #[must_use]
    pub fn name(&self, address: u64, inside: bool) -> Option<String> {
        let place = self.place(address)?;
        let within = match place.size {
            Some(size) if inside => format!("+{:#x}/{size:#x}", place.offset),
            None if inside => format!("+{:#x}", place.offset),
            _ => String::new(),
        };
        let name = place.name;
        let module = place.module.map(|module| format!(" [{module}]"));
        Some(format!("{name}{within}{}", module.unwrap_or_default()))
    }

    /// The function that begins last before an address or at it.
    #[must_use]
    pub fn place(&self, address: u64) -> Option<FunctionPlace<'_>> {
        let behind = self.found.partition_point(|found| found.0 <= address);
        let (begin, _) = *self.found.get(behind.checked_sub(1)?)?;
        let first = self.found.partition_point(|found| found.0 < begin);
        let (_, at) = *self.found.get(first)?;
        let line = self.text.get(at..)?.split(|&byte| byte == b'\n').next()?;
        let Function { name, module, .. } = function(line)?;
        Some(FunctionPlace {
            name,
            module,
            offset: address - begin,
            size: self.found.get(behind).map(|(next, _)| next - begin),
        })
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }
}

/// An address inside of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionPlace<'a> {
    /// The function's name.
    pub name: &'a str,
    /// Module, for functions outside of the kernel's own text.
    pub module: Option<&'a str>,
    /// Distance from the function's start, bytes.
    pub offset: u64,
    /// Bytes up to the next function; `None` for the last one.
    pub size: Option<u64>,
}

impl std::fmt::Debug for Functions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Functions({})", self.found.len())
    }
}

/// A line that is a function's.
struct Function<'a> {
    address: u64,
    name: &'a str,
    module: Option<&'a str>,
}

fn function(line: &[u8]) -> Option<Function<'_>> {
    let mut words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    let address = u64::from_str_radix(words.next()?, 16).ok()?;
    words
        .next()
        .filter(|kind| matches!(*kind, "t" | "T" | "w" | "W"))?;
    let name = words.next()?;
    let module = words.next();
    Some(Function {
        address,
        name,
        module: module.and_then(|word| word.strip_prefix('[')?.strip_suffix(']')),
    })
}

impl std::fmt::Debug for Symbols {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Symbols({} bytes)", self.0.len())
    }
}

/// Place of a name.
enum Found {
    Nowhere,
    At(u64),
    Several,
}

impl Found {
    fn add(&mut self, address: u64) {
        *self = match self {
            _ if address == 0 => return,
            Self::Nowhere => Self::At(address),
            Self::At(known) if *known == address => return,
            _ => Self::Several,
        };
    }

    fn one(&self) -> Option<u64> {
        match self {
            Self::At(address) => Some(*address),
            _ => None,
        }
    }
}

/// Parts of a suffix between its dots.
fn parts(suffix: &[u8]) -> impl Iterator<Item = &[u8]> {
    suffix.split(|&byte| byte == b'.')
}

fn hexadecimal(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    u64::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::Symbols;

    const TEXT: &str = "ffffffff8a310d90 t nohz_csd_func\n\
        ffffffff8a310d90 t nohz_csd_func_not\n\
        ffffffff8a400000 t _nohz_idle_balance.isra.0\n\
        ffffffff8a500000 t _nohz_idle_balance.isra.0.cold\n\
        ffffffff8a600000 t twice\nffffffff8a700000 t twice\t[module]\n\
        0000000000000000 t hidden\n\
        what\n\nzz t broken\nffffffff8a800000 t alone";

    #[test]
    fn a_function_is_found_by_its_whole_name_or_by_its_copy() {
        let symbols = Symbols::new(TEXT.into());
        assert_eq!(
            symbols.address("nohz_csd_func"),
            Some(0xffff_ffff_8a31_0d90)
        );
        assert_eq!(
            symbols.address("_nohz_idle_balance"),
            Some(0xffff_ffff_8a40_0000)
        );
        assert_eq!(symbols.address("alone"), Some(0xffff_ffff_8a80_0000));
    }

    #[test]
    fn addresses_have_names_places_and_modules() {
        let symbols = Symbols::new(
            b"20 t second\t[says]\n10 T first\n18 d data\n20 t alias\n30 t third".to_vec(),
        );
        let functions = symbols.into_functions();
        let name = |address, inside| functions.name(address, inside);
        assert_eq!(name(0x0f, true), None);
        assert_eq!(name(0x10, false).as_deref(), Some("first"));
        assert_eq!(name(0x1a, true).as_deref(), Some("first+0xa/0x10"));
        assert_eq!(name(0x22, true).as_deref(), Some("second+0x2/0x10 [says]"));
        assert_eq!(name(0x22, false).as_deref(), Some("second [says]"));
        assert_eq!(name(0x31, true).as_deref(), Some("third+0x1"));
        assert_eq!(Symbols::default().into_functions().name(1, true), None);
    }

    #[test]
    fn a_file_of_symbols_is_known_by_its_first_lines() {
        assert!(Symbols::sniff(TEXT.as_bytes()));
        assert!(Symbols::sniff(
            b"c0100000 T a\nc0100000 t b\nc0100004 d c\t[mod]\n"
        ));
        for other in [
            "",
            "ffffffff8a310d90 t one\n",
            "ffffffff8a310d90 t one\nffffffff8a310d90 two x\nffffffff8a310d90 t y",
            "12345678 a 1\n12345678 a\n12345678 a 1\n",
            "1234567 t a\n1234567 t b\n1234567 t c\n",
            "            bash-1 [000] 1.0: x: y\nb\nc",
        ] {
            assert!(!Symbols::sniff(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn what_is_not_clear_is_not_resolved() {
        let symbols = Symbols::new(TEXT.into());
        for name in ["twice", "hidden", "broken", "nohz_csd", "what", "absent"] {
            assert_eq!(symbols.address(name), None, "{name}");
        }
        assert_eq!(Symbols::default().address("alone"), None);
    }
}
