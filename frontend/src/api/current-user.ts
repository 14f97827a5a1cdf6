/** Who sits at this browser, as the service last said. */

import { useSyncExternalStore } from "react";
import { Store } from "../lib/store.ts";
import type { Info } from "./types.ts";

export interface CurrentUser {
  /** null until it is known. */
  readonly info: Info | null;
  /** The service wants somebody to sign in first. */
  readonly out: boolean;
}

class CurrentUserStore extends Store<CurrentUser> {
  learn(info: Info): void {
    this.set({ info, out: this.getSnapshot().out && info.person === null && !info.owner });
  }

  /** A request was refused because nobody is signed in, or not any more. */
  refused(): void {
    const { info, out } = this.getSnapshot();
    if (!out) this.set({ info: info && { ...info, person: null }, out: true });
  }
}

export const currentUser = new CurrentUserStore({ info: null, out: false });

export function useCurrentUser(): CurrentUser {
  return useSyncExternalStore(currentUser.subscribe, currentUser.getSnapshot);
}
