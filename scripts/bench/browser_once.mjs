// node browser_once.mjs FILE: the page's engine reads one recording; a line of JSON says what it took.
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { build } from "vite";
import { readEngine } from "../lib/engine.mjs";
import { at } from "../lib/paths.mjs";

const [file] = process.argv.slice(2);
const folder = at("frontend", "src", "api", "local");
const [{ output }] = await build({
  configFile: false,
  logLevel: "error",
  build: { write: false, minify: false, lib: { entry: `${folder}/engine.ts`, formats: ["es"], fileName: "engine" } },
});
const { Engine } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
const module = await WebAssembly.compile(await readEngine());

const source = await open(file);
const { size } = await source.stat();
// One buffer for all parts, which are copied at once: what is measured is the engine.
let buffer = Buffer.alloc(0);
const read = async (from, to) => {
  if (buffer.length < to - from) buffer = Buffer.alloc(to - from);
  await source.read(buffer, 0, to - from, from);
  return buffer.subarray(0, to - from);
};
const before = process.cpuUsage();
const engine = await Engine.load(module, () => {});
const { status, bytes } = await engine.read([{ name: basename(file), size, read }], false);
const { user, system } = process.cpuUsage(before);
await source.close();
if (status !== 200) throw new Error(new TextDecoder().decode(bytes));
const memory = { memory_bytes: engine.memoryBytes, size };
process.stdout.write(`${JSON.stringify({ cpu_s: (user + system) / 1e6, ...memory })}\n`);
