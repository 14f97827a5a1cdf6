import { describe, expect, it } from "vitest";
import { CATALOGUE } from "../lib/catalogue.ts";
import { kindWords } from "./finding-words.ts";

describe("words of findings", () => {
  it("say of every kind of the catalogue what it means, with its kernel function", () => {
    expect(CATALOGUE.findings.length).toBeGreaterThan(25);
    for (const { id } of CATALOGUE.findings) {
      expect(kindWords(`${id}@5`).means, id).toMatch(/^[A-Z].*[.] Kernel: .+[.]$/);
    }
  });

  it("lead from slow requests to their tab", () => {
    for (const id of ["LOCK_HOLDER", "DISK_SLOW", "PEER_SLOW"]) {
      expect(kindWords(`${id}@5`).evidence.tab, id).toBe("requests");
    }
  });

  it("lead from a kind that this version does not know to the waits", () => {
    expect(kindWords("NEVER_HEARD_OF").evidence.tab).toBe("latency");
  });
});
