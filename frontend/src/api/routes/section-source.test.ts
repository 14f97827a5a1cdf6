import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Delay } from "../../lib/store.ts";
import { ApiError } from "../client.ts";
import { inTurn, RETRY_MS, SectionSource } from "./section-source.ts";
import type { SectionQuery } from "./sections.ts";

const at = (from: bigint): SectionQuery => ({ window: { from, to: from + 10n } });

interface Call {
  readonly query: SectionQuery;
  readonly signal: AbortSignal;
  readonly answer: (value: string) => void;
  readonly fail: (error: unknown) => void;
}

function service() {
  const calls: Call[] = [];
  const fetch = (query: SectionQuery, signal: AbortSignal) =>
    new Promise<string>((answer, fail) => {
      calls.push({ query, signal, answer, fail });
      signal.addEventListener("abort", () => fail(signal.reason));
    });
  return { calls, fetch };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("SectionSource", () => {
  it("asks at once for the first window, then only for those that rest", async () => {
    const { calls, fetch } = service();
    const source = new SectionSource(fetch);
    source.want(at(0n));
    expect(calls).toHaveLength(1);
    calls[0]?.answer("first");
    await settle();
    expect(source.getSnapshot()).toMatchObject({ answer: "first", loading: false });
    for (let from = 1n; from <= 20n; from += 1n) {
      source.want(at(from));
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(calls).toHaveLength(1);
    expect(source.getSnapshot()).toMatchObject({ answer: "first", loading: true });
    await vi.advanceTimersByTimeAsync(200);
    expect(calls.map(({ query }) => query.window?.from)).toEqual([0n, 20n]);
  });

  it("tells the questions about two tasks apart", async () => {
    const { calls, fetch } = service();
    const source = new SectionSource(fetch);
    source.want({ ...at(0n), pid: 7 });
    calls[0]?.answer("seven");
    await settle();
    source.want({ ...at(0n), pid: 8 });
    await vi.advanceTimersByTimeAsync(300);
    expect(calls.map(({ query }) => query.pid)).toEqual([7, 8]);
  });

  it("has at most one request under way and hangs up on the one that nobody waits for", async () => {
    const { calls, fetch } = service();
    const source = new SectionSource(fetch);
    source.want(at(0n));
    source.want(at(1n));
    expect(calls[0]?.signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(300);
    expect(calls).toHaveLength(2);
    calls[0]?.answer("too late");
    calls[1]?.answer("second");
    await settle();
    expect(source.getSnapshot()).toMatchObject({ answer: "second", problem: null });
    expect(source.getSnapshot().query).toEqual(at(1n));
  });

  it("takes no answer that came in spite of being hung up on", async () => {
    const late: ((value: string) => void)[] = [];
    const source = new SectionSource(() => new Promise<string>((answer) => late.push(answer)));
    source.want(at(0n));
    source.want(at(1n));
    await vi.advanceTimersByTimeAsync(300);
    late[0]?.("of the first window");
    await settle();
    expect(source.getSnapshot()).toMatchObject({ answer: null, loading: true });
    late[1]?.("of the second");
    await settle();
    expect(source.getSnapshot()).toMatchObject({ answer: "of the second", loading: false });
  });

  it("keeps earlier answers, so that Back is at once", async () => {
    const { calls, fetch } = service();
    const source = new SectionSource(fetch);
    for (const from of [0n, 1n]) {
      source.want(at(from));
      await vi.advanceTimersByTimeAsync(300);
      calls.at(-1)?.answer(`from ${from}`);
      await settle();
    }
    source.want(at(0n));
    expect(source.getSnapshot()).toMatchObject({ answer: "from 0", loading: false });
    expect(calls).toHaveLength(2);
  });

  it("tells windows from rules, steps and degrees", async () => {
    const { calls, fetch } = service();
    const source = new SectionSource(fetch);
    const all: SectionQuery[] = [
      at(0n),
      { ...at(0n), rules: "5.7" },
      { ...at(0n), stepNs: 1000 },
      { ...at(0n), degree: 0 },
      { ...at(0n), degree: 1000 },
      { window: null },
    ];
    for (const query of all) {
      source.want(query);
      await vi.advanceTimersByTimeAsync(300);
      calls.at(-1)?.answer("");
      await settle();
    }
    expect(calls.map(({ query }) => query)).toEqual(all);
  });

  it("shows a refusal in its sentence, without an answer of another window, and does not ask again by itself", async () => {
    const { calls, fetch } = service();
    const source = new SectionSource(fetch);
    source.want(at(0n));
    calls[0]?.answer("first");
    await settle();
    source.want(at(1n));
    await vi.advanceTimersByTimeAsync(300);
    calls[1]?.fail(new ApiError("The window is empty.", 422));
    await settle();
    expect(source.getSnapshot()).toMatchObject({
      answer: null,
      loading: false,
      problem: "The window is empty.",
    });
    for (let i = 0; i < 5; i += 1) {
      source.want(at(1n));
      await vi.advanceTimersByTimeAsync(2000);
    }
    expect(calls).toHaveLength(2);
    source.drop();
    source.want(at(1n));
    await vi.advanceTimersByTimeAsync(300);
    expect(calls).toHaveLength(3);
  });

  it("keeps trying while the service is away", async () => {
    const { calls, fetch } = service();
    const source = new SectionSource(fetch);
    source.want(at(0n));
    calls[0]?.fail(new ApiError("The server does not answer.", 0));
    await settle();
    expect(source.getSnapshot()).toMatchObject({ loading: true, problem: "The server does not answer." });
    source.want(at(0n));
    await vi.advanceTimersByTimeAsync(1500);
    expect(calls).toHaveLength(2);
    calls[1]?.answer("back");
    await settle();
    expect(source.getSnapshot()).toMatchObject({ answer: "back", loading: false, problem: null });
  });

  it("hangs up when nobody looks any more", async () => {
    const { calls, fetch } = service();
    const source = new SectionSource(fetch);
    source.want(at(0n));
    source.drop();
    expect(calls[0]?.signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(5000);
    expect(calls).toHaveLength(1);
    expect(source.getSnapshot()).toMatchObject({ loading: false, problem: null });
  });

  it("answers one who waits for a query, also when it is there already or comes to nothing", async () => {
    const { calls, fetch } = service();
    const source = new SectionSource(fetch);
    const first = source.answerTo(at(0n));
    calls[0]?.answer("findings");
    await expect(first).resolves.toBe("findings");
    await expect(source.answerTo(at(0n))).resolves.toBe("findings");
    const refused = source.answerTo(at(1n));
    await vi.advanceTimersByTimeAsync(300);
    calls[1]?.fail(new ApiError("no", 404));
    await expect(refused).resolves.toBeNull();
  });
});

describe("inTurn", () => {
  it("lets one question out at a time, and who hung up while waiting asks nothing", async () => {
    const { calls, fetch } = service();
    const request = inTurn(fetch);
    const stop = new AbortController();
    const first = request(at(0n), new AbortController().signal);
    const second = request(at(1n), stop.signal);
    const third = request(at(2n), new AbortController().signal);
    const gone = expect(second).rejects.toThrow();
    await settle();
    expect(calls).toHaveLength(1);
    stop.abort();
    calls[0]?.fail(new ApiError("no", 500));
    await expect(first).rejects.toThrow("no");
    await gone;
    await settle();
    expect(calls.map(({ query }) => query.window?.from)).toEqual([0n, 2n]);
    calls[1]?.answer("third");
    await expect(third).resolves.toBe("third");
  });
});

describe("delay", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("waits, does it once, and waits no more", () => {
    const retry = new Delay();
    const again = vi.fn(() => expect(retry.waiting).toBe(false));
    retry.start(again, RETRY_MS);
    vi.advanceTimersByTime(RETRY_MS - 1);
    expect([again.mock.calls.length, retry.waiting]).toEqual([0, true]);
    vi.advanceTimersByTime(RETRY_MS);
    expect([again.mock.calls.length, retry.waiting]).toEqual([1, false]);
  });

  it("gives up when it is stopped, and when it is begun anew", () => {
    const retry = new Delay();
    const [first, second] = [vi.fn(), vi.fn()];
    retry.start(first, RETRY_MS);
    retry.start(second, RETRY_MS);
    vi.advanceTimersByTime(RETRY_MS);
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([0, 1]);
    retry.start(first, RETRY_MS);
    retry.stop();
    vi.advanceTimersByTime(RETRY_MS);
    expect(first).not.toHaveBeenCalled();
  });
});
