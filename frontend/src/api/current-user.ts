/** Who sits at this browser, as the service last said. */

import { useSyncExternalStore } from "react";
import type { Info } from "./types.ts";

export interface CurrentUser {
  /** null until it is known. */
  readonly info: Info | null;
  /** The service wants somebody to sign in first. */
  readonly out: boolean;
}

const listeners = new Set<() => void>();
let known: CurrentUser = { info: null, out: false };

export const currentUser = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },

  getSnapshot: (): CurrentUser => known,

  learn(info: Info): void {
    notify({ info, out: known.out && info.person === null && !info.owner });
  },

  /** A request was refused because nobody is signed in, or not any more. */
  refused(): void {
    if (!known.out) notify({ info: known.info && { ...known.info, person: null }, out: true });
  },
};

function notify(next: CurrentUser): void {
  known = next;
  for (const listener of [...listeners]) listener();
}

export function useCurrentUser(): CurrentUser {
  return useSyncExternalStore(currentUser.subscribe, currentUser.getSnapshot);
}
