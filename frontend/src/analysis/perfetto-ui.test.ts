import { describe, expect, it } from "vitest";
import { ApiError } from "../api/client.ts";
import {
  BLOCKED,
  CLOSED,
  MOST_WHOLE,
  type OpenRequest,
  otherPart,
  type PerfettoState,
  PerfettoUi,
  perfettoSentence,
  UI_ADDRESS,
  UI_PAGE,
  type UiHost,
  type UiWindow,
  usualPart,
  whyPart,
} from "./perfetto-ui.ts";

const REQUEST: OpenRequest = {
  part: "whole",
  window: null,
  view: { from: 23_479_835_937n, to: 23_524_044_432n },
  title: "sample",
};

interface Setup {
  readonly blocked?: boolean;
  /** Does not answer the first so many times. */
  readonly deaf?: number;
  readonly page?: () => Promise<Response>;
  readonly trace?: (signal: AbortSignal) => Promise<Response>;
}

/** A window of Perfetto's page that notes what it is told, and what the service was asked. */
function setting({ blocked = false, deaf = 2, page, trace }: Setup = {}) {
  const wanted: string[] = [];
  const sent: unknown[] = [];
  let answered: (data: unknown) => void = () => {};
  const app: { trace: unknown; isLoadingTrace: boolean } = { trace: undefined, isLoadingTrace: false };
  let pings = 0;
  const ui = {
    closed: false as boolean,
    close: () => {
      ui.closed = true;
    },
    document: { title: "" },
    app,
    postMessage: (message: unknown, origin: string) => {
      expect(origin).toBe("http://here");
      if (message === "PING") {
        pings += 1;
        if (pings > deaf) answered("PONG");
        return;
      }
      sent.push(message);
      if ((message as { perfetto?: { buffer?: unknown } }).perfetto?.buffer) {
        app.isLoadingTrace = true;
        setTimeout(() => Object.assign(app, { trace: {}, isLoadingTrace: false }), 30);
      }
    },
  } satisfies UiWindow & { app: object };
  const host: UiHost = {
    origin: "http://here",
    open: (address) => {
      wanted.push(`window ${address}`);
      return blocked ? null : ui;
    },
    listen: (_, hear) => {
      answered = hear;
    },
  };
  const downloads = {
    trace: (id: string, window: OpenRequest["window"]) => `/${id}/trace${window ? "?window" : ""}`,
    open: (url: string, signal: AbortSignal | null = null) => {
      wanted.push(url);
      if (url === UI_PAGE) return page?.() ?? Promise.resolve(new Response("<html>"));
      return trace?.(signal ?? new AbortController().signal) ?? Promise.resolve(new Response("12345678"));
    },
  };
  const perfetto = new PerfettoUi(downloads, "abc", host);
  const states: PerfettoState[] = [];
  perfetto.subscribe(() => states.push(perfetto.getSnapshot()));
  return { perfetto, wanted, sent, states, ui };
}

const untilStopped = (signal: AbortSignal) =>
  new Promise<Response>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

describe("opening in Perfetto", () => {
  it("asks until the page answers, gives the trace, and shows the stretch when it is read", async () => {
    const { perfetto, wanted, sent, states } = setting();
    await perfetto.open(REQUEST);
    expect(wanted).toEqual([`window ${UI_ADDRESS}`, UI_PAGE, "/abc/trace"]);
    expect(states.map(({ kind }) => kind)).toEqual([
      "preparing",
      "preparing",
      "starting",
      "reading",
      "shown",
    ]);
    const [given, shown] = sent as { perfetto: Record<string, unknown> }[];
    expect(new TextDecoder().decode(given?.perfetto["buffer"] as ArrayBuffer)).toBe("12345678");
    expect(given?.perfetto).toMatchObject({ title: "sample", keepApiOpen: true, localOnly: true });
    expect(shown?.perfetto).toMatchObject({ timeStart: 23.479835937, timeEnd: 23.524044432 });
    expect(sent).toHaveLength(2);
  });

  it("gives only the window when told so", async () => {
    const { perfetto, wanted, states } = setting();
    await perfetto.open({ ...REQUEST, part: "window", window: REQUEST.view });
    expect(wanted).toContain("/abc/trace?window");
    expect(states.at(-1)).toEqual({ kind: "shown", part: "window" });
  });

  it("says that the browser blocked the window, and asks for nothing", async () => {
    const { perfetto, wanted } = setting({ blocked: true });
    await perfetto.open(REQUEST);
    expect(perfetto.getSnapshot()).toEqual({ kind: "failed", sentence: BLOCKED });
    expect(wanted).toHaveLength(1);
  });

  it("says when the window is closed, and hangs up", async () => {
    let hungUp = false;
    const trace = (signal: AbortSignal) => {
      signal.addEventListener("abort", () => {
        hungUp = true;
      });
      return untilStopped(signal);
    };
    const { perfetto, ui } = setting({ trace });
    const opening = perfetto.open(REQUEST);
    ui.close();
    await opening;
    expect(perfetto.getSnapshot()).toEqual({ kind: "failed", sentence: CLOSED });
    expect(hungUp).toBe(true);
  });

  it("tells in the server's words that the page is missing, hangs up, and closes the empty window", async () => {
    const gone = new ApiError("Perfetto's page is not installed.", 503);
    const { perfetto, ui } = setting({ page: () => Promise.reject(gone), trace: untilStopped, deaf: 1e9 });
    await perfetto.open(REQUEST);
    expect(perfetto.getSnapshot()).toEqual({ kind: "failed", sentence: gone.message });
    expect(ui.closed).toBe(true);
  });

  it("tells in the server's words why there is no trace", async () => {
    const none = new ApiError("There is no such recording in this analysis.", 404);
    const { perfetto, ui } = setting({ trace: () => Promise.reject(none), deaf: 1e9 });
    await perfetto.open(REQUEST);
    expect(perfetto.getSnapshot()).toEqual({ kind: "failed", sentence: none.message });
    expect(ui.closed).toBe(true);
  });

  it("forgets the first when asked again, and says nothing when the reader stops it", async () => {
    const { perfetto, states } = setting({ trace: untilStopped });
    const first = perfetto.open(REQUEST);
    const second = perfetto.open(REQUEST);
    await first;
    expect(states.at(-1)?.kind).toBe("preparing");
    perfetto.dismiss();
    await second;
    expect(perfetto.getSnapshot()).toEqual({ kind: "idle" });
  });
});

describe("perfetto", () => {
  describe("what of a recording is opened", () => {
    it("is all of a small one and the window of a large one, and says why", () => {
      expect(usualPart(MOST_WHOLE)).toBe("whole");
      expect(usualPart(MOST_WHOLE + 1)).toBe("window");
      expect(whyPart(145_336)).toContain("145,336 events");
      expect(whyPart(16_000_000)).toMatch(/^Only this window .* 16,000,000 events/);
      expect([otherPart("whole"), otherPart("window")]).toEqual(["window", "whole"]);
    });

    it("has one sentence for every state", () => {
      const states: PerfettoState[] = [
        { kind: "preparing", part: "whole", bytes: 3_200_000 },
        { kind: "starting", part: "whole", bytes: 3_200_000 },
        { kind: "reading", part: "window", bytes: 3_200_000 },
        { kind: "shown", part: "window" },
        { kind: "failed", sentence: "It went wrong." },
      ];
      const said = states.map(perfettoSentence);
      for (const sentence of said) expect(sentence).toMatch(/^[A-Z].*\.$/);
      expect(new Set(said).size).toBe(said.length);
      expect(said[0]).toContain("3.1 MiB so far");
      expect(perfettoSentence({ kind: "idle" })).toBe("");
    });
  });
});
