import { useEffect, useState } from "react";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import type { Span } from "../../lib/time.ts";
import { taskFilter } from "../../tabs/events/event-rows-view.tsx";
import type { Described, PickedFact } from "../../timeline/panel.ts";
import { sliceSpan } from "../../timeline/scene.ts";
import { copyText } from "../../ui/copy-button.tsx";
import { type MenuItem, MenuList } from "../../ui/menu.tsx";
import { filterOf, textOf } from "../../ui/table/table-head.tsx";

interface Props {
  readonly live: LiveAnalysis;
  /** Fields of the recording's events that name a task. */
  readonly pidFields: ReadonlySet<string>;
}

interface Opened {
  readonly x: number;
  readonly y: number;
  readonly items: readonly MenuItem[];
}

/** Menu of a slice, a mark, a lane or a row of a table: opened by right click, Shift F10 or the menu key. */
export function ContextMenu({ live, pidFields }: Props) {
  const [opened, setOpened] = useState<Opened | null>(null);
  useEffect(() => {
    const open = (event: MouseEvent) => {
      const items = itemsAt(event, live, pidFields);
      if (items.length === 0) return;
      event.preventDefault();
      setOpened({ x: event.clientX, y: event.clientY, items });
    };
    window.addEventListener("contextmenu", open);
    return () => window.removeEventListener("contextmenu", open);
  }, [live, pidFields]);
  if (!opened) return null;
  const { x, y, items } = opened;
  return (
    <MenuList
      key={`${x} ${y}`}
      name="Context menu"
      items={items}
      at={() => new DOMRect(x, y, 0, 0)}
      onClose={() => setOpened(null)}
    />
  );
}

function itemsAt(event: MouseEvent, live: LiveAnalysis, pidFields: ReadonlySet<string>): readonly MenuItem[] {
  const { target } = event;
  if (!(target instanceof Element) || target.closest("input, textarea, dialog, [role=menu]")) return [];
  const field = target.closest<HTMLTableCellElement>("tbody td, tbody th");
  if (field) return rowItems(field);
  const names = target.closest(".lane-names, .pinned-lanes, .plot");
  const { stage } = live;
  if (!names) return target.closest("main, body") && event.button !== 2 ? selectedItems(live, pidFields) : [];
  const found = stage.takeAt(event.clientX, event.clientY);
  if (!found) return [];
  const { box, picked } = found;
  if (!picked || !names.matches(".plot")) return laneItems(live, box.key, box.title);
  const { what, zoom } = picked;
  const { tasks } = stage.scene;
  const pid = what.task === null ? 0 : (tasks.pid[what.task] ?? 0);
  const items = itemsOf(live, what, zoom, pid, pidFields);
  return pid > 0 ? items : [...items, ...laneItems(live, box.key, box.title)];
}

/** Items of the selection: the keyboard points at nothing on the canvas. */
function selectedItems(live: LiveAnalysis, pidFields: ReadonlySet<string>): readonly MenuItem[] {
  const { selection, picked } = live.stage.getSnapshot();
  const slice = selection?.slice;
  if (slice) {
    const rows = [
      ["pid", String(slice.pid)],
      ["CPU", String(slice.cpu)],
    ] as const;
    const span = sliceSpan(slice, live.stage.scene.origin);
    return itemsOf(live, { title: slice.comm, rows }, span, slice.pid, pidFields);
  }
  return picked ? itemsOf(live, picked, picked.span, 0, pidFields) : [];
}

function itemsOf(
  live: LiveAnalysis,
  { title, rows }: Pick<Described | PickedFact, "title" | "rows">,
  zoom: Span | null,
  pid: number,
  pidFields: ReadonlySet<string>,
): readonly MenuItem[] {
  const text = [title, ...rows.map(([name, value]) => `${name}: ${value}`)].join("\n");
  const items: MenuItem[] = [{ name: "Copy", onPick: () => void copyText(text) }];
  if (zoom) items.push({ name: "Zoom to it", onPick: () => void live.stage.show(zoom) });
  const events = taskFilter(pid, pidFields);
  if (pid > 0 && events !== "")
    items.push({ name: "Show its events", onPick: () => live.setDrawer({ tab: "rows", events }) });
  if (pid > 0) items.push(...laneItems(live, `task:${pid}`, `${title} ${pid}`));
  items.push(LINK);
  return items;
}

const LINK: MenuItem = { name: "Copy link", onPick: () => void copyText(window.location.href) };

function laneItems({ stage }: LiveAnalysis, lane: string, title: string | null): readonly MenuItem[] {
  if (title === null) return [];
  const word = stage.pins.includes(lane) ? "Unpin" : "Pin";
  return [{ name: `${word} ${title}`, onPick: () => stage.togglePin(lane) }];
}

/** The text of the row, the filter of its table, and what its buttons do. */
function rowItems(field: HTMLTableCellElement): readonly MenuItem[] {
  const row = field.closest("tr");
  if (!row) return [];
  const copied = [...row.cells].map((cell) => cell.textContent?.trim() ?? "").join("\t");
  const filter = filterOf(field);
  const items: MenuItem[] = [{ name: "Copy row", onPick: () => void copyText(copied) }];
  if (filter) items.push({ name: `Filter by ${textOf(field)}`, onPick: filter });
  for (const button of row.querySelectorAll<HTMLElement>("button, a[href]")) {
    const text = button.textContent?.trim() ?? "";
    const name = button.getAttribute("aria-label") ?? (/\p{L}/u.test(text) ? `Open ${text}` : null);
    if (name !== null && items.every((item) => item.name !== name))
      items.push({ name, onPick: () => button.click() });
  }
  return [...items, LINK];
}
