/** The address as a store: pages follow it, links change it. */

const listeners = new Set<() => void>();

export function subscribeAddress(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("popstate", listener);
  window.addEventListener("hashchange", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("popstate", listener);
    window.removeEventListener("hashchange", listener);
  };
}

export function currentAddress(): string {
  return window.location.href;
}

export function navigate(to: string): void {
  window.history.pushState(null, "", to);
  for (const listener of listeners) listener();
}
