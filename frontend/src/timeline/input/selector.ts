/** Which slice is selected, and the questions to the service that selecting takes. */

import type { Slice } from "../../api/types.ts";
import { type AbsNs, type Span, toAbs } from "../../lib/time.ts";
import type { Scene, Selection, SliceLookup } from "../scene.ts";

export interface SelectorHooks {
  /** The selection or its facts changed. */
  readonly changed: () => void;
  /** A slice was gone to; it should be seen. */
  readonly reveal: (slice: Slice) => void;
}

export class Selector {
  readonly #scene: Scene;
  readonly #lookup: SliceLookup;
  readonly #hooks: SelectorHooks;
  #request: AbortController | null = null;
  selection: Selection | null = null;
  /** Rows of the task table that belong to the selected task (it may have changed its name). */
  focus: ReadonlySet<number> | null = null;

  constructor(scene: Scene, lookup: SliceLookup, hooks: SelectorHooks) {
    this.#scene = scene;
    this.#lookup = lookup;
    this.#hooks = hooks;
  }

  isAt(cpu: number, at: AbsNs): boolean {
    return this.selection?.cpu === cpu && this.selection.at === at;
  }

  /** Selects what runs on a CPU at a time; nothing when it was idle. */
  async select(cpu: number, at: AbsNs): Promise<void> {
    this.selection = { cpu, at, slice: null };
    this.#hooks.changed();
    const slice = await this.#fetch((signal) => this.#lookup.at(cpu, at, signal));
    if (!this.isAt(cpu, at)) return;
    if (slice) this.#adopt(slice, at);
    else this.clear();
  }

  /** Goes to the neighbouring slice of the same task. Returns false when there is none. */
  async walk(dir: "next" | "prev"): Promise<boolean> {
    const slice = this.selection?.slice;
    if (!slice) return false;
    return this.#goTo(await this.#neighbour(slice.pid, BigInt(slice.start_ns), dir));
  }

  /** Goes to the first slice of a task inside the window, else in the trace. */
  async findTask(pid: number, window: Span): Promise<boolean> {
    const { origin, bounds } = this.#scene;
    const inWindow = await this.#neighbour(pid, toAbs(origin, window.from) - 1n, "next");
    return this.#goTo(inWindow ?? (await this.#neighbour(pid, toAbs(origin, bounds.from) - 1n, "next")));
  }

  clear(): void {
    this.#request?.abort();
    this.selection = null;
    this.focus = null;
    this.#hooks.changed();
  }

  #goTo(slice: Slice | null): boolean {
    if (!slice) return false;
    this.#adopt(slice, BigInt(slice.start_ns));
    this.#hooks.reveal(slice);
    return true;
  }

  #adopt(slice: Slice, at: AbsNs): void {
    const rows = new Set<number>();
    this.#scene.tasks.pid.forEach((pid, row) => {
      if (pid === slice.pid) rows.add(row);
    });
    this.selection = { cpu: slice.cpu, at, slice };
    this.focus = rows;
    this.#hooks.changed();
  }

  #neighbour(pid: number, at: AbsNs, dir: "next" | "prev"): Promise<Slice | null> {
    return this.#fetch((signal) => this.#lookup.neighbour(pid, at, dir, signal));
  }

  /** One question at a time; a newer one takes the older one's place. */
  async #fetch(question: (signal: AbortSignal) => Promise<Slice | null>): Promise<Slice | null> {
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    try {
      return await question(request.signal);
    } catch {
      // Superseded, or the service is away: the selection simply stays as it was.
      return null;
    }
  }
}
