//! Pseudonyms: the same name gets the same number everywhere in a copy, and nothing leads back.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, Int32Array, RecordBatch, StringArray};
use arrow_schema::DataType;

use super::Cut;
use crate::error::Error;

/// Who was not chosen.
const OTHER: &str = "other";
/// Columns whose texts the kernel's own source names.
const KERNELS: [&str; 15] = [
    "action",
    "function",
    "func",
    "policy",
    "reason",
    "resource",
    "state",
    "prev_state",
    "symbol",
    "what",
    "softirq",
    "cpus_allowed",
    "call_site",
    "mode",
    "type",
];
/// Words of samples that are the kernel's.
const KERNEL_NAMES: [&str; 3] = ["vmstat", "proc_sched", "cgroup_stat"];
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

/// What the names of a copy become.
pub(super) struct Names {
    pseudonyms: bool,
    chosen: Option<BTreeSet<i32>>,
    tasks: HashMap<String, String>,
    groups: HashMap<String, String>,
    texts: HashMap<String, String>,
}

impl Names {
    pub(super) fn new(cut: &Cut) -> Self {
        Self {
            pseudonyms: cut.pseudonyms,
            chosen: cut.tasks.clone(),
            tasks: HashMap::new(),
            groups: HashMap::new(),
            texts: HashMap::new(),
        }
    }

    /// The events of a table under other names.
    pub(super) fn events(
        &mut self,
        system: &str,
        event: &str,
        batch: RecordBatch,
    ) -> Result<RecordBatch, Error> {
        let printed = system == "ftrace" && matches!(event, "print" | "bputs" | "bprint");
        self.all(
            batch,
            |name| printed && matches!(name, "buf" | "str" | "fmt"),
            "",
        )
    }

    /// The rows of a sample table under other names.
    pub(super) fn samples(
        &mut self,
        table: &str,
        batch: RecordBatch,
    ) -> Result<RecordBatch, Error> {
        self.all(batch, |_| false, table)
    }

    fn all(
        &mut self,
        batch: RecordBatch,
        printed: impl Fn(&str) -> bool,
        table: &str,
    ) -> Result<RecordBatch, Error> {
        if !self.pseudonyms && self.chosen.is_none() {
            return Ok(batch);
        }
        let schema = batch.schema();
        let mut columns = Vec::with_capacity(batch.num_columns());
        for (field, column) in schema.fields().iter().zip(batch.columns()) {
            let name = field.name().as_str();
            let changed: Option<ArrayRef> = match column.data_type() {
                DataType::Utf8 => {
                    let texts = column.as_string::<i32>();
                    if let Some(pids) = pids_of(&batch, name) {
                        Some(self.tasks(texts, &pids))
                    } else if !self.pseudonyms {
                        None
                    } else if is_comm(name) {
                        Some(self.each(texts, Self::task))
                    } else if is_group(name) {
                        Some(self.each(texts, Self::group))
                    } else if printed(name) {
                        Some(self.each(texts, Self::line))
                    } else if KERNELS.contains(&name)
                        || (name == "name" && KERNEL_NAMES.contains(&table))
                    {
                        None
                    } else {
                        Some(self.each(texts, Self::text))
                    }
                }
                // Raw bytes may hold anything.
                DataType::Binary if self.pseudonyms => {
                    let empty = std::iter::repeat_n(Some(&b""[..]), batch.num_rows());
                    Some(Arc::new(empty.collect::<BinaryArray>()))
                }
                _ => None,
            };
            columns.push(changed.unwrap_or_else(|| Arc::clone(column)));
        }
        Ok(RecordBatch::try_new(schema, columns)?)
    }

    fn each(&mut self, texts: &StringArray, new: fn(&mut Self, &str) -> String) -> ArrayRef {
        let texts = texts.iter().map(|text| text.map(|text| new(self, text)));
        Arc::new(texts.collect::<StringArray>())
    }

    /// Names of tasks whose numbers stand in the same row.
    fn tasks(&mut self, texts: &StringArray, pids: &Int32Array) -> ArrayRef {
        let rows = texts.iter().zip(pids.iter());
        let names = rows.map(|(text, pid)| {
            let text = text?;
            let known = pid.is_some_and(|pid| self.is_chosen(pid)) || is_kernel_thread(text);
            Some(match (known, self.pseudonyms) {
                (false, _) => OTHER.to_owned(),
                (true, true) => self.task(text),
                (true, false) => text.to_owned(),
            })
        });
        Arc::new(names.collect::<StringArray>())
    }

    fn is_chosen(&self, pid: i32) -> bool {
        self.chosen
            .as_ref()
            .is_none_or(|chosen| chosen.contains(&pid))
    }

    fn task(&mut self, name: &str) -> String {
        if name.is_empty() || name == OTHER || is_kernel_thread(name) {
            return name.to_owned();
        }
        numbered(&mut self.tasks, "task", name)
    }

    /// A path stays a path: what was below something still is.
    fn group(&mut self, path: &str) -> String {
        let parts = path.split('/').map(|part| match part {
            "" => String::new(),
            part => numbered(&mut self.groups, "group", part),
        });
        parts.collect::<Vec<_>>().join("/")
    }

    fn text(&mut self, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        numbered(&mut self.texts, "text", text)
    }

    /// Lines of kernels and samplers that have nothing but numbers and words of theirs stay: replays read them.
    fn line(&mut self, line: &str) -> String {
        if is_measured(line.trim_end()) {
            line.to_owned()
        } else {
            self.text(line)
        }
    }
}

fn numbered(known: &mut HashMap<String, String>, kind: &str, name: &str) -> String {
    let next = known.len() + 1;
    let number = known.entry(name.to_owned());
    number.or_insert_with(|| format!("{kind}-{next}")).clone()
}

/// The numbers that belong to a column of names.
fn pids_of(batch: &RecordBatch, name: &str) -> Option<Int32Array> {
    let pid = match name {
        "comm" => "pid",
        "prev_comm" => "prev_pid",
        "next_comm" => "next_pid",
        "parent_comm" => "parent_pid",
        "child_comm" => "child_pid",
        _ => return None,
    };
    super::rows::threads(batch, pid)
}

fn is_comm(name: &str) -> bool {
    name == "comm" || name.ends_with("_comm")
}

fn is_group(name: &str) -> bool {
    matches!(name, "cgroup" | "path" | "dst_path")
}

/// Whether a name is one that the kernel gives its threads: a word of its own and then numbers.
fn is_kernel_thread(name: &str) -> bool {
    KERNEL_THREADS.iter().any(|word| {
        name.strip_prefix(word).is_some_and(|rest| {
            rest.chars()
                .all(|c| c.is_ascii_digit() || "/:uHR+-".contains(c))
        })
    })
}

/// Whether a line is one of measured values, such as `cling: timer gid=3 nid=0 F=1`.
fn is_measured(line: &str) -> bool {
    let mut words = line.split(' ');
    let (first, rest) = (words.next().unwrap_or_default(), words);
    if !matches!(
        first,
        "cling:" | "psi_sample" | "numa_group:" | "some" | "full"
    ) {
        return false;
    }
    let mut bare = 0;
    for word in rest {
        let Some((key, value)) = word.split_once('=') else {
            bare += 1;
            if bare > 1 || !is_word(word) {
                return false;
            }
            continue;
        };
        let number = value.trim_start_matches('-');
        let numeric = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || c == '.');
        if !is_word(key) || !(numeric || VERDICTS.contains(&value)) {
            return false;
        }
    }
    true
}

/// Words that stand as values in such lines: sites, verdicts, kinds of joining (`numa::line` in the engine reads them).
const VERDICTS: [&str; 13] = [
    "lb", "wake", "swap", "cling", "busy", "src_busy", "dst_busy", "tg", "switch", "classic",
    "evacuate", "exit", "exec",
];

fn is_word(word: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (1..=24).contains(&word.len()) && word.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use arrow_array::cast::AsArray;
    use arrow_array::types::Int32Type;
    use arrow_array::{ArrayRef, BinaryArray, Int32Array, RecordBatch, StringArray};

    use super::{Cut, Names, is_kernel_thread, is_measured};

    #[test]
    fn names_are_numbered_and_kernel_threads_stay() {
        let cut = Cut {
            pseudonyms: true,
            ..Cut::default()
        };
        let mut names = Names::new(&cut);
        assert_eq!(names.task("postgres"), "task-1");
        assert_eq!(names.task("java"), "task-2");
        assert_eq!(names.task("postgres"), "task-1");
        assert_eq!(names.task("kworker/0:1H"), "kworker/0:1H");
        assert_eq!(names.group("/a/b.slice/a"), "/group-1/group-2/group-1");
        assert_eq!(names.group("/"), "/");
        assert_eq!(names.text("/usr/bin/x"), "text-1");
    }

    /// A table with one row of everything that may tell a name.
    fn naming() -> RecordBatch {
        let text = |text: &str| Arc::new(StringArray::from(vec![text])) as ArrayRef;
        let columns = [
            ("comm", text("postgres")),
            ("cgroup", text("/acme.slice/db")),
            ("path", text("/acme.slice")),
            ("filename", text("/home/ada/plan")),
            ("function", text("try_to_wake_up")),
            (
                "raw",
                Arc::new(BinaryArray::from_vec(vec![b"acme"])) as ArrayRef,
            ),
            ("pid", Arc::new(Int32Array::from(vec![7])) as ArrayRef),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    #[test]
    fn every_column_that_may_tell_a_name_is_changed() {
        let mut names = Names::new(&Cut {
            pseudonyms: true,
            ..Cut::default()
        });
        let new = names.events("cgroup", "cgroup_mkdir", naming()).unwrap();
        let text = |name: &str| new[name].as_string::<i32>().value(0).to_owned();
        assert_eq!(text("comm"), "task-1");
        assert_eq!(text("cgroup"), "/group-1/group-2");
        assert_eq!(text("path"), "/group-1");
        assert_eq!(text("filename"), "text-1");
        assert_eq!(text("function"), "try_to_wake_up");
        assert_eq!(new["raw"].as_binary::<i32>().value(0), b"");
        assert_eq!(new["pid"].as_primitive::<Int32Type>().value(0), 7);
    }

    #[test]
    fn names_of_who_was_not_chosen_are_gone_and_other_texts_stay() {
        for (chosen, comm) in [(7, "postgres"), (8, "other")] {
            let mut names = Names::new(&Cut {
                tasks: Some(BTreeSet::from([chosen])),
                ..Cut::default()
            });
            let new = names.events("cgroup", "cgroup_mkdir", naming()).unwrap();
            let text = |name: &str| new[name].as_string::<i32>().value(0).to_owned();
            assert_eq!(text("comm"), comm);
            assert_eq!(text("filename"), "/home/ada/plan");
        }
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
            "psi_sample idx=1 mono_ns=12 real_ns=34",
            "some avg10=0.12 avg60=0.00 avg300=0.00 total=5",
        ] {
            assert!(is_measured(line), "{line}");
        }
        for line in [
            "hello",
            "cling: join gid=3 name=customer",
            "cling: we sell to acme",
            "psi_sample idx=1 /home/ada",
            "some customer=acme",
        ] {
            assert!(!is_measured(line), "{line}");
        }
    }
}
