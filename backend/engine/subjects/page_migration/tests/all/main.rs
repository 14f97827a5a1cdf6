//! The tests of this crate, in one program: each would otherwise be linked by itself.

mod page_migration;
mod page_migration_common;
mod page_migration_findings;
mod page_migration_memory;
mod page_migration_modern;
mod page_migration_properties;
mod page_migration_table;
