// npm start [-- serve options]: page and API from one origin, with the sample recording on the first run.
import { at, venvBin } from "./lib/paths.mjs";
import { main, serve } from "./lib/run.mjs";
import { setup } from "./lib/setup.mjs";

await main(async () => {
  const options = process.argv.slice(2);
  await setup(["page"], options);
  const args = ["serve", "--sample", at("samples", "cling-2x4-heavy"), ...options];
  return serve([{ command: venvBin("numalens"), args }]);
});
