//! Pseudonyms: the same name gets the same number everywhere in a copy, and nothing reveals the original.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, Int32Array, RecordBatch, StringArray};
use arrow_schema::DataType;
use numalens_columns::Mappings;
use numalens_replay::stacks::{FrameName, rename_perf_frames};

use super::Cut;
use super::kernel::{Kernel, tokens};
use crate::error::Error;

/// Name of every task that was not chosen.
const OTHER: &str = "other";
/// Columns of sample tables with words of the kernel.
const KERNEL_COLUMNS: [&str; 9] = [
    "resource",
    "policy",
    "name",
    "file",
    "text",
    "cpus_allowed",
    "cpus",
    "state",
    "kind",
];
/// Names of kernel threads, up to what is a number of theirs.
const KERNEL_THREADS: [&str; 26] = [
    "<idle>",
    "swapper",
    "kthreadd",
    "kworker",
    "ksoftirqd",
    "migration",
    "rcu_sched",
    "rcu_preempt",
    "rcu_gp",
    "rcu_par_gp",
    "rcu_tasks_kthre",
    "rcu_tasks_trace",
    "rcu_tasks_rude_",
    "rcuc",
    "rcuog",
    "rcuop",
    "rcuos",
    "kcompactd",
    "kswapd",
    "khugepaged",
    "kauditd",
    "psimon",
    "cpuhp",
    "watchdogd",
    "oom_reaper",
    "idle_inject",
];

/// Kind of thing that a pseudonym names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Task,
    Group,
    Text,
    Function,
    File,
    Build,
    Event,
    Field,
    Name,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Group => "group",
            Self::Text => "text",
            Self::Function => "function",
            Self::File => "file",
            Self::Build => "build",
            Self::Event => "event",
            Self::Field => "field",
            Self::Name => "name",
        }
    }
}

/// Pseudonyms of a copy.
pub(in crate::ingest) struct Names {
    pseudonyms: bool,
    chosen: Option<BTreeSet<i32>>,
    given: HashMap<Kind, HashMap<String, String>>,
}

impl Names {
    pub(super) fn new(cut: &Cut) -> Self {
        Self {
            pseudonyms: cut.pseudonyms,
            chosen: cut.tasks.clone(),
            given: HashMap::new(),
        }
    }

    /// Returns whether names become pseudonyms.
    pub(super) fn pseudonyms(&self) -> bool {
        self.pseudonyms
    }

    /// The pseudonym of a name: the kind's word with a number.
    pub(super) fn number(&mut self, kind: Kind, name: &str) -> String {
        let given = self.given.entry(kind).or_default();
        if let Some(known) = given.get(name) {
            return known.clone();
        }
        let new = format!("{}-{}", kind.word(), given.len() + 1);
        given.insert(name.to_owned(), new.clone());
        new
    }

    /// Rows of a sample table under other names.
    pub(super) fn samples(&mut self, batch: RecordBatch) -> Result<RecordBatch, Error> {
        if !self.pseudonyms && self.chosen.is_none() {
            return Ok(batch);
        }
        self.columns(&batch, |names, batch, name, texts| match name {
            "comm" => {
                let pids = ["tid", "pid"]
                    .iter()
                    .find_map(|pid| super::rows::threads(batch, pid));
                names.tasks(texts, pids.as_ref())
            }
            _ if !names.pseudonyms => each(texts, str::to_owned),
            "cgroup" => each(texts, |text| names.group(text)),
            // A mapping is of a file, the heap or a stack.
            "what" => each(texts, |text| names.mapped(text)),
            _ if KERNEL_COLUMNS.contains(&name) => each(texts, |text| names.words(text)),
            _ => each(texts, |text| names.text(text)),
        })
    }

    /// Rows of a table that was made of renamed ones: whatever is neither a number, nor a pseudonym, nor the kernel's becomes
    /// a pseudonym.
    pub(super) fn derived(&mut self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        self.columns(batch, |names, _, _, texts| {
            each(texts, |text| names.made(text))
        })
    }

    /// Rows of frames under other names. Those of a text, and the files of mappings, have pseudonyms already.
    pub(super) fn frames(&mut self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        let text = |name: &str| batch.column_by_name(name)?.as_string_opt::<i32>();
        let (Some(functions), Some(modules)) = (text("name"), text("module")) else {
            return self.derived(batch);
        };
        let (mut new_functions, mut new_modules) = (StringBuilder::new(), StringBuilder::new());
        for (name, module) in functions.iter().zip(modules) {
            let (name, module) = (name.unwrap_or_default(), module.unwrap_or_default());
            let of_file = self.was_given(Kind::File, module);
            let in_file = |place: &str| of_file && place.starts_with("+0x");
            let of_function = self.was_given(Kind::Function, name)
                || name.strip_prefix(module).is_some_and(in_file);
            let function = match of_function {
                true => name.to_owned(),
                false if of_file => self.number(Kind::Function, name),
                false => self.frame(FrameName { name, module }).0,
            };
            new_functions.append_value(function);
            new_modules.append_value(if of_file {
                module.to_owned()
            } else {
                self.file(module)
            });
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(new_functions.finish()),
            Arc::new(new_modules.finish()),
        ];
        Ok(RecordBatch::try_new(batch.schema(), columns)?)
    }

    /// Returns whether a text is a pseudonym of this copy.
    fn was_given(&self, kind: Kind, text: &str) -> bool {
        let number = text
            .strip_prefix(kind.word())
            .and_then(|rest| rest.strip_prefix('-'));
        let number = number.and_then(|number| number.parse::<usize>().ok());
        let given = self.given.get(&kind).map_or(0, HashMap::len);
        number.is_some_and(|number| (1..=given).contains(&number))
    }

    fn columns(
        &mut self,
        batch: &RecordBatch,
        mut new: impl FnMut(&mut Self, &RecordBatch, &str, &StringArray) -> ArrayRef,
    ) -> Result<RecordBatch, Error> {
        let schema = batch.schema();
        let fields = schema.fields().iter().zip(batch.columns());
        let columns = fields.map(|(field, column)| match column.data_type() {
            DataType::Utf8 => new(self, batch, field.name(), column.as_string::<i32>()),
            _ => ArrayRef::clone(column),
        });
        let columns = columns.collect();
        Ok(RecordBatch::try_new(schema, columns)?)
    }

    /// Names of tasks; `pids` are their numbers, where the row has them.
    pub(super) fn tasks(&mut self, texts: &StringArray, pids: Option<&Int32Array>) -> ArrayRef {
        let names = texts.iter().enumerate().map(|(row, text)| {
            let text = text?;
            let pid = pids
                .filter(|pids| pids.is_valid(row))
                .map(|pids| pids.value(row));
            let known = self.is_chosen(pid) || is_kernel_thread(text);
            Some(match (known, self.pseudonyms) {
                (false, _) => OTHER.to_owned(),
                (true, true) => self.task(text),
                (true, false) => text.to_owned(),
            })
        });
        Arc::new(names.collect::<StringArray>())
    }

    /// Returns for each row whether it belongs to a thread that was not chosen; `None` when all threads were.
    pub(super) fn strangers(
        &self,
        current: Option<&Int32Array>,
        rows: usize,
    ) -> Option<BooleanArray> {
        self.chosen.as_ref()?;
        let pid = |row: usize| {
            let current = current.filter(|pids| pids.is_valid(row));
            current.map(|pids| pids.value(row))
        };
        Some(
            (0..rows)
                .map(|row| Some(!self.is_chosen(pid(row))))
                .collect(),
        )
    }

    fn is_chosen(&self, pid: Option<i32>) -> bool {
        let Some(chosen) = &self.chosen else {
            return true;
        };
        pid.is_some_and(|pid| chosen.contains(&pid))
    }

    fn task(&mut self, name: &str) -> String {
        if name.is_empty() || name == OTHER || is_kernel_thread(name) {
            return name.to_owned();
        }
        self.number(Kind::Task, name)
    }

    /// A path stays a path: what was below something still is.
    pub(super) fn group(&mut self, path: &str) -> String {
        let parts = path.split('/').map(|part| match part {
            "" => String::new(),
            part => self.number(Kind::Group, part),
        });
        parts.collect::<Vec<_>>().join("/")
    }

    /// A text that may contain any names.
    pub(super) fn text(&mut self, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        self.number(Kind::Text, text)
    }

    /// A text of the kernel: its own words and numbers stay.
    pub(super) fn words(&mut self, text: &str) -> String {
        let kernel = Kernel::get();
        if !self.pseudonyms || kernel.says(text) {
            return text.to_owned();
        }
        let parts = tokens(text).map(|(token, word)| {
            if word && !kernel.knows(token) {
                self.number(Kind::Name, token)
            } else {
                token.to_owned()
            }
        });
        parts.collect()
    }

    /// A line that was written into the trace. Lines of numbers and words that replays read stay.
    pub(super) fn line(&mut self, line: &str) -> String {
        if is_measured(line) {
            line.to_owned()
        } else {
            self.text(line)
        }
    }

    /// A stack in a text: lines of ftrace, or frames of perf with the address before them or without.
    pub(super) fn stack(&mut self, text: &str) -> String {
        if text.contains("=> ") {
            return self.words(text);
        }
        let (address, frames) = match text.trim_start().split_once(' ') {
            Some((address, frames)) if u64::from_str_radix(address, 16).is_ok() => {
                (address, frames)
            }
            _ => ("", text),
        };
        let frames = rename_perf_frames(frames, |frame| self.frame(frame));
        if address.is_empty() {
            frames
        } else {
            format!("{address} {frames}")
        }
    }

    /// Function and file of a frame.
    fn frame(&mut self, FrameName { name, module }: FrameName<'_>) -> (String, String) {
        let kernel = Kernel::get();
        let file = self.file(module);
        if name.is_empty() || name == "[unknown]" || is_special(module) && kernel.says(name) {
            return (name.to_owned(), file);
        }
        let base = module.rsplit('/').next().unwrap_or_default();
        let place = name
            .strip_prefix(base)
            .filter(|place| place.starts_with("+0x"));
        let name = match place.filter(|place| !base.is_empty() && kernel.says(place)) {
            Some(place) => format!("{file}{place}"),
            None => self.number(Kind::Function, name),
        };
        (name, file)
    }

    /// New name of a mapped file. Code without a file keeps its name, such as `[vdso]`.
    fn file(&mut self, path: &str) -> String {
        if path.is_empty() || is_special(path) && Kernel::get().says(path) {
            return path.to_owned();
        }
        self.number(Kind::File, path)
    }

    fn mapped(&mut self, what: &str) -> String {
        if what.starts_with('/') {
            self.number(Kind::File, what)
        } else {
            self.words(what)
        }
    }

    /// Files that were mapped, and their builds.
    pub(super) fn mappings(&mut self, mappings: &mut Mappings) {
        for path in &mut mappings.files {
            *path = self.file(path);
        }
        for build in mappings.build_ids.iter_mut().flatten() {
            *build = self.number(Kind::Build, build);
        }
    }

    /// A text in a table that was made of renamed ones.
    fn made(&mut self, text: &str) -> String {
        if is_kernel_thread(text) {
            return text.to_owned();
        }
        self.words(text)
    }
}

/// Returns whether a path names code or memory without a file.
fn is_special(path: &str) -> bool {
    path.starts_with('[') || path.starts_with("//") || matches!(path, "" | "inlined")
}

/// Returns whether a name is one that the kernel gives its threads: a word of its own and then numbers.
fn is_kernel_thread(name: &str) -> bool {
    KERNEL_THREADS.iter().any(|word| {
        name.strip_prefix(word).is_some_and(|rest| {
            rest.chars()
                .all(|c| c.is_ascii_digit() || "/:uHR+-".contains(c))
        })
    })
}

/// Returns whether a line is one of measured values, such as `cling: timer gid=3 nid=0 F=1`.
fn is_measured(line: &str) -> bool {
    let kinds = ["cling:", "psi_sample ", "numa_group:", "some ", "full "];
    kinds.iter().any(|kind| line.starts_with(kind)) && Kernel::get().says(line)
}

/// New texts for those of a column.
pub(super) fn each(texts: &StringArray, mut new: impl FnMut(&str) -> String) -> ArrayRef {
    let mut column = StringBuilder::new();
    for text in texts {
        column.append_option(text.map(&mut new));
    }
    Arc::new(column.finish())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, RecordBatch, StringArray};

    use super::{Cut, FrameName, Names, is_kernel_thread, is_measured};

    fn names() -> Names {
        Names::new(&Cut {
            pseudonyms: true,
            ..Cut::default()
        })
    }

    #[test]
    fn names_are_numbered_and_kernel_threads_stay() {
        let mut names = names();
        assert_eq!(names.task("postgres"), "task-1");
        assert_eq!(names.task("java"), "task-2");
        assert_eq!(names.task("postgres"), "task-1");
        assert_eq!(names.task("kworker/0:1H"), "kworker/0:1H");
        assert_eq!(names.group("/a/b.slice/a"), "/group-1/group-2/group-1");
        assert_eq!(names.group("/"), "/");
        assert_eq!(names.text("/usr/bin/x"), "text-1");
    }

    #[test]
    fn pseudonyms_pass_the_gate_again() {
        let mut names = names();
        for given in [
            names.task("postgres"),
            names.group("/a/b"),
            names.text("x"),
            names.stack("acme::f()+0x1 (/bin/acme)"),
            names.words("schedule acme_fn"),
        ] {
            assert_eq!(names.made(&given), given);
        }
        assert_eq!(names.made("acme"), "name-2");
        assert_eq!(names.made("swapper/1"), "swapper/1");
    }

    #[test]
    fn stacks_keep_their_places_and_what_the_kernel_names() {
        let mut names = names();
        let text = "do_syscall_64+0x71 ([kernel.kallsyms]);acme_ioctl+0x1 ([acme_module]);\
                    <A as B<C (D)>>::run+0x1f (/opt/a b (deleted));[unknown] (/opt/a b (deleted));small (inlined)";
        let expected = "do_syscall_64+0x71 ([kernel.kallsyms]);function-1+0x1 (file-1);\
                        function-2+0x1f (file-2);[unknown] (file-2);function-3 (inlined)";
        assert_eq!(names.stack(text), expected);
        assert_eq!(
            names.stack("    55d0a1b2c3d4 main+0x4 (/opt/a b (deleted))"),
            "55d0a1b2c3d4 function-4+0x4 (file-2)"
        );
        assert_eq!(
            names.stack(" => acme_ioctl\n => do_syscall_64\n"),
            " => name-1\n => do_syscall_64\n"
        );
    }

    #[test]
    fn a_place_in_a_file_stays_a_place() {
        let mut names = names();
        let mut frame = |name, module| names.frame(FrameName { name, module });
        let pair = |name: &str, file: &str| (name.to_owned(), file.to_owned());
        assert_eq!(
            frame("libacme.so+0x1f", "/opt/libacme.so"),
            pair("file-1+0x1f", "file-1")
        );
        assert_eq!(frame("0x7f00", ""), pair("0x7f00", ""));
        assert_eq!(frame("[vdso]+0x3", "[vdso]"), pair("[vdso]+0x3", "[vdso]"));
        assert_eq!(
            frame("schedule", "/opt/libacme.so"),
            pair("function-1", "file-1")
        );
    }

    #[test]
    fn frames_keep_the_pseudonyms_that_they_have() {
        let mut names = names();
        let stack = names.stack("acme::f()+0x1 (/bin/acme);[unknown] (/bin/acme)");
        assert_eq!(stack, "function-1+0x1 (file-1);[unknown] (file-1)");
        let text = |texts: [&str; 5]| Arc::new(StringArray::from(texts.to_vec())) as ArrayRef;
        let batch = RecordBatch::try_from_iter([
            (
                "name",
                text([
                    "function-1",
                    "file-1+0xabc",
                    "acme::g()",
                    "schedule",
                    "acme",
                ]),
            ),
            (
                "module",
                text(["file-1", "file-1", "file-1", "[kernel.kallsyms]", "/bin/b"]),
            ),
        ]);
        let new = names.frames(&batch.unwrap()).unwrap();
        let expected = [
            (
                "name",
                text([
                    "function-1",
                    "file-1+0xabc",
                    "function-2",
                    "schedule",
                    "function-3",
                ]),
            ),
            (
                "module",
                text(["file-1", "file-1", "file-1", "[kernel.kallsyms]", "file-2"]),
            ),
        ];
        assert_eq!(new, RecordBatch::try_from_iter(expected).unwrap());
    }

    #[test]
    fn a_program_cannot_pass_for_the_kernel() {
        for name in [
            "kworker/0:1",
            "kworker/u16:2",
            "swapper/12",
            "ksoftirqd/3",
            "rcu_preempt",
            "kswapd0",
        ] {
            assert!(is_kernel_thread(name), "{name}");
        }
        for name in [
            "kworker/secret",
            "swapperx",
            "kswapd0-customer",
            "rcu_preempted",
            "",
            "kthreadd2x",
        ] {
            assert!(!is_kernel_thread(name), "{name}");
        }
    }

    #[test]
    fn only_measured_lines_stay() {
        for line in [
            "cling: timer gid=3 nid=0 F=1 T=2 Q=33 busiest_nid=-1 grp=4",
            "cling: decision site=lb pid=7 snid=0 dnid=1 verdict=cling gid=3",
            "cling: leave gid=3 pid=7 kind=classic nr_tasks=2 grp=4",
            "psi_sample idx=1 mono_ns=12 real_ns=34\n",
            "some avg10=0.12 avg60=0.00 avg300=0.00 total=5",
        ] {
            assert!(is_measured(line), "{line}");
        }
        for line in [
            "hello",
            "cling: join gid=3 name=customer",
            "cling: join gid=3 customer",
            "cling: we sell to acme",
            "psi_sample idx=1 /home/ada",
            "some customer=5",
        ] {
            assert!(!is_measured(line), "{line}");
        }
    }
}
