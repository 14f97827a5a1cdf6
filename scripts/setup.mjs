// npm run setup: everything that running and testing needs, each part only when its inputs changed.
import { main } from "./lib/run.mjs";
import { setup } from "./lib/steps.mjs";

await main(() => setup({ dev: true }));
