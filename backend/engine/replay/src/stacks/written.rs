//! Stacks in texts that contain function names.

use super::FrameName;

/// The frames of `perf script`, the innermost first: `name+0x1f (module)`, separated by `;`. `addresses` are those of the frames
/// that have one; where a name is unknown, the frame is named by its module and that.
pub fn perf_frames(symbols: &str, addresses: &[u64], mut frame: impl FnMut(FrameName<'_>)) {
    let mut addresses = addresses.iter();
    for text in symbols.split(';').filter(|text| !text.is_empty()) {
        // A call that the compiler took away has no address of its own.
        let inlined = text.ends_with("(inlined)");
        let address = if inlined { None } else { addresses.next() };
        let (symbol, module) = parted(text);
        let name = function(symbol);
        if name != "[unknown]" {
            frame(FrameName { name, module });
            continue;
        }
        let place = address.map_or_else(
            || module.to_owned(),
            |&address| match module {
                "" | "[unknown]" => format!("{address:#x}"),
                module => placed(module, address),
            },
        );
        let module = if module == "[unknown]" { "" } else { module };
        frame(FrameName {
            name: &place,
            module,
        });
    }
}

/// The text of a stack in perf's form with other functions and files; their places stay.
pub fn rename_perf_frames(
    symbols: &str,
    mut rename: impl FnMut(FrameName<'_>) -> (String, String),
) -> String {
    let frames = symbols.split(';').map(|text| {
        if text.is_empty() {
            return String::new();
        }
        let (symbol, module) = parted(text);
        let name = function(symbol);
        let place = &symbol[name.len()..];
        match rename(FrameName { name, module }) {
            (name, file) if file.is_empty() => format!("{name}{place}"),
            (name, file) => format!("{name}{place} ({file})"),
        }
    });
    frames.collect::<Vec<_>>().join(";")
}

/// The frames of an ftrace stack in a text, the innermost first: lines `=> name`, followed by an address in the output
/// of trace-cmd.
pub fn ftrace_frames(lines: &str, mut frame: impl FnMut(FrameName<'_>)) {
    for line in lines.lines() {
        let Some(text) = line.trim().strip_prefix("=> ") else {
            continue;
        };
        let text = match text.rsplit_once(" (") {
            Some((name, address)) if address.ends_with(')') && !name.is_empty() => name,
            _ => text,
        };
        let (name, module) = match text.rsplit_once(" [") {
            Some((name, module)) if module.ends_with(']') => {
                (name, &text[name.len() + 1..name.len() + 2 + module.len()])
            }
            _ => (text, numalens_columns::KALLSYMS),
        };
        let name = function(name.trim_end());
        // What has no name is an address there, in angle brackets.
        let address = name
            .strip_prefix('<')
            .and_then(|rest| rest.strip_suffix('>'));
        let address = address.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        match address {
            Some(address) => frame(FrameName {
                name: &format!("{address:#x}"),
                module: "",
            }),
            None if name.is_empty() => {}
            None => frame(FrameName { name, module }),
        }
    }
}

/// `libc.so.6+0x1f` of a file's path and a place in it.
pub(super) fn placed(module: &str, offset: u64) -> String {
    let file = module.rsplit('/').next().filter(|file| !file.is_empty());
    format!("{}+{offset:#x}", file.unwrap_or(module))
}

/// A frame's symbol and module. Both may have blanks and parentheses.
fn parted(text: &str) -> (&str, &str) {
    let text = text.trim();
    let begins = text.strip_prefix("[unknown] (").map(|_| "[unknown]".len());
    let behind = || {
        let plus = text.rfind("+0x")?;
        let digits = text[plus + 3..].find(|c: char| !c.is_ascii_hexdigit())?;
        let end = plus + 3 + digits;
        text[end..].starts_with(" (").then_some(end)
    };
    let at = begins.or_else(behind).or_else(|| text.rfind(" ("));
    match at {
        Some(at) if text.ends_with(')') => (&text[..at], &text[at + 2..text.len() - 1]),
        _ => (text, ""),
    }
}

/// The name without the place in the function.
fn function(symbol: &str) -> &str {
    match symbol.rfind("+0x") {
        Some(plus) if plus > 0 => {
            let rest = &symbol[plus + 3..];
            let place = rest
                .chars()
                .all(|c| c.is_ascii_hexdigit() || c == '/' || c == 'x');
            if place { &symbol[..plus] } else { symbol }
        }
        _ => symbol,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn perf(text: &str, addresses: &[u64]) -> Vec<(String, String)> {
        let mut found = Vec::new();
        perf_frames(text, addresses, |frame| {
            found.push((frame.name.to_owned(), frame.module.to_owned()));
        });
        found
    }

    #[test]
    fn names_and_modules_of_perf_script() {
        let text = "update_se+0x13a ([kernel.kallsyms]);<A as B<C (D)>>::run+0x1f (/a b (deleted));\
                    small (inlined);[unknown] (/usr/lib/libc.so.6);[unknown] ([unknown]);main (/bin/x)";
        let found = perf(text, &[1, 2, 0xabc, 0x7f00, 9]);
        let expected = [
            ("update_se", "[kernel.kallsyms]"),
            ("<A as B<C (D)>>::run", "/a b (deleted)"),
            ("small", "inlined"),
            ("libc.so.6+0xabc", "/usr/lib/libc.so.6"),
            ("0x7f00", ""),
            ("main", "/bin/x"),
        ];
        let expected = expected.map(|(name, module)| (name.to_owned(), module.to_owned()));
        assert_eq!(found, expected);
        assert!(perf("", &[]).is_empty() && perf(";;", &[1]).is_empty());
    }

    #[test]
    fn names_of_an_ftrace_stack() {
        let mut found = Vec::new();
        let text = "\n => schedule\n => do_it+0x1f/0x30 [ext4]\n=> __schedule (ffffffff821f8298)\n => <00007f>\nstray\n => ";
        ftrace_frames(text, |frame| {
            found.push(format!("{} {}", frame.name, frame.module));
        });
        let kernel = |name: &str| format!("{name} [kernel.kallsyms]");
        let expected = [
            kernel("schedule"),
            "do_it [ext4]".to_owned(),
            kernel("__schedule"),
            "0x7f ".to_owned(),
        ];
        assert_eq!(found, expected);
    }
}
