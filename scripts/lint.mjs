// npm run lint [-- --fix]: formatters, linters and type checkers of all three languages.
import { lintStages } from "./lib/linters.mjs";
import { main } from "./lib/run.mjs";
import { setup } from "./lib/setup.mjs";
import { runStages } from "./lib/stages.mjs";

await main(async () => {
  await setup(["types", "extras", "tests"]);
  const fix = process.argv.includes("--fix");
  // Two that fix the same files would undo each other's work.
  return runStages(lintStages({ fix }), fix ? { room: 1 } : {});
});
