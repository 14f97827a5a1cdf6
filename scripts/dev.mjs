// npm run dev [-- serve options]: the page from Vite, reloading in place, and the API, started again when its Python changes.
import { at, venvBin } from "./lib/paths.mjs";
import { main, serve } from "./lib/run.mjs";
import { setup } from "./lib/setup.mjs";

await main(async () => {
  const options = process.argv.slice(2);
  await setup(["types", "extras"], options);
  process.stdout.write("After a change of Rust code, start this command again.\n");
  const api = ["serve", "--port", "8000", "--sample", at("samples", "cling-2x4-heavy"), ...options];
  return serve([
    { command: venvBin("numalens"), args: api, watch: at("backend", "numalens") },
    { command: at("node_modules", ".bin", "vite"), args: [], cwd: at("frontend") },
  ]);
});
