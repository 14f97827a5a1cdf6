import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { kindWords } from "./finding-words.ts";

const ENGINE = fileURLToPath(new URL("../../../backend/engine/analysis/src", import.meta.url));

/** Every kind that the engine can find: its detectors name them in capitals, at least two words. */
function kinds(): string[] {
  const files = readdirSync(ENGINE, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".rs"),
  );
  const detectors = files.filter((file) => /findings|ilb/.test(file) || /migrate_on_fault/.test(file));
  const found = detectors.flatMap((file) => {
    const text = readFileSync(join(ENGINE, file), "utf8");
    return [...text.matchAll(/"([A-Z]{2,}(?:_[A-Z]+)+)"/g)].map(([, id]) => id ?? "");
  });
  return [...new Set(found)].filter((id) => !/^(MIGRATE_(A?SYNC)|CONFIG_)/.test(id));
}

describe("words of findings", () => {
  it("tell of every kind that the engine finds what it means, in one sentence", () => {
    const other = kindWords("NEVER_HEARD_OF").means;
    const all = kinds();
    expect(all.length).toBeGreaterThan(25);
    for (const id of all) {
      const { means } = kindWords(id);
      expect(means, id).not.toBe(other);
      expect(means, id).toMatch(/^[A-Z][^.]*\.$/);
    }
  });
});
