// npm run audit: known weaknesses of all dependencies, and their licences. An audit whose source cannot be reached is skipped.
import { audits } from "./lib/audit.mjs";
import { licences } from "./lib/licences.mjs";
import { main } from "./lib/run.mjs";

await main(async () => {
  const refused = await licences();
  process.stdout.write(refused.length ? `${refused.join("\n")}\n` : "licences: all allowed\n");
  return (await audits()) + refused.length ? 1 : 0;
});
