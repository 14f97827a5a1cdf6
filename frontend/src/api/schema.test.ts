import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { render } from "../../scripts/api-types.mjs";

it("the checked-in types are those of openapi.json", async () => {
  const written = await readFile(new URL("./schema.ts", import.meta.url), "utf8");
  expect(written).toBe(await render());
});
