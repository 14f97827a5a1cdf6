/** The recording that this tab reads by itself, without a server. */

import { useSyncExternalStore } from "react";
import { sentenceOf } from "../client.ts";
import { engineModule } from "../local/module.ts";
import { LocalEngine, type LocalStage } from "../local/transport.ts";
import { Api } from "../routes/service.ts";
import type { AnalysisDetail } from "../types.ts";

/** Stands for the rights of a reader: whoever looks at a file of theirs has no account, list or links here. */
const NO_LIST = "local";

export type LocalRecording =
  | { readonly state: "none" }
  | { readonly state: "reading"; readonly names: string; readonly step: LocalStage | null }
  | {
      readonly state: "failed";
      readonly names: string;
      readonly sentence: string;
      readonly retry: (() => void) | null;
    }
  | { readonly state: "ready"; readonly api: Api; readonly analysis: AnalysisDetail };

class LocalSession {
  readonly #listeners = new Set<() => void>();
  #now: LocalRecording = { state: "none" };
  #engine: LocalEngine | null = null;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getSnapshot = (): LocalRecording => this.#now;

  /** Reads files that were dropped together; what was read before is forgotten. */
  read(files: readonly File[], tolerant = false): Promise<void> {
    const retry = tolerant ? null : () => void this.read(files, true);
    return this.#begin(files, (engine) => engine.read(files, tolerant), retry);
  }

  /** Opens a bundle as one file. */
  open(packed: File): Promise<void> {
    return this.#begin([packed], (engine) => engine.open(packed), null);
  }

  async #begin(
    files: readonly File[],
    act: (engine: LocalEngine) => Promise<AnalysisDetail>,
    retry: (() => void) | null,
  ): Promise<void> {
    this.close();
    const names = files.map(({ name }) => name).join(", ");
    this.#set({ state: "reading", names, step: null });
    try {
      const module = await engineModule();
      const worker = new Worker(new URL("../local/worker.ts", import.meta.url), { type: "module" });
      const engine = new LocalEngine(worker, module);
      this.#engine = engine;
      engine.onProgress = (step) => this.#of(engine, { state: "reading", names, step });
      const analysis = await act(engine);
      this.#of(engine, { state: "ready", api: new Api(NO_LIST, engine.fetch), analysis });
    } catch (error) {
      this.#set({ state: "failed", names, sentence: sentenceOf(error), retry });
    }
  }

  close(): void {
    this.#engine?.close();
    this.#engine = null;
    this.#set({ state: "none" });
  }

  /** What an engine says that is still the one in use. */
  #of(engine: LocalEngine, now: LocalRecording): void {
    if (engine === this.#engine) this.#set(now);
  }

  #set(now: LocalRecording): void {
    this.#now = now;
    for (const listener of this.#listeners) listener();
  }
}

export const localSession = new LocalSession();

export function useLocalRecording(): LocalRecording {
  return useSyncExternalStore(localSession.subscribe, localSession.getSnapshot);
}
