// npm run build:static: the page and its engine as one file, for any web server or to be opened by itself.
import fs from "node:fs";
import { at, shown } from "./lib/paths.mjs";
import { main, Plain } from "./lib/run.mjs";
import { setup } from "./lib/setup.mjs";

await main(async () => {
  await setup(["page", "offline"]);
  const file = at("backend", "numalens", "page", "numalens.html");
  if (!fs.existsSync(file)) throw new Plain("The page as one file needs its engine, which cannot be built here.");
  const megabytes = (fs.statSync(file).size / 1e6).toFixed(1);
  process.stdout.write(`${shown(file)} (${megabytes} MB): serve it under any name, or open it.\n`);
});
