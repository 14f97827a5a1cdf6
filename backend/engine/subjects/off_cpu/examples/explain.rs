//! Explains a bundle: `explain BUNDLE TASK LOG SLOW`; with a bundle alone, prints what its block devices did.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use numalens_bundle::Open;
use numalens_folder::Folder;
use numalens_off_cpu::{Ledger, Question, explain};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let open = Open::new(Arc::new(Folder::new(Path::new(&args[1])))).unwrap();
    if args.len() == 2 {
        let ledger = Ledger::new(&open).unwrap();
        let devices = ledger.devices(0, u64::MAX).unwrap();
        println!("{}", serde_json::to_string_pretty(&devices).unwrap());
        return;
    }
    let question = Question {
        // Empty for the service of the log.
        task: Some(args[2].clone()).filter(|task| !task.is_empty()),
        slow: args.get(4).map(|it| it.parse().unwrap()),
        ..Question::default()
    };
    let log = args
        .get(3)
        .map(|path| std::fs::read_to_string(path).unwrap());
    match explain(
        &open,
        &question,
        log.as_deref().map(|it| ("client.csv", it)),
    ) {
        Ok(answer) => println!("{}", serde_json::to_string_pretty(&answer).unwrap()),
        Err(error) => {
            println!("{error}");
            std::process::exit(1);
        }
    }
}
