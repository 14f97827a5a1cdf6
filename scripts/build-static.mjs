// npm run build:static [-- --sample]: the page and its engine as one file, for any web server or to be opened by itself; with
// --sample a second one, dist/demo/index.html, in which the sample is open.
import fs from "node:fs";
import { parseArgs } from "node:util";
import { at, shown, venvBin } from "./lib/paths.mjs";
import { main, must, Plain } from "./lib/run.mjs";
import { setup } from "./lib/setup.mjs";

await main(async () => {
  const { values } = parseArgs({ options: { sample: { type: "boolean" } } });
  await setup(["page", "offline"]);
  const file = at("backend", "numalens", "page", "numalens.html");
  if (!fs.existsSync(file)) throw new Plain("The page as one file needs its engine, which cannot be built here.");
  const megabytes = (fs.statSync(file).size / 1e6).toFixed(1);
  process.stdout.write(`${shown(file)} (${megabytes} MB): serve it under any name, or open it.\n`);
  if (!values.sample) return;
  const demo = at("dist", "demo", "index.html");
  fs.mkdirSync(at("dist", "demo"), { recursive: true });
  const failed = "The page with the sample could not be written.";
  await must(failed, venvBin("numalens"), ["convert", "sample", "--format", "html", "-o", demo]);
  process.stdout.write(
    `${shown(demo)} (${(fs.statSync(demo).size / 1e6).toFixed(1)} MB): the same, with the sample open.\n`,
  );
});
