import { type KeyboardEvent, useCallback, useEffect, useId, useMemo, useRef, useState } from "react";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import type { Api } from "../../api/routes/service.ts";
import type { Command } from "../../timeline/keys.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { usePermission } from "../../ui/permissions.ts";
import { useLoad } from "../../ui/use-load.ts";
import {
  commandActions,
  type EntryKind,
  type FinderAction,
  fetchNames,
  findEntries,
  NO_NAMES,
  nameActions,
  prepare,
  timeActions,
} from "./finder-entries.ts";

export type FinderMode = "search" | "palette";

interface Props {
  readonly mode: FinderMode;
  readonly api: Api;
  readonly id: string;
  readonly live: LiveAnalysis;
  readonly run: (command: Command) => void;
  readonly onClose: () => void;
}

/** Maximum number of entries; more letters find others. */
const MOST = 60;

const KIND_WORDS: Readonly<Record<EntryKind, string>> = {
  time: "time",
  command: "command",
  tab: "open",
  mark: "mark",
  finding: "finding",
  node: "node",
  cpu: "CPU",
  group: "numa group",
  cgroup: "cgroup",
  task: "task",
  term: "word",
};
const WORDS = {
  search: {
    title: "Search",
    placeholder: "Task, pid, CPU, node, cgroup, finding, mark, time (14:03:12.5 or 21.118), word",
  },
  palette: { title: "Commands", placeholder: "What to do" },
};

/** Entries that match a question. */
function useFound(source: Omit<Props, "onClose">, question: string): readonly FinderAction[] {
  const { live } = source;
  const prepared = useEntries(source);
  return useMemo(
    () => [
      ...timeActions(live, question),
      ...(findEntries(prepared, question, MOST) as readonly FinderAction[]),
    ],
    [live, prepared, question],
  );
}

/** One field over a list that the keyboard walks: search, and the palette of commands. */
export function Finder({ mode, api, id, live, run, onClose }: Props) {
  const [question, setQuestion] = useState("");
  const [at, setAt] = useState(0);
  const [meaning, setMeaning] = useState<string | null>(null);
  const list = useId();
  const box = useRef<HTMLDivElement>(null);
  const found = useFound({ mode, api, id, live, run }, question);
  const chosen = Math.min(at, found.length - 1);
  useEffect(() => {
    box.current?.children[chosen]?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  const act = (action: FinderAction | undefined) => {
    if (!action) return;
    // The dialog goes first: what is done may open another one.
    if (action.kind !== "term") onClose();
    setMeaning(action.act() ?? null);
  };
  const press = (event: KeyboardEvent) => {
    const next = keyed(event.key, chosen, found.length);
    if (next !== undefined) setAt(next);
    else if (event.key === "Enter") act(found[chosen]);
    else return;
    event.preventDefault();
  };
  const { title, placeholder } = WORDS[mode];
  return (
    <Dialog title={title} onClose={onClose} className="finder">
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={found.length > 0 ? `${list}-${chosen}` : undefined}
        aria-label={title}
        placeholder={placeholder}
        value={question}
        autoFocus
        onChange={(event) => {
          setQuestion(event.currentTarget.value);
          setAt(0);
          setMeaning(null);
        }}
        onKeyDown={press}
      />
      {meaning !== null && (
        <p className="finder-meaning" role="status" data-testid="finder-meaning">
          {meaning}
        </p>
      )}
      {found.length === 0 ? (
        <p className="muted finder-none" role="status">
          No matches.
        </p>
      ) : (
        <div
          id={list}
          ref={box}
          className="finder-list"
          role="listbox"
          aria-label={title}
          data-testid="finder-list"
        >
          {found.map((action, place) => (
            <Option
              key={`${action.kind} ${action.id}`}
              id={`${list}-${place}`}
              action={action}
              chosen={place === chosen}
              onChoose={() => act(action)}
            />
          ))}
        </div>
      )}
    </Dialog>
  );
}

/** Target of a key from an entry, around the ends; undefined for other keys. */
function keyed(key: string, from: number, count: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: Math.min(from + 10, count - 1),
    PageUp: Math.max(from - 10, 0),
  };
  const next = steps[key];
  return next === undefined ? undefined : (next + count) % Math.max(1, count);
}

interface OptionProps {
  readonly id: string;
  readonly action: FinderAction;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}

function Option({ id, action: { kind, name, detail, keys }, chosen, onChoose }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the field points at it
    <div id={id} role="option" aria-selected={chosen} onClick={onChoose}>
      <span className="finder-kind muted">{KIND_WORDS[kind]}</span>
      <span className="finder-name">{name}</span>
      <span className="finder-detail muted">{detail}</span>
      <span className="finder-keys">
        {keys?.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </span>
    </div>
  );
}

/** Entries from the service arrive later; the others can be searched at once. */
function useEntries({ mode, api, id, live, run }: Omit<Props, "onClose">) {
  const canDownload = usePermission("download");
  const load = useCallback(
    async (signal: AbortSignal) => (mode === "search" ? fetchNames(api, id, signal) : NO_NAMES),
    [mode, api, id],
  );
  const names = useLoad(load).answer ?? NO_NAMES;
  return useMemo(
    () => prepare(mode === "palette" ? commandActions(live, run, canDownload) : nameActions(live, names)),
    [mode, live, run, names, canDownload],
  );
}
