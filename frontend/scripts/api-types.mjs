// Writes src/api/schema.ts from openapi.json, or with --check fails when the two disagree.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const SOURCE = new URL("../openapi.json", import.meta.url);
const TARGET = new URL("../src/api/schema.ts", import.meta.url);

/** The TypeScript text that belongs to an OpenAPI document. */
export async function render(source = SOURCE) {
  const types = astToString(await openapiTS(JSON.parse(await readFile(source, "utf8"))));
  return `// Generated from openapi.json by \`npm run api\`; do not edit.\n${types}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = await render();
  if (process.argv.includes("--check")) {
    if ((await readFile(TARGET, "utf8")) !== text) {
      process.stderr.write("src/api/schema.ts is older than openapi.json; run `npm run api`.\n");
      process.exitCode = 1;
    }
  } else {
    await writeFile(TARGET, text);
  }
}
