//! The events that this crate knows: `catalogue.txt`, read once.
//!
//! ```text
//! S name 0=A 1=B ...             a table of symbols
//! E system event
//! F u4 unsigned int vec; ...     fields of one version: column type (t text, i or u and bytes; `?`: a text may lack it), C declaration
//! T vec={vec} [action={*}]       a text of that version
//! ```
//! Words in `{}` are fields. `{field}` is read by its column type, `{field:x}` is hexadecimal, `{field:sym}` is a kernel
//! symbol, kept as text. `{field:=table}` is one symbol, `{field:|table}` are symbols joined by `|`. `{field:state}` and
//! `{field:pretty}` are task states. For `{field:major}`, `{field:minor}`, `{field:page}`, `{field:last}`, `{field:us}` and
//! `{field:log2}` see [`Kind`]. `{*}` is not kept. Every version has one more text that is not in the file: all fields in
//! order as `name=value`, which is the output of `trace-cmd report -R`.

use std::collections::HashMap;

use numalens_columns::ColumnType;

use crate::template::{Kind, Piece, Symbols, Template};

const FILE: &str = include_str!("catalogue.txt");

/// A field of one version of an event.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) declaration: String,
    pub(crate) ty: ColumnType,
    /// True if a text may lack the field: a name, a priority, and fields that the replay does not need.
    pub(crate) optional: bool,
}

/// One version of an event.
#[derive(Debug, Clone, Default)]
pub(crate) struct Version {
    pub(crate) fields: Vec<Field>,
    /// Column types, by slot.
    pub(crate) types: Vec<ColumnType>,
    pub(crate) templates: Vec<Template>,
}

/// An event that is known.
#[derive(Debug, Clone)]
pub(crate) struct KnownEvent {
    pub(crate) system: &'static str,
    pub(crate) event: &'static str,
    pub(crate) versions: Vec<Version>,
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    pub(crate) events: Vec<KnownEvent>,
    pub(crate) symbols: Vec<Symbols>,
    by_name: HashMap<&'static [u8], usize>,
}

impl Catalogue {
    pub(crate) fn new() -> Self {
        let mut catalogue = Self::default();
        let mut tables = HashMap::new();
        for line in FILE.lines() {
            let Some((word, rest)) = line.split_once(' ') else {
                continue;
            };
            match word {
                "S" => {
                    let mut words = rest.split(' ');
                    tables.insert(words.next().unwrap_or_default(), catalogue.symbols.len());
                    catalogue.symbols.push(words.filter_map(symbol).collect());
                }
                "E" => catalogue.event(rest),
                "F" => catalogue.version(rest),
                "T" => catalogue.template(rest, &tables),
                _ => {}
            }
        }
        catalogue.finish();
        catalogue
    }

    /// The event of that name.
    pub(crate) fn find(&self, event: &[u8]) -> Option<usize> {
        self.by_name.get(event).copied()
    }

    fn event(&mut self, rest: &'static str) {
        if let Some((system, event)) = rest.split_once(' ') {
            self.by_name.insert(event.as_bytes(), self.events.len());
            self.events.push(KnownEvent {
                system,
                event,
                versions: Vec::new(),
            });
        }
    }

    fn version(&mut self, rest: &str) {
        let fields: Vec<Field> = rest.split("; ").filter_map(field).collect();
        if let Some(event) = self.events.last_mut() {
            event.versions.push(Version {
                types: fields.iter().map(|field| field.ty.clone()).collect(),
                fields,
                templates: Vec::new(),
            });
        }
    }

    fn template(&mut self, text: &str, tables: &HashMap<&str, usize>) {
        let version = self
            .events
            .last_mut()
            .and_then(|event| event.versions.last_mut());
        if let Some(version) = version
            && let Some(template) = template(text, version, tables)
        {
            version.templates.push(template);
        }
    }

    /// Adds the raw texts, and settles which columns are text because a symbol is all that is printed.
    fn finish(&mut self) {
        for version in self.events.iter_mut().flat_map(|event| &mut event.versions) {
            let raw: Vec<String> = version
                .fields
                .iter()
                .map(|field| format!("{}={{{}}}", field.name, field.name))
                .collect();
            for piece in version
                .templates
                .iter()
                .flat_map(|template| &template.pieces)
            {
                if let Piece::Field {
                    slot,
                    kind: Kind::Text,
                } = piece
                {
                    version.types[*slot] = ColumnType::Text;
                }
            }
            if let Some(template) = template(&raw.join(" "), version, &HashMap::new()) {
                version.templates.push(template);
            }
        }
    }
}

fn symbol(word: &str) -> Option<(Vec<u8>, i64)> {
    let (value, name) = word.split_once('=')?;
    Some((name.as_bytes().to_vec(), value.parse().ok()?))
}

/// `u4 unsigned int vec`
fn field(text: &str) -> Option<Field> {
    let (ty, declaration) = text.split_once(' ')?;
    let optional = ty.ends_with('?');
    let ty = match ty.trim_end_matches('?').split_at_checked(1)? {
        ("t", _) => ColumnType::Text,
        ("u", width) => ColumnType::UInt(width.parse().ok()?),
        ("i", width) => ColumnType::Int(width.parse().ok()?),
        _ => return None,
    };
    // The brackets are behind the name, or before it (`__data_loc char[] comm`).
    let name = match declaration.strip_suffix(']') {
        Some(array) => array.rsplit_once('[')?.0,
        None => declaration,
    };
    let name = name.rsplit([' ', '*', ']']).next()?;
    Some(Field {
        name: name.to_owned(),
        declaration: declaration.to_owned(),
        ty,
        optional,
    })
}

/// `None` for a template that names a field or a table which is not there.
fn template(text: &str, version: &Version, tables: &HashMap<&str, usize>) -> Option<Template> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let open = rest.find('{').unwrap_or(rest.len());
        if open > 0 {
            pieces.push(Piece::Fixed(rest.as_bytes()[..open].to_vec()));
        }
        let Some(inside) = rest.get(open + 1..) else {
            break;
        };
        let (word, after) = inside.split_once('}')?;
        pieces.push(piece(word, version, tables)?);
        rest = after;
    }
    Some(Template { pieces })
}

fn piece(word: &str, version: &Version, tables: &HashMap<&str, usize>) -> Option<Piece> {
    if word == "*" {
        return Some(Piece::Field {
            slot: 0,
            kind: Kind::Skip,
        });
    }
    let (name, kind) = word.split_once(':').unwrap_or((word, ""));
    let slot = version.fields.iter().position(|field| field.name == name)?;
    let kind = match kind {
        "" if version.types[slot] == ColumnType::Text => Kind::Text,
        "" => Kind::Number,
        "x" => Kind::Hex,
        "sym" => Kind::Text,
        "state" => Kind::State,
        "pretty" => Kind::PluginState,
        "major" => Kind::Major,
        "minor" => Kind::Minor,
        "page" => Kind::Page,
        "last" => Kind::LastPage,
        "us" => Kind::Micro,
        "log2" => Kind::Log2,
        table => {
            let index = *tables.get(table.get(1..)?)?;
            if table.starts_with('=') {
                Kind::Symbol(index)
            } else {
                Kind::Flags(index)
            }
        }
    };
    Some(Piece::Field { slot, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_file_is_understood() {
        let catalogue = Catalogue::new();
        let lines = |word: &str| FILE.lines().filter(|line| line.starts_with(word)).count();
        let versions: Vec<&Version> = catalogue
            .events
            .iter()
            .flat_map(|event| &event.versions)
            .collect();
        assert_eq!(catalogue.events.len(), lines("E "));
        assert_eq!(catalogue.by_name.len(), lines("E "), "no event twice");
        assert_eq!(versions.len(), lines("F "));
        let mut texts: Vec<usize> = Vec::new();
        for line in FILE.lines() {
            match line.get(..2) {
                Some("F ") => texts.push(0),
                Some("T ") => texts
                    .iter_mut()
                    .next_back()
                    .into_iter()
                    .for_each(|count| *count += 1),
                _ => {}
            }
        }
        for (version, texts) in versions.iter().zip(texts) {
            let fields: Vec<&str> = version
                .fields
                .iter()
                .map(|field| field.name.as_str())
                .collect();
            assert_eq!(version.templates.len(), texts + 1, "{fields:?}");
        }
        for (line, version) in FILE
            .lines()
            .filter(|line| line.starts_with("F "))
            .zip(versions)
        {
            assert_eq!(
                line.matches("; ").count() + 1,
                version.fields.len(),
                "{line}"
            );
        }
    }
}
