/** State of the server by the last requests; while it does not answer, requests are repeated until it does. */

import { useSyncExternalStore } from "react";
import { Store } from "../lib/store.ts";

const AGAIN_MS = 2000;

class ServerAwayStore extends Store<boolean> {
  #again: ReturnType<typeof setTimeout> | undefined;

  answered(): void {
    clearTimeout(this.#again);
    this.#again = undefined;
    if (this.getSnapshot()) this.set(false);
  }

  /** @param ask asks the server; it calls `answered` or `unreachable` itself */
  unreachable(ask: () => void): void {
    if (!this.getSnapshot()) this.set(true);
    clearTimeout(this.#again);
    this.#again = setTimeout(ask, AGAIN_MS);
  }
}

export const serverAway = new ServerAwayStore(false);

export function useServerAway(): boolean {
  return useSyncExternalStore(serverAway.subscribe, serverAway.getSnapshot);
}
