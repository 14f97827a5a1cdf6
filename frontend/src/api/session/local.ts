/** The recording that this tab reads by itself, without a server. */

import { useSyncExternalStore } from "react";
import { sentenceOf } from "../client.ts";
import type { Part } from "../local/engine.ts";
import { engineModule } from "../local/module.ts";
import { pageFile } from "../local/page-file.ts";
import { LocalEngine, type LocalStage } from "../local/transport.ts";
import { Api, type Lack } from "../routes/service.ts";
import type { AnalysisDetail, Note } from "../types.ts";
import type { PickedFile } from "./file-handles.ts";
import { leftOut } from "./upload-record.ts";

/** Placeholder for the rights of a reader: users of a local file have no account, list or links here. */
const NO_LIST = "local";
/** Features that need a server. */
const LACKS: readonly Lack[] = ["sql", "reports"];

export type LocalRecording =
  | { readonly state: "none" }
  | { readonly state: "reading"; readonly names: string; readonly step: LocalStage | null }
  | {
      readonly state: "failed";
      readonly names: string;
      readonly sentence: string;
      readonly retry: (() => void) | null;
    }
  | {
      readonly state: "ready";
      readonly api: Api;
      readonly analysis: AnalysisDetail;
    };

interface Files {
  readonly files: readonly File[];
  readonly tolerant: boolean;
}

class LocalSession {
  readonly #listeners = new Set<() => void>();
  #now: LocalRecording = { state: "none" };
  #engine: LocalEngine | null = null;
  /** Imported files; null for a bundle, of which no part can be imported again. */
  #source: Files | null = null;
  /** The upload of the same files, if they are uploaded as well. */
  #batch: string | null = null;
  /** Number of started reads: results of an earlier one are dropped. */
  #turn = 0;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getSnapshot = (): LocalRecording => this.#now;

  /** Reads those that are not empty; raises where all are, and returns which were left out. */
  offer(picked: readonly PickedFile[]): string | null {
    const files = picked.map(({ file }) => file);
    const full = files.filter(({ size }) => size > 0);
    const empty = files.filter(({ size }) => size === 0).map(({ name }) => name);
    const note = leftOut(empty, [], full.length);
    if (full.length === 0) throw new Error(note ?? "No file was given.");
    void this.read(full);
    return note;
  }

  /** Reads files that were dropped together; what was read before is forgotten. */
  read(files: readonly File[], batch: string | null = null, tolerant = false): Promise<void> {
    const retry = tolerant ? null : () => void this.read(files, batch, true);
    const api = (engine: LocalEngine) => new Api(NO_LIST, engine.fetch, [...LACKS, "notes"]);
    const begun = this.#begin(files, (engine) => engine.read(files, tolerant), { api, retry });
    this.#source = { files, tolerant };
    this.#batch = batch;
    return begun;
  }

  /** Opens a bundle as one file, with the notes that came with it. */
  open(packed: File, notes: readonly Note[]): Promise<void> {
    const lacks: readonly Lack[] = notes.length > 0 ? LACKS : [...LACKS, "notes"];
    const api = (engine: LocalEngine) => new Api(NO_LIST, engine.fetch, lacks);
    return this.#begin([packed], (engine) => engine.open(packed, notes), { api, retry: null });
  }

  /** Batch of the upload of these files. */
  get batch(): string | null {
    return this.#batch;
  }

  get canCut(): boolean {
    return this.#source !== null;
  }

  /**
   * The page with what was read as one file.
   *
   * @param part part that is imported again for the file, null: all unchanged
   */
  async save(part: Part | null, name: string, view: string): Promise<Blob> {
    if (part === null || this.#source === null) {
      if (!this.#engine) throw new Error("The recording was closed.");
      return pageFile({ packed: await this.#engine.pack(), name, view });
    }
    const { files, tolerant } = this.#source;
    const engine = await startEngine();
    try {
      await engine.read(files, tolerant, part);
      return await pageFile({
        packed: await engine.pack(),
        name: part.pseudonyms ? "recording" : name,
        view,
      });
    } finally {
      engine.close();
    }
  }

  async #begin(
    files: readonly File[],
    act: (engine: LocalEngine) => Promise<AnalysisDetail>,
    then: {
      readonly api: (engine: LocalEngine) => Api;
      readonly retry: (() => void) | null;
    },
  ): Promise<void> {
    this.close();
    const turn = this.#turn;
    const names = files.map(({ name }) => name).join(", ");
    this.#set({ state: "reading", names, step: null });
    try {
      const engine = await startEngine();
      if (turn !== this.#turn) return engine.close();
      this.#engine = engine;
      engine.onProgress = (step) => this.#of(engine, { state: "reading", names, step });
      const analysis = await act(engine);
      this.#of(engine, { state: "ready", api: then.api(engine), analysis });
    } catch (error) {
      if (turn === this.#turn)
        this.#set({ state: "failed", names, sentence: sentenceOf(error), retry: then.retry });
    }
  }

  close(): void {
    this.#engine?.close();
    this.#engine = null;
    this.#source = null;
    this.#batch = null;
    this.#turn += 1;
    this.#set({ state: "none" });
  }

  /** Handles a message of an engine, if it is still the one in use. */
  #of(engine: LocalEngine, now: LocalRecording): void {
    if (engine === this.#engine) this.#set(now);
  }

  #set(now: LocalRecording): void {
    this.#now = now;
    for (const listener of this.#listeners) listener();
  }
}

async function startEngine(): Promise<LocalEngine> {
  const module = await engineModule();
  const worker = new Worker(new URL("../local/worker.ts", import.meta.url), { type: "module" });
  return new LocalEngine(worker, module);
}

export const localSession = new LocalSession();

export function useLocalRecording(): LocalRecording {
  return useSyncExternalStore(localSession.subscribe, localSession.getSnapshot);
}
