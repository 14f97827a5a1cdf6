//! The cgroups by number.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{RecordBatch, StringArray, UInt32Array};
use arrow_buffer::Buffer;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use numalens_core::EngineError;
use numalens_core::ipc::IpcFile;

use super::MACHINE;

/// The cgroups of the default hierarchy, numbered as they are met; number 0 is the root, which is the whole machine.
#[derive(Debug)]
pub struct Groups {
    paths: Vec<Box<str>>,
    parents: Vec<u32>,
    numbers: HashMap<Box<str>, u32>,
}

impl Default for Groups {
    fn default() -> Self {
        Self {
            paths: vec!["/".into()],
            parents: vec![MACHINE],
            numbers: HashMap::new(),
        }
    }
}

/// Deeper than any kernel nests (`cgroup.max.depth` is unlimited, but a path fits `PATH_MAX`): a deeper path is damage.
const DEEPEST: usize = 256;

impl Groups {
    /// The number of a cgroup, given like `/a/b`; it and its ancestors get new numbers when they are new.
    pub fn number(&mut self, path: &str) -> u32 {
        if let Some(&number) = self.numbers.get(path) {
            return number;
        }
        let mut group = MACHINE;
        let mut whole = String::with_capacity(path.len() + 1);
        for name in path
            .split('/')
            .filter(|name| !name.is_empty())
            .take(DEEPEST)
        {
            whole.push('/');
            whole.push_str(name);
            let known = self.numbers.get(whole.as_str()).copied();
            group = known.unwrap_or_else(|| {
                let number = self.paths.len() as u32;
                self.paths.push(whole.as_str().into());
                self.parents.push(group);
                self.numbers.insert(whole.as_str().into(), number);
                number
            });
        }
        group
    }

    /// The number of a known cgroup; 0 for the root.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<u32> {
        if path == "/" {
            return Some(MACHINE);
        }
        self.numbers.get(path).copied()
    }

    /// Number of groups, the root included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Returns whether only the root is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.paths.len() == 1
    }

    /// The path of a cgroup; empty when there is no such number.
    #[must_use]
    pub fn path(&self, group: u32) -> &str {
        self.paths.get(group as usize).map_or("", |path| path)
    }

    /// The cgroup above; that of the root is the root.
    #[must_use]
    #[inline]
    pub fn parent(&self, group: u32) -> u32 {
        self.parents.get(group as usize).copied().unwrap_or(MACHINE)
    }

    /// The cgroups below the root, by number.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        (0..).zip(self.paths.iter().map(|path| &**path)).skip(1)
    }

    /// Writes `groups.arrow`: `group` u32, `path` utf8, `parent` u32, without the root.
    ///
    /// # Errors
    /// The writer failed.
    pub fn write<W: Write>(&self, out: W) -> Result<W, EngineError> {
        let schema = Arc::new(Schema::new(vec![
            Field::new("group", DataType::UInt32, false),
            Field::new("path", DataType::Utf8, false),
            Field::new("parent", DataType::UInt32, false),
        ]));
        let mut writer = FileWriter::try_new(out, &schema)?;
        writer.write(&RecordBatch::try_new(
            Arc::clone(&schema),
            vec![
                Arc::new(UInt32Array::from_iter_values(1..self.len() as u32)),
                Arc::new(StringArray::from_iter_values(&self.paths[1..])),
                Arc::new(UInt32Array::from(self.parents[1..].to_vec())),
            ],
        )?)?;
        Ok(writer.into_inner()?)
    }

    /// Opens the bytes of `groups.arrow`.
    ///
    /// # Errors
    /// They are not those of a table of cgroups.
    pub fn open(bytes: Buffer) -> Result<Self, EngineError> {
        let mut groups = Self::default();
        for batch in IpcFile::open(bytes, None)?.into_batches() {
            let batch = batch?;
            let ints = |name| {
                batch
                    .column_by_name(name)
                    .and_then(|array| array.as_primitive_opt::<UInt32Type>())
            };
            let paths = batch
                .column_by_name("path")
                .and_then(|array| array.as_string_opt::<i32>());
            let (Some(numbers), Some(paths), Some(parents)) =
                (ints("group"), paths, ints("parent"))
            else {
                return Err(damaged("its cgroups have no number, path or parent"));
            };
            for row in 0..batch.num_rows() {
                let (number, parent) = (numbers.value(row), parents.value(row));
                if number as usize != groups.len() || parent >= number {
                    return Err(damaged("its cgroups are not numbered from the root down"));
                }
                groups.paths.push(paths.value(row).into());
                groups.parents.push(parent);
                groups.numbers.insert(paths.value(row).into(), number);
            }
        }
        Ok(groups)
    }
}

fn damaged(why: &str) -> EngineError {
    EngineError::Damaged(why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ancestors_come_first() {
        let mut groups = Groups::default();
        assert_eq!((groups.number("/"), groups.number("")), (0, 0));
        let leaf = groups.number("/a/b/");
        assert_eq!(
            (leaf, groups.number("/a/b"), groups.number("/a")),
            (2, 2, 1)
        );
        assert_eq!(
            (groups.parent(2), groups.parent(1), groups.parent(0)),
            (1, 0, 0)
        );
        assert_eq!(groups.number("/c"), 3);
        let bytes = Buffer::from_vec(groups.write(Vec::new()).unwrap());
        let read = Groups::open(bytes.clone()).unwrap();
        assert_eq!(
            read.iter().collect::<Vec<_>>(),
            [(1, "/a"), (2, "/a/b"), (3, "/c")]
        );
        assert_eq!(
            (read.find("/a/b"), read.find("/"), read.find("/x")),
            (Some(2), Some(0), None)
        );
        assert_eq!(read.parent(2), 1);
        assert!(Groups::open(bytes.slice_with_length(0, bytes.len() - 9)).is_err());
    }
}
