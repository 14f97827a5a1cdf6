/** Light or dark: the reader's choice, else the system's. One attribute on the root decides; CSS does the rest. */

import type { Theme } from "./colour.ts";

const KEY = "numalens.theme";
const listeners = new Set<() => void>();
const system = () => window.matchMedia("(prefers-color-scheme: dark)");

/** For as long as something is made for paper. */
let held: Theme | null = null;

function chosen(): Theme | null {
  const stored = localStorage.getItem(KEY);
  return stored === "light" || stored === "dark" ? stored : null;
}

/** Theme of the root. The system's may already be different: drawing by that would use outdated tokens. */
let applied: Theme | null = null;

function wanted(): Theme {
  return held ?? chosen() ?? (system().matches ? "dark" : "light");
}

export function currentTheme(): Theme {
  return applied ?? wanted();
}

function apply(): void {
  applied = wanted();
  document.documentElement.dataset["theme"] = applied;
  for (const listener of listeners) listener();
}

export function subscribeTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows everything in one theme, whatever the reader chose; null ends that. */
export function holdTheme(theme: Theme | null): void {
  held = theme;
  apply();
}

export function toggleTheme(): void {
  localStorage.setItem(KEY, currentTheme() === "dark" ? "light" : "dark");
  apply();
}

export function startTheme(): void {
  system().addEventListener("change", apply);
  apply();
}
