//! Files in memory.
#![allow(unreachable_pub)]

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Write};
use std::rc::Rc;

use arrow_buffer::Buffer;
use numalens_engine::timeline::IndexSink;

type Bytes = Rc<RefCell<Vec<u8>>>;

/// Files by their names.
#[derive(Default)]
pub struct Memory(RefCell<HashMap<String, Bytes>>);

struct File(Bytes);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Memory {
    /// Begins a file.
    pub fn file(&self, name: &str) -> Box<dyn Write> {
        let bytes = Bytes::default();
        self.0
            .borrow_mut()
            .insert(name.to_owned(), Rc::clone(&bytes));
        Box::new(File(bytes))
    }

    /// The bytes of a file.
    pub fn bytes(&self, name: &str) -> Buffer {
        Buffer::from_vec(self.0.borrow()[name].borrow().clone())
    }
}

impl IndexSink for Memory {
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write>> {
        Ok(self.file(name))
    }
}
