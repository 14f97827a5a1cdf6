import type { Slice } from "../../api/types.ts";
import { type AbsNs, type Span, toAbs, toRel } from "../../lib/time.ts";
import type { PickedFact, Taken } from "../panel.ts";
import type { PanelStack } from "../panel-stack.ts";
import { type LitWait, type Scene, type Selection, type SliceLookup, sliceSpan } from "../scene.ts";
import type { ViewportController } from "./viewport-controller.ts";

/** Selection: a slice of a task, or an event of a lane; one at a time, by a click, by keys, or by name. */

export interface SelectionHooks {
  /** Called when the selection, or its details, changed. */
  readonly changed: () => void;
  /** A step that Back should undo. */
  readonly step: () => void;
  /** The lane of a CPU should be seen. */
  readonly bringUp: (cpu: number) => void;
}

/** Source of highlighted tasks; the first one decides. */
export type LitBy = "path" | "wait";

export class SelectionController {
  readonly #scene: Scene;
  readonly #viewport: ViewportController;
  readonly #hooks: SelectionHooks;
  readonly #selector: Selector;
  readonly #pickedEvent: PickedEvent;
  readonly #lights = new Map<LitBy, LitWait>();
  #area: Span | null = null;

  constructor(
    scene: Scene,
    lookup: SliceLookup,
    stack: PanelStack,
    viewport: ViewportController,
    hooks: SelectionHooks,
  ) {
    this.#scene = scene;
    this.#viewport = viewport;
    this.#hooks = hooks;
    this.#pickedEvent = new PickedEvent(stack);
    this.#selector = new Selector(scene, lookup, {
      changed: () => {
        if (this.#selector.selection) this.#pickedEvent.take(null);
        hooks.changed();
      },
      reveal: (slice) => this.#reveal(slice),
    });
  }

  get selection(): Selection | null {
    return this.#selector.selection;
  }

  get picked(): PickedFact | null {
    return this.#pickedEvent.picked;
  }

  /** Name of the selection in a link. */
  get named(): NamedFact | null {
    return this.#pickedEvent.named;
  }

  /** Rows of the task table to bring forward. */
  get focus(): ReadonlySet<number> | null {
    return this.lit?.tasks ?? this.#selector.focus;
  }

  /** A critical path or a wait that is looked at; it comes before what is selected. */
  get lit(): LitWait | null {
    return this.#lights.get("path") ?? this.#lights.get("wait") ?? null;
  }

  light(lit: LitWait | null, by: LitBy): void {
    if (lit) this.#lights.set(by, lit);
    else this.#lights.delete(by);
    this.#hooks.changed();
  }

  /** Interval of the selection, if it has one. */
  get span(): Span | null {
    const slice = this.selection?.slice;
    return slice ? sliceSpan(slice, this.#scene.origin) : (this.picked?.span ?? this.#area);
  }

  /** A time range for computations instead of the window. */
  get area(): Span | null {
    return this.#area;
  }

  set area(area: Span | null) {
    this.#area = area;
  }

  /** Takes over what an address says. */
  adopt(selected: Pick<Selection, "cpu" | "at"> | null, glyph: NamedFact | null): void {
    if (selected?.cpu !== this.selection?.cpu || selected?.at !== this.selection?.at) {
      if (selected) void this.select(selected.cpu, selected.at);
      else this.#selector.clear();
    }
    this.#pickedEvent.name(selected ? null : glyph);
  }

  /** A panel was answered: it may have what a link names. */
  resolve(): void {
    this.#pickedEvent.resolve();
  }

  /** Selects what runs on a CPU at a time; nothing when it was idle. */
  select(cpu: number, at: AbsNs): Promise<void> {
    return this.#selector.select(cpu, at);
  }

  isAt(cpu: number, at: AbsNs): boolean {
    return this.#selector.isAt(cpu, at);
  }

  /** Selects the first slice of a task inside the window (else in the trace) and shows where it ran. */
  findTask(pid: number): Promise<boolean> {
    return this.#selector.findTask(pid, this.#viewport.view);
  }

  /** Takes the result of a click; an empty one clears the selection. */
  take(taken: Taken | null): void {
    if (!taken) {
      this.letGo();
      return;
    }
    taken.also?.();
    if (taken.kind === "slice") {
      void this.select(taken.cpu, toAbs(this.#scene.origin, taken.at)).then(this.#hooks.step);
      return;
    }
    if (this.selection) this.#selector.clear();
    this.#pick(taken.fact);
    this.#hooks.step();
  }

  /** Clears the selection, otherwise the area, as one step; returns whether there was one. */
  letGo(): boolean {
    if (this.selection || this.picked) this.drop();
    else if (this.#area) {
      this.#area = null;
      this.#hooks.changed();
    } else return false;
    this.#hooks.step();
    return true;
  }

  /** Clears the selection, without a step. */
  drop(): void {
    this.#pick(null);
    this.#selector.clear();
  }

  clearPicked(): void {
    this.#pick(null);
    this.#hooks.step();
  }

  /** Goes to the neighbour of its kind. */
  async walk(dir: "next" | "prev"): Promise<void> {
    if (this.picked) this.#walkFact(this.#pickedEvent.neighbour(dir === "next" ? 1 : -1));
    else if (await this.#selector.walk(dir)) this.#hooks.step();
  }

  #walkFact(next: PickedFact | null): void {
    if (!next) return;
    this.#pick(next);
    const t = toRel(this.#scene.origin, next.at);
    this.#viewport.reveal({ from: t, to: t });
    this.#hooks.step();
  }

  #reveal(slice: Slice): void {
    this.#viewport.reveal(sliceSpan(slice, this.#scene.origin));
    this.#hooks.bringUp(slice.cpu);
  }

  #pick(fact: PickedFact | null): void {
    if (this.#pickedEvent.take(fact)) this.#hooks.changed();
  }
}

/** The event of a lane that was clicked, or that a link names and whose panel has not been answered yet. */

export interface NamedFact {
  readonly lane: string;
  readonly at: AbsNs;
}

export class PickedEvent {
  readonly #stack: PanelStack;
  #picked: PickedFact | null = null;
  #named: NamedFact | null = null;

  constructor(stack: PanelStack) {
    this.#stack = stack;
  }

  get picked(): PickedFact | null {
    return this.#picked;
  }

  /** Name of the selection in a link. */
  get named(): NamedFact | null {
    return this.#picked ? { lane: this.#picked.lane, at: this.#picked.at } : this.#named;
  }

  /** Returns false when nothing changed. */
  take(fact: PickedFact | null): boolean {
    this.#named = null;
    if (this.#picked === fact) return false;
    this.#picked = fact;
    return true;
  }

  /** Takes the name in a link. It is selected as soon as its panel has it. */
  name(named: NamedFact | null): void {
    if (named?.lane === this.#picked?.lane && named?.at === this.#picked?.at) return;
    this.#picked = null;
    this.#named = named;
    this.resolve();
  }

  resolve(): void {
    if (!this.#named) return;
    const { lane, at } = this.#named;
    const fact = this.#stack.factAt(lane, at);
    if (fact) this.take(fact);
  }

  /** The neighbour of its kind; null at the end, and where nothing is picked. */
  neighbour(step: -1 | 1): PickedFact | null {
    return this.#picked && this.#stack.neighbourOf(this.#picked, step);
  }
}

// Which slice is selected, and the questions to the service that selecting takes.

export interface SelectorHooks {
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
