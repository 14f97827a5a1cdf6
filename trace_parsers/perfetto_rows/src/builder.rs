//! Rows of one event type on their way into Arrow batches.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, Int32Array, PrimitiveArray, RecordBatch, UInt8Array, UInt32Array,
    UInt64Array, types,
};
use arrow_schema::{ArrowError, SchemaRef};
use numalens_columns::{Column, ColumnType, InputError, TableSpec, argument_name};

use crate::catalogue::{self, Field};
use crate::plan::{EventPlan, Kind, PlannedColumn};
use crate::result::{Cell, broken};

/// Most rows of a batch.
const BATCH_ROWS: usize = 16 << 10;
/// Bytes of text after which a batch is closed.
const BATCH_TEXT: usize = 1 << 20;
/// Longest name of an event or a field.
const MAX_NAME: usize = 128;
/// The event system where none is known.
const NO_SYSTEM: &str = "unknown";

/// Columns before the arguments: the event's own position and time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    pub(crate) ts: u64,
    pub(crate) cpu: u32,
    pub(crate) seq: u64,
    pub(crate) tid: i32,
}

/// The open batch of one event type.
pub(crate) struct Builder {
    pub(crate) spec: TableSpec,
    schema: SchemaRef,
    heads: Vec<Head>,
    /// In the order of the table.
    columns: Vec<Values>,
    /// For each cell of an answer's row, the place of its column.
    places: Vec<usize>,
    text: usize,
}

impl Builder {
    pub(crate) fn new(plan: &EventPlan) -> Result<Self, InputError> {
        check_name(&plan.event)?;
        let known = catalogue::find(&plan.event);
        let fields: &[Field] = known.map_or(&[], |known| &known.fields);
        // Known fields in the kernel's order, then what else there is in the order of the plan.
        let rank =
            |column: &PlannedColumn| fields.iter().position(|field| field.name == column.key);
        let mut order: Vec<usize> = (0..plan.columns.len()).collect();
        order.sort_by_key(|&index| rank(&plan.columns[index]).unwrap_or(usize::MAX));

        let mut columns = vec![Column {
            name: "common_pid".to_owned(),
            ty: ColumnType::Int(4),
            ctype: "int common_pid".to_owned(),
        }];
        let mut values = Vec::with_capacity(plan.columns.len());
        let mut places = vec![0; plan.columns.len()];
        for (place, &index) in order.iter().enumerate() {
            let planned = &plan.columns[index];
            places[index] = place;
            let field = rank(planned).map(|rank| &fields[rank]);
            let field = field
                .filter(|field| (field.ty == ColumnType::Text) == (planned.kind == Kind::Text));
            let (ty, ctype) = match field {
                Some(field) => (
                    field.ty.clone(),
                    format!("{} {}", field.declared, field.name),
                ),
                None => (planned.kind.column_type(), String::new()),
            };
            let name: String = planned.key.chars().take(MAX_NAME).collect();
            let mut name = argument_name(&name, &columns);
            while columns.iter().any(|column| column.name == name) {
                name.push('_');
            }
            values.push(Values::new(
                &ty,
                plan.event == "print" && planned.key == "buf",
            ));
            columns.push(Column { name, ty, ctype });
        }
        let spec = TableSpec {
            system: known.map_or(NO_SYSTEM, |known| known.system).to_owned(),
            event: plan.event.clone(),
            id: 0,
            print_fmt: String::new(),
            columns,
        };
        Ok(Self {
            schema: spec.schema(),
            spec,
            heads: Vec::new(),
            columns: values,
            places,
            text: 0,
        })
    }

    /// Takes a row; says whether the batch is full.
    pub(crate) fn push(&mut self, head: Head, cells: &[Cell<'_>]) -> Result<bool, InputError> {
        self.heads.push(head);
        for (&cell, &place) in cells.iter().zip(&self.places) {
            self.text += self.columns[place].push(cell)?;
        }
        Ok(self.heads.len() >= BATCH_ROWS || self.text >= BATCH_TEXT)
    }

    /// Cells of a row that are the event's arguments.
    pub(crate) fn width(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Closes the batch and begins the next.
    pub(crate) fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        let heads = std::mem::take(&mut self.heads);
        self.text = 0;
        let mut arrays: Vec<ArrayRef> = vec![
            Arc::new(UInt64Array::from_iter_values(
                heads.iter().map(|head| head.ts),
            )),
            Arc::new(UInt32Array::from_iter_values(
                heads.iter().map(|head| head.cpu),
            )),
            Arc::new(UInt64Array::from_iter_values(
                heads.iter().map(|head| head.seq),
            )),
            Arc::new(UInt8Array::from_value(0, heads.len())),
            Arc::new(Int32Array::from_iter_values(
                heads.iter().map(|head| head.tid),
            )),
        ];
        arrays.extend(self.columns.iter_mut().map(Values::take));
        RecordBatch::try_new(Arc::clone(&self.schema), arrays)
    }

    /// Returns notes about values that did not fit the columns, one sentence each.
    pub(crate) fn notes(&self) -> Vec<String> {
        let event = &self.spec.event;
        let mut notes = Vec::new();
        for (values, column) in self.columns.iter().zip(&self.spec.columns[1..]) {
            let name = &column.name;
            if values.empty > 0 {
                let stands = if matches!(values.data, Data::Texts(_)) {
                    "an empty text"
                } else {
                    "0"
                };
                let count = values.empty;
                notes.push(format!(
                    "{count} {event} events have no {name}: {stands} is shown."
                ));
            }
            if values.narrowed > 0 {
                let count = values.narrowed;
                notes.push(format!(
                    "{count} {event} events have a {name} that does not fit the kernel's type and was truncated."
                ));
            }
        }
        notes
    }
}

/// The values of a column in the open batch.
struct Values {
    ty: ColumnType,
    data: Data,
    /// A newline at the end belongs to the writing of the text, not to the text (`print`).
    trim: bool,
    /// Cells of the whole table that had no value.
    empty: u64,
    /// Cells of the whole table whose value the type cannot hold.
    narrowed: u64,
}

enum Data {
    Numbers(Vec<i64>),
    Texts(StringBuilder),
}

impl Values {
    fn new(ty: &ColumnType, trim: bool) -> Self {
        let data = match ty {
            ColumnType::Text => Data::Texts(StringBuilder::new()),
            _ => Data::Numbers(Vec::new()),
        };
        Self {
            ty: ty.clone(),
            data,
            trim,
            empty: 0,
            narrowed: 0,
        }
    }

    /// Takes a cell; gives how many bytes of text it added.
    fn push(&mut self, cell: Cell<'_>) -> Result<usize, InputError> {
        self.empty += u64::from(cell == Cell::Null);
        match &mut self.data {
            Data::Numbers(numbers) => {
                let number = match cell {
                    Cell::Null => 0,
                    Cell::Number(number) => number,
                    other => return Err(broken("a number", other.name())),
                };
                self.narrowed += u64::from(!fits(&self.ty, number));
                numbers.push(number);
                Ok(0)
            }
            Data::Texts(texts) => {
                let text = match cell {
                    Cell::Null => std::borrow::Cow::Borrowed(""),
                    Cell::Text(text) | Cell::Blob(text) => {
                        let end = if self.trim {
                            text.strip_suffix(b"\n")
                        } else {
                            None
                        };
                        String::from_utf8_lossy(end.unwrap_or(text))
                    }
                    Cell::Number(number) => number.to_string().into(),
                    Cell::Real(real) => real.to_string().into(),
                };
                texts.append_value(&text);
                Ok(text.len())
            }
        }
    }

    fn take(&mut self) -> ArrayRef {
        let numbers = match &mut self.data {
            Data::Texts(texts) => return Arc::new(texts.finish()),
            Data::Numbers(numbers) => std::mem::take(numbers),
        };
        match self.ty {
            ColumnType::Int(4) => array::<types::Int32Type>(&numbers, |number| number as i32),
            ColumnType::UInt(1) => array::<types::UInt8Type>(&numbers, |number| number as u8),
            ColumnType::UInt(4) => array::<types::UInt32Type>(&numbers, |number| number as u32),
            ColumnType::UInt(8) => array::<types::UInt64Type>(&numbers, |number| number as u64),
            _ => array::<types::Int64Type>(&numbers, |number| number),
        }
    }
}

fn array<T: ArrowPrimitiveType>(numbers: &[i64], convert: impl Fn(i64) -> T::Native) -> ArrayRef {
    let values = numbers.iter().map(|&number| convert(number));
    Arc::new(PrimitiveArray::<T>::from_iter_values(values))
}

/// Returns whether a number keeps its value in the type's width, as signed or unsigned.
fn fits(ty: &ColumnType, number: i64) -> bool {
    match ty {
        ColumnType::UInt(1) => (i64::from(i8::MIN)..=i64::from(u8::MAX)).contains(&number),
        ColumnType::Int(4) | ColumnType::UInt(4) => {
            (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&number)
        }
        _ => true,
    }
}

impl Kind {
    fn column_type(self) -> ColumnType {
        match self {
            Self::Int => ColumnType::Int(8),
            Self::Uint => ColumnType::UInt(8),
            Self::Bool => ColumnType::UInt(1),
            Self::Text => ColumnType::Text,
        }
    }
}

/// Event names become names of files and of lanes: only what the kernel itself and perf give.
fn check_name(name: &str) -> Result<(), InputError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:,=@/-".contains(&byte);
    let first = name.as_bytes().first().copied().unwrap_or(b'.');
    if name.len() <= MAX_NAME
        && name.bytes().all(plain)
        && (first.is_ascii_alphanumeric() || first == b'_')
    {
        Ok(())
    } else {
        Err(broken(
            "an event name of letters, digits and _ . : , = @ / -",
            format!("{name:?}"),
        ))
    }
}
