// npm run setup [-- --all]: what the first page needs; with --all also every optional feature, and what tests and linters need.
// A part is made again only when its inputs changed.
import { parseArgs } from "node:util";
import { main } from "./lib/run.mjs";
import { ALL, setup } from "./lib/setup.mjs";

await main(() => {
  const { values } = parseArgs({ options: { all: { type: "boolean" } } });
  return setup(values.all ? ALL : ["page"]);
});
