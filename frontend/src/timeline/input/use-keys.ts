import { useEffect } from "react";
import { type Command, commandOf } from "../keys.ts";

interface Handlers {
  readonly down: (command: Command) => boolean;
  readonly up: (command: Command) => void;
  readonly blur: () => void;
}

/** Commands that a held key repeats. */
const REPEATS: ReadonlySet<Command> = new Set([
  "next",
  "previous",
  "next-occurrence",
  "previous-occurrence",
  "next-finding",
  "previous-finding",
]);

/** Keys of the whole page. Typing in a field and dialogs keep their keys. */
export function useKeys(handlers: Handlers): void {
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const press = (event: KeyboardEvent) =>
      commandOf({
        key: event.key,
        code: event.code,
        shift: event.shiftKey,
        ctrl: event.ctrlKey,
        alt: event.altKey,
        meta: event.metaKey,
      });
    window.addEventListener(
      "keydown",
      (event) => {
        if (document.querySelector("dialog[open]") || belongsTo(event.target, event.key)) return;
        const command = press(event);
        if (isField(event.target) && command !== "palette") {
          // What a field did itself with the key, such as closing a list of its own, comes before leaving it.
          if (command === "escape" && !event.defaultPrevented) (event.target as HTMLElement).blur();
          return;
        }
        if (!command || (event.repeat && !REPEATS.has(command))) {
          // A held arrow must not scroll the lanes between two presses.
          if (command) event.preventDefault();
          return;
        }
        if (handlers.down(command)) event.preventDefault();
      },
      { signal },
    );
    window.addEventListener(
      "keyup",
      (event) => {
        // Releasing Shift first must not leave a key hanging: the physical key alone decides here.
        const command = commandOf({
          key: "",
          code: event.code,
          shift: false,
          ctrl: false,
          alt: false,
          meta: false,
        });
        if (command) handlers.up(command);
      },
      { signal },
    );
    window.addEventListener("blur", handlers.blur, { signal });
    return () => stop.abort();
  }, [handlers]);
}

/** Elements that Enter presses, and that arrows scroll or walk through, when focused. */
const PRESSED = "button, a, summary, select";
const WALKED =
  "[role=tablist], [role=listbox], [role=tree], .virtual-table, .tab-panel, .inspector, canvas[tabindex]";

/** Returns whether the focused element has its own use for a key. */
function belongsTo(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element)) return false;
  if (key === "Enter") return target.closest(PRESSED) !== null;
  return key.startsWith("Arrow") && target.closest(WALKED) !== null;
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    // An event out of a shadow root seems to come from its host: the editor of queries has one.
    (target instanceof HTMLElement && target.shadowRoot !== null)
  );
}
