import { describe, expect, it } from "vitest";
import { firstStamp, readSampleRows } from "./sample-rows.ts";

/** A body that gives `parts` one after the other and counts how many were taken. */
function bodyOf(parts: readonly Uint8Array[]) {
  const seen = { taken: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const part = parts[seen.taken];
        if (part === undefined) controller.close();
        else {
          seen.taken += 1;
          controller.enqueue(part);
        }
      },
      cancel() {
        seen.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, seen };
}

const bytes = (text: string) => new TextEncoder().encode(text);

describe("readSampleRows", () => {
  it("reads all of a short table, whatever the wire cut", async () => {
    const whole = bytes('input,ts_ns,comm\n0,9007199254740993,"µ,1"\n1,,x\n');
    const { body } = bodyOf([...whole].map((byte) => Uint8Array.of(byte)));
    expect(await readSampleRows(body, 10)).toEqual({
      head: ["input", "ts_ns", "comm"],
      rows: [
        ["0", "9007199254740993", "µ,1"],
        ["1", "", "x"],
      ],
      more: false,
    });
  });

  it("stops a long table early and says that there is more", async () => {
    const parts = [bytes("n\n"), ...Array.from({ length: 1000 }, (_, i) => bytes(`${i}\n`))];
    const { body, seen } = bodyOf(parts);
    const got = await readSampleRows(body, 5);
    expect(got.rows.map(([n]) => n)).toEqual(["0", "1", "2", "3", "4"]);
    expect(got.more).toBe(true);
    expect(seen.taken).toBeLessThan(10);
    expect(seen.cancelled).toBe(true);
  });

  it("takes exactly as many rows as were wanted for all, and an empty table", async () => {
    expect((await readSampleRows(bodyOf([bytes("n\n1\n2\n")]).body, 2)).more).toBe(false);
    expect(await readSampleRows(bodyOf([]).body, 2)).toEqual({ head: [], rows: [], more: false });
  });
});

describe("firstStamp", () => {
  const table =
    "input,ts_ns,idx,mono_ns,real_ns,boot_ns,value\n0,5,1,5,,,7\n2,,1,,1795227806498460328,,8\n2,,2,,9,,8\n3,,,,,,1\n";
  const stampOf = (input: number) => firstStamp(bodyOf([bytes(table)]).body, input);

  it("is the own time of an input's first sample, to the ns", async () => {
    expect(await stampOf(2)).toEqual({ clock: "real", ns: 1_795_227_806_498_460_328n });
    expect(await stampOf(0)).toEqual({ clock: "mono", ns: 5n });
  });

  it("is nothing where samples have no time, or where there are none", async () => {
    expect(await stampOf(3)).toBeNull();
    expect(await stampOf(4)).toBeNull();
  });
});
