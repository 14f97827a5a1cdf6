//! The format text's grammar.
//!
//! ```text
//! name: sched_switch
//! ID: 372
//! format:
//! <TAB>field:char prev_comm[16];<TAB>offset:8;<TAB>size:16;<TAB>signed:0;
//!
//! print fmt: "..."
//! ```
//! `signed` is missing before Linux 2.6.31; the sign then follows from the type's name.

/// Longest record that a format may describe, bytes. A ring-buffer event cannot exceed its sub-buffer.
const MAX_RECORD: usize = 1 << 20;
/// Most fields that one event may have; the kernel's own largest have about a hundred.
const MAX_FIELDS: usize = 1024;

/// Position of a field's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// In the record itself.
    Inline,
    /// `__data_loc`: the field holds length (high half) and offset from the record's start (low half).
    DataLoc,
    /// `__rel_loc`: as `DataLoc`, with the offset counted from the end of the field.
    RelLoc,
}

/// Number of elements of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayLength {
    /// Not an array.
    Scalar,
    /// `name[16]`; `None` when the length is a name (`[TASK_COMM_LEN]`), so that it follows from size and type.
    Fixed(Option<u32>),
    /// `name[]`: up to the end of the record or of the dynamic data.
    Open,
}

/// One field of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldFormat {
    /// Field name.
    pub name: String,
    /// Element type as the kernel writes it, without `__data_loc` and array brackets: `char`, `unsigned long`.
    pub element: String,
    /// The whole declaration as in the text.
    pub declaration: String,
    /// Offset in the record, bytes.
    pub offset: usize,
    /// Size in the record, bytes; 0 for an open array.
    pub size: usize,
    /// True if the element is signed.
    pub signed: bool,
    /// Position of the bytes.
    pub storage: Storage,
    /// Element count.
    pub array: ArrayLength,
}

/// One event's format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventFormat {
    /// Event name.
    pub name: String,
    /// Event number in its recording.
    pub id: u32,
    /// Fields in the kernel's order, the common ones first.
    pub fields: Vec<FieldFormat>,
    /// The print format.
    pub print_fmt: String,
}

impl EventFormat {
    /// Reads the text of one `format` file.
    ///
    /// # Errors
    /// One clause that says what is missing (`a line "ID: <number>"`), for the caller to put into its sentence.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        let text = String::from_utf8_lossy(text);
        let mut name = None;
        let mut id = None;
        let mut fields = Vec::new();
        let mut print_fmt = String::new();
        for line in text.lines() {
            let line = line.trim();
            if let Some(rest) = line.strip_prefix("name:") {
                name = Some(rest.trim().to_owned());
            } else if let Some(rest) = line.strip_prefix("ID:") {
                id = rest.trim().parse::<u32>().ok();
            } else if line.starts_with("field:") || line.starts_with("field special:") {
                if fields.len() == MAX_FIELDS {
                    return Err(format!("at most {MAX_FIELDS} fields"));
                }
                fields.push(FieldFormat::parse(line)?);
            } else if let Some(rest) = line.strip_prefix("print fmt:") {
                rest.trim().clone_into(&mut print_fmt);
            }
        }
        let name = name
            .filter(|name| !name.is_empty())
            .ok_or("a line \"name: <event>\"")?;
        let id = id.ok_or("a line \"ID: <number>\"")?;
        Ok(Self {
            name,
            id,
            fields,
            print_fmt,
        })
    }

    /// The field of that name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&FieldFormat> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Returns whether a field is an address that the kernel prints as a function's name (`%ps`, `%pS`; `%pf`, `%pF` before
    /// 5.3).
    #[must_use]
    pub fn shows_functions(&self) -> bool {
        let mut conversions = self.print_fmt.match_indices("%p");
        conversions.any(|(at, _)| {
            let kind = self.print_fmt.as_bytes().get(at + 2);
            matches!(kind, Some(b's' | b'S' | b'f' | b'F'))
        })
    }
}

impl FieldFormat {
    /// Reads one `field:` line.
    ///
    /// # Errors
    /// One clause that says what the line should have been.
    pub fn parse(line: &str) -> Result<Self, String> {
        let wanted = || {
            format!(
                "a field line \"field:<type> <name>; offset:<n>; size:<n>;\" instead of {line:?}"
            )
        };
        let mut declaration = None;
        let (mut offset, mut size, mut signed) = (None, None, None);
        for part in line.split(';') {
            let part = part.trim();
            let Some((key, value)) = part.split_once(':') else {
                continue;
            };
            match key.trim() {
                "field" | "field special" => declaration = Some(value.trim()),
                "offset" => offset = value.trim().parse::<usize>().ok(),
                "size" => size = value.trim().parse::<usize>().ok(),
                "signed" => signed = value.trim().parse::<u8>().ok(),
                _ => {}
            }
        }
        let (Some(declaration), Some(offset), Some(size)) = (declaration, offset, size) else {
            return Err(wanted());
        };
        if offset > MAX_RECORD || size > MAX_RECORD {
            return Err(format!(
                "a field within {MAX_RECORD} bytes instead of {line:?}"
            ));
        }

        let mut rest = declaration;
        let mut storage = Storage::Inline;
        for (word, kind) in [
            ("__data_loc", Storage::DataLoc),
            ("__rel_loc", Storage::RelLoc),
        ] {
            if let Some(after) = rest.strip_prefix(word) {
                storage = kind;
                rest = after.trim_start();
            }
        }
        let mut array = ArrayLength::Scalar;
        let mut head = rest.to_owned();
        if let (Some(open), Some(close)) = (rest.find('['), rest.rfind(']'))
            && open < close
        {
            let length = rest[open + 1..close].trim();
            array = if length.is_empty() {
                ArrayLength::Open
            } else {
                ArrayLength::Fixed(length.parse().ok())
            };
            // `__data_loc char[] name` has the brackets at the type, `char name[16]` at the name.
            head = format!("{}{}", &rest[..open], &rest[close + 1..]);
        }
        let head = head.trim();
        let split = head
            // Text comes from the file: blanks of other alphabets, which are longer than a byte, separate nothing.
            .rfind(|c: char| c.is_ascii_whitespace() || c == '*')
            .ok_or_else(wanted)?;
        let (element, name) = (head[..=split].trim(), head[split + 1..].trim());
        if name.is_empty() || element.is_empty() {
            return Err(wanted());
        }
        let signed = signed.map_or_else(|| signed_by_name(element), |s| s != 0);
        Ok(Self {
            name: name.to_owned(),
            element: element.to_owned(),
            declaration: declaration.to_owned(),
            offset,
            size,
            signed,
            storage,
            array,
        })
    }

    /// First byte after the field's fixed part.
    #[must_use]
    pub fn end(&self) -> usize {
        self.offset + self.size
    }
}

fn signed_by_name(element: &str) -> bool {
    !(element.contains("unsigned")
        || element.contains('*')
        || element.starts_with('u')
        || element.starts_with("__u"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SWITCH: &str = "name: sched_switch\nID: 372\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n\nprint fmt: \"prev_comm=%s\", REC->prev_comm\n";

    #[test]
    fn reads_names_offsets_sizes_and_signs() {
        let format = EventFormat::parse(SWITCH.as_bytes()).unwrap();
        assert_eq!(
            (format.name.as_str(), format.id, format.fields.len()),
            ("sched_switch", 372, 3)
        );
        let comm = format.field("prev_comm").unwrap();
        assert_eq!(
            (comm.element.as_str(), comm.offset, comm.size, comm.array),
            ("char", 8, 16, ArrayLength::Fixed(Some(16)))
        );
        assert!(format.field("prev_state").unwrap().signed);
        assert_eq!(format.print_fmt, "\"prev_comm=%s\", REC->prev_comm");
        assert!(!format.shows_functions());
        for (print_fmt, shows) in [
            ("\"hrtimer=%p function=%ps now=%llu\"", true),
            ("\"%pS\"", true),
            ("\"hrtimer=%p\", function, \"%s\"", false),
            ("%p", false),
        ] {
            let named = EventFormat {
                print_fmt: print_fmt.to_owned(),
                ..format.clone()
            };
            assert_eq!(named.shows_functions(), shows, "{print_fmt}");
        }
    }

    #[test]
    fn reads_dynamic_and_pointer_fields() {
        let field =
            FieldFormat::parse("field:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;")
                .unwrap();
        assert_eq!(
            (field.name.as_str(), field.storage, field.array),
            ("filename", Storage::DataLoc, ArrayLength::Open)
        );
        let field =
            FieldFormat::parse("field:__rel_loc cpumask_t mask;\toffset:8;\tsize:4;\tsigned:0;")
                .unwrap();
        assert_eq!(
            (field.element.as_str(), field.storage, field.array),
            ("cpumask_t", Storage::RelLoc, ArrayLength::Scalar)
        );
        let field =
            FieldFormat::parse("field:const char *name;\toffset:8;\tsize:8;\tsigned:0;").unwrap();
        assert_eq!(
            (field.name.as_str(), field.element.as_str()),
            ("name", "const char *")
        );
        let field =
            FieldFormat::parse("field:char buf[];\toffset:16;\tsize:0;\tsigned:0;").unwrap();
        assert_eq!(
            (field.name.as_str(), field.size, field.array),
            ("buf", 0, ArrayLength::Open)
        );
        let field =
            FieldFormat::parse("field:char comm[TASK_COMM_LEN];\toffset:12;\tsize:16;").unwrap();
        assert_eq!(
            (field.array, field.signed),
            (ArrayLength::Fixed(None), true)
        );
    }

    #[test]
    fn says_what_is_missing() {
        assert_eq!(
            EventFormat::parse(b"ID: 1\n").unwrap_err(),
            "a line \"name: <event>\""
        );
        assert_eq!(
            EventFormat::parse(b"name: x\n").unwrap_err(),
            "a line \"ID: <number>\""
        );
        assert!(
            EventFormat::parse(b"name: x\nID: 1\n\tfield:int;\toffset:0;\n")
                .unwrap_err()
                .contains("field:int;")
        );
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,200}", line in "field:[a-z_\\[\\]\\* ]{0,40};offset:[0-9]{0,30};size:[0-9]{0,30};") {
            let _ = EventFormat::parse(text.as_bytes());
            let _ = EventFormat::parse(format!("name: a\nID: 3\n{line}\n").as_bytes());
        }
    }
}
