//! Programs, libraries, modules and kernels that were given with recordings: their functions name what was sampled in them.

use std::collections::BTreeMap;
use std::rc::Rc;

use numalens_columns::{FileFunctions, InputError, Mappings};
use numalens_elf::Program;

/// Functions that are kept of all files together.
const MOST_FUNCTIONS: usize = 4 << 20;
/// Files that are named in a note.
const MOST_NAMED: usize = 5;

/// The files by build id.
#[derive(Default)]
pub(super) struct Programs {
    files: BTreeMap<String, File>,
    functions: usize,
    notes: Vec<String>,
}

struct File {
    names: Vec<String>,
    program: Rc<Program>,
    used: bool,
}

impl Programs {
    /// Takes a file. One that cannot be used becomes a note: nothing but names depends on it.
    pub(super) fn add(&mut self, name: &str, program: Result<Program, InputError>) {
        let program = match program {
            Ok(program) => program,
            Err(error) => {
                self.notes
                    .push(format!("{name}: {error}: its functions are not used."));
                return;
            }
        };
        let Some(build_id) = program.build_id.clone() else {
            self.notes.push(format!(
                "{name} has no build ID: whether a recording ran it is unknown, so its functions are not used."
            ));
            return;
        };
        self.functions += program.functions();
        if self.functions > MOST_FUNCTIONS {
            self.functions -= program.functions();
            self.notes.push(format!(
                "{name} was left out: all files together have more than {MOST_FUNCTIONS} functions."
            ));
            return;
        }
        if let Some(note) = &program.note {
            self.notes.push(format!("{name}: {note}."));
        }
        if let Some(known) = self.files.get_mut(&build_id) {
            known.names.push(name.to_owned());
            Rc::make_mut(&mut known.program).join(program);
        } else {
            let file = File {
                names: vec![name.to_owned()],
                program: Rc::new(program),
                used: false,
            };
            self.files.insert(build_id, file);
        }
    }

    /// Gives the files other names and build ids.
    pub(super) fn rename(
        &mut self,
        mut name: impl FnMut(&str) -> String,
        mut build: impl FnMut(&str) -> String,
    ) {
        self.notes.clear();
        self.files = std::mem::take(&mut self.files)
            .into_iter()
            .map(|(id, mut file)| {
                file.names.iter_mut().for_each(|known| *known = name(known));
                (build(&id), file)
            })
            .collect();
    }

    /// The functions of what a recording mapped, by file: only those of the very same build.
    pub(super) fn of(&mut self, mappings: &Mappings) -> Vec<Option<Rc<dyn FileFunctions>>> {
        let files = 0..mappings.files.len();
        let found = files.map(|file| {
            let file = self.files.get_mut(mappings.build_id(file)?)?;
            file.used = true;
            let program = Rc::clone(&file.program);
            Some(program as Rc<dyn FileFunctions>)
        });
        found.collect()
    }

    /// Returns notes about the files, after all recordings.
    pub(super) fn notes(mut self) -> Vec<String> {
        let mut strangers = Vec::new();
        for (build_id, file) in &self.files {
            let name = file.names.join(", ");
            if !file.used {
                strangers.push(format!("{name} (build id {build_id})"));
            } else if !file.program.placed() {
                self.notes.push(format!(
                    "{name} has functions but not their addresses in the program (build ID {build_id}): add the program as well."
                ));
            } else if file.program.functions() == 0 {
                self.notes.push(format!(
                    "{name} is stripped: add its separate symbol file as well (build ID {build_id})."
                ));
            }
        }
        if !strangers.is_empty() {
            let more = strangers.len().saturating_sub(MOST_NAMED);
            let mut named = strangers[..strangers.len() - more].join(", ");
            if more > 0 {
                named = format!("{named} and {more} more");
            }
            self.notes.push(format!(
                "No recording has a mapping with the build ID of {named}: these functions are not used."
            ));
        }
        self.notes
    }
}
