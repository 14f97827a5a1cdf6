// Writes src/api/schema.ts, the page's types, from openapi.json, the service's description of itself.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const description = JSON.parse(await readFile(new URL("../openapi.json", import.meta.url), "utf8"));
const types = astToString(await openapiTS(description));
await writeFile(
  new URL("../src/api/schema.ts", import.meta.url),
  `// Generated from openapi.json by \`npm run api\`; do not edit.\n${types}`,
);
