// npm start [-- serve options]: page and API from one origin, with the sample recording on the first run.
import { at, venvBin } from "./lib/paths.mjs";
import { main, serve } from "./lib/run.mjs";
import { setup } from "./lib/setup.mjs";

await main(async () => {
  await setup();
  const args = ["serve", "--sample", at("samples", "cling-2x4-heavy"), ...process.argv.slice(2)];
  return serve([{ command: venvBin("numalens"), args }]);
});
