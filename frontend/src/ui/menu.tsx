import { type FocusEvent, type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { Button } from "./fields.tsx";

export interface MenuItem {
  readonly name: string;
  /** True for the selected one of several; absent for actions. */
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

interface ListProps {
  readonly name: string;
  readonly items: readonly MenuItem[];
  /** Place below which it opens, in the window. */
  readonly at: () => DOMRect;
  readonly onClose: () => void;
}

const ITEMS = '[role^="menuitem"]:not(:disabled)';

/** An open menu: arrows walk, Escape closes, and the page's own keys are off. */
export function MenuList({ name, items, at, onClose }: ListProps) {
  const list = useRef<HTMLDivElement>(null);
  const [from] = useState(() => document.activeElement);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it stays where it was opened
  useLayoutEffect(() => {
    if (!list.current) return;
    place(list.current, at());
    (list.current.querySelector<HTMLElement>(ITEMS) ?? list.current).focus({ preventScroll: true });
  }, []);
  const back = () => {
    onClose();
    if (from instanceof HTMLElement) from.focus({ preventScroll: true });
  };
  const leave = (event: FocusEvent) => {
    if (event.relatedTarget !== from && !event.currentTarget.contains(event.relatedTarget)) onClose();
  };
  const walk = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") return back();
    const all = [...(list.current?.querySelectorAll<HTMLElement>(ITEMS) ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    all[(next + all.length) % all.length]?.focus();
  };
  return (
    <div
      ref={list}
      role="menu"
      aria-label={name}
      className="menu-list"
      onBlur={leave}
      onKeyDown={walk}
      tabIndex={-1}
    >
      {items.map((item) => (
        <Button
          key={item.name}
          role={item.checked === undefined ? "menuitem" : "menuitemcheckbox"}
          {...(item.checked === undefined ? {} : { "aria-checked": item.checked })}
          disabled={item.disabled ?? false}
          tabIndex={-1}
          onClick={() => {
            item.onPick();
            // A choice among several stays open for the next.
            if (item.checked === undefined) back();
          }}
        >
          {item.name}
        </Button>
      ))}
    </div>
  );
}

/** A button with a menu below. */
export function Menu({ name, items, text }: Props) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <div className="menu">
      <Button
        ref={button}
        className="menu-button"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={text === undefined ? name : undefined}
        title={name}
        onClick={() => setOpen(!open)}
      >
        {text}
        <span aria-hidden="true">{text === undefined ? "⋯" : "▾"}</span>
      </Button>
      {open && (
        <MenuList
          name={name}
          items={items}
          at={() => button.current?.getBoundingClientRect() ?? new DOMRect()}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}
