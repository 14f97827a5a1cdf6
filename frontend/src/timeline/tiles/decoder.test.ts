import {
  columnFromArray,
  float32,
  float64,
  tableFromColumns,
  tableToIPC,
  uint8,
  uint16,
  uint32,
} from "@uwdata/flechette";
import { describe, expect, it } from "vitest";
import { decodeTimeline, sortTimeline } from "./arrow.ts";
import { type Decoded, type DecodeOrder, Decoder, type WorkerLike } from "./decoder.ts";
import { Kind } from "./tiles.ts";

/** Two lanes: a slice and a gap of the first, a slice of the second. */
function answer(): ArrayBuffer {
  const none = [0, 0, 0];
  const table = tableFromColumns({
    lane: columnFromArray([1, 0, 0], uint16()),
    kind: columnFromArray([Kind.Slice, Kind.Slice, Kind.Lost], uint8()),
    t0: columnFromArray([5, 10, 40], float64()),
    t1: columnFromArray([9, 20, 50], float64()),
    busy: columnFromArray(none, float32()),
    rt: columnFromArray(none, float32()),
    wait: columnFromArray(none, float32()),
    wait_max: columnFromArray(none, uint32()),
    task: columnFromArray([8, 7, 0], uint32()),
    count: columnFromArray([1, 1, 1], uint32()),
  });
  const bytes = tableToIPC(table, { format: "stream" });
  if (!bytes) throw new Error("no bytes were written");
  return bytes.slice().buffer;
}

class FakeWorker implements WorkerLike {
  onmessage: WorkerLike["onmessage"] = null;
  onerror: WorkerLike["onerror"] = null;
  readonly orders: DecodeOrder[] = [];
  readonly postMessage = (order: DecodeOrder) => {
    this.orders.push(order);
  };
  readonly terminate = () => {};

  notify(message: Decoded): void {
    this.onmessage?.({ data: message } as MessageEvent<Decoded>);
  }

  comeUp(): void {
    this.notify({ number: -1, sorted: null, problem: null });
  }
}

const SPAN = { from: 0, to: 100 };

describe("Decoder", () => {
  it("decodes here until the worker is there, and the same there from then on", async () => {
    const worker = new FakeWorker();
    const { decode } = new Decoder(worker);
    const wanted = decodeTimeline(answer(), 2, SPAN, 1);
    expect(decode(answer(), 2, SPAN, 1)).toEqual(wanted);
    expect(worker.orders).toEqual([]);

    worker.comeUp();
    const first = decode(answer(), 2, SPAN, 1);
    const second = decode(answer(), 2, SPAN, 2);
    const [a, b] = worker.orders;
    if (!a || !b) throw new Error("the worker was not asked");
    for (const { number, bytes, laneCount } of [b, a]) {
      worker.notify({ number, sorted: sortTimeline(bytes, laneCount), problem: null });
    }
    expect(await first).toEqual(wanted);
    expect((await second)[0]?.resolution).toBe(2);
  });

  it("says what went wrong, and does without a worker that died", async () => {
    const worker = new FakeWorker();
    const { decode } = new Decoder(worker);
    worker.comeUp();
    const refused = decode(answer(), 2, SPAN, 1);
    worker.notify({ number: 1, sorted: null, problem: "The answer is cut short." });
    await expect(refused).rejects.toThrow("cut short");

    const lost = decode(answer(), 2, SPAN, 1);
    worker.onerror?.({ message: "The worker is out of memory." } as ErrorEvent);
    await expect(lost).rejects.toThrow("out of memory");
    expect(decode(answer(), 2, SPAN, 1)).toEqual(decodeTimeline(answer(), 2, SPAN, 1));
  });
});
