//! Writes the list of subjects for `src/subjects.rs`: the dependencies below `../subjects`, in the order of `Cargo.toml`.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=Cargo.toml");
    let manifest = fs::read_to_string("Cargo.toml")?;
    let lines = manifest
        .lines()
        .filter(|line| line.contains("\"../subjects/"));
    let names = lines.filter_map(|line| {
        let (name, dependency) = line.split_once(' ')?;
        let name = name.replace('-', "_");
        let feature = format!("CARGO_FEATURE_{}", name.to_uppercase());
        let left_out = dependency.contains("optional") && env::var_os(feature).is_none();
        (!left_out).then_some(name)
    });
    let list = names.collect::<Vec<_>>().join(", ");
    let folder = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(
        Path::new(&folder).join("subjects.rs"),
        format!("subjects! {{ {list} }}\n"),
    )
}
