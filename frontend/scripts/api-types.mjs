// Writes src/api/schema.ts, the page's types, and src/lib/finding-kinds.ts, the engine's catalogue of findings, from
// openapi.json, the service's description of itself.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const description = JSON.parse(await readFile(new URL("../openapi.json", import.meta.url), "utf8"));
const types = astToString(await openapiTS(description));
await writeFile(
  new URL("../src/api/schema.ts", import.meta.url),
  `// Generated from openapi.json by \`npm run api\`; do not edit.\n${types}`,
);

const kinds = description.paths["/api/v1/findings"].get.responses["200"].content["application/json"].example;
await writeFile(
  new URL("../src/lib/finding-kinds.ts", import.meta.url),
  `// Generated from openapi.json by \`npm run api\`; do not edit.\nexport const FINDING_KINDS = ${JSON.stringify(kinds, null, 2)} as const;\n`,
);
