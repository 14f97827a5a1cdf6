import { type FocusEvent, type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";

export interface MenuItem {
  readonly name: string;
  /** One of several that hold or not; left out for what is done once. */
  readonly checked?: boolean;
  readonly disabled?: boolean;
  readonly onPick: () => void;
}

interface Props {
  readonly name: string;
  readonly items: readonly MenuItem[];
  /** Next to the button's sign; three dots alone without it. */
  readonly text?: string;
}

/** Kept from the window's edges, CSS pixels. */
const EDGE = 8;

/** Below its button, above it where there is no room, and never over an edge: rows that scroll cut nothing off. */
function place(list: HTMLElement, { top, bottom, left }: DOMRect): void {
  const { width, height } = list.getBoundingClientRect();
  const below = bottom + height <= window.innerHeight - EDGE;
  list.style.top = `${below ? bottom : Math.max(EDGE, top - height)}px`;
  list.style.left = `${Math.max(EDGE, Math.min(left, window.innerWidth - width - EDGE))}px`;
}

/** A button with a menu below: arrows walk, Escape closes, and the page's own keys are off while it is open. */
export function Menu({ name, items, text }: Props) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!open || !list.current || !button.current) return;
    place(list.current, button.current.getBoundingClientRect());
    list.current
      .querySelector<HTMLElement>('[role^="menuitem"]:not(:disabled)')
      ?.focus({ preventScroll: true });
  }, [open]);
  const close = () => setOpen(false);
  const leave = (event: FocusEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget)) close();
  };
  const walk = (event: KeyboardEvent) => {
    if (!open) return;
    event.stopPropagation();
    if (event.key === "Escape") {
      close();
      button.current?.focus();
      return;
    }
    const all = [...(list.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]:not(:disabled)') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    all[(next + all.length) % all.length]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the menu inside
    <div className="menu" onBlur={leave} onKeyDown={walk}>
      <button
        ref={button}
        type="button"
        className="menu-button"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={text === undefined ? name : undefined}
        title={name}
        onClick={() => (open ? close() : setOpen(true))}
      >
        {text}
        <span aria-hidden="true">{text === undefined ? "⋯" : "▾"}</span>
      </button>
      {open && (
        <div ref={list} role="menu" aria-label={name} className="menu-list">
          {items.map((item) => (
            <button
              key={item.name}
              type="button"
              role={item.checked === undefined ? "menuitem" : "menuitemcheckbox"}
              {...(item.checked === undefined ? {} : { "aria-checked": item.checked })}
              disabled={item.disabled ?? false}
              tabIndex={-1}
              onClick={() => {
                item.onPick();
                // A choice among several stays open for the next.
                if (item.checked !== undefined) return;
                close();
                button.current?.focus();
              }}
            >
              {item.name}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
