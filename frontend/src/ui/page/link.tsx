import type { AnchorHTMLAttributes, MouseEvent } from "react";

interface Props extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly to: string;
}

/** A link inside the page; with a modifier key it is the browser's own link. */
export function Link({ to, children, ...rest }: Props) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a href={to} onClick={follow} {...rest}>
      {children}
    </a>
  );
}

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
  tell();
}

/** Like `navigate`, but replaces the current entry of the browser's history. */
export function replaceAddress(to: string): void {
  window.history.replaceState(null, "", to);
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}
