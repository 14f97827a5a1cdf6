import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import type { Api } from "../../api/routes/service.ts";
import type { Command } from "../../timeline/keys.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { usePermission } from "../../ui/permissions.ts";
import { type EntryKind, findEntries, prepare } from "./finder.ts";
import { commandActions, type FinderAction, fetchNames, NO_NAMES, nameActions } from "./finder-entries.ts";

export type FinderMode = "search" | "palette";

interface Props {
  readonly mode: FinderMode;
  readonly api: Api;
  readonly id: string;
  readonly live: LiveAnalysis;
  readonly run: (command: Command) => void;
  readonly onClose: () => void;
}

/** As many as one looks through; more are found with another letter. */
const MOST = 60;

const KIND_WORDS: Readonly<Record<EntryKind, string>> = {
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
    placeholder: "Task, pid, CPU, node, group, cgroup, finding, mark, word",
  },
  palette: { title: "Commands", placeholder: "What to do" },
};

/** One field over a list that the keyboard walks: search, and the palette of commands. */
export function Finder({ mode, api, id, live, run, onClose }: Props) {
  const [question, setQuestion] = useState("");
  const [at, setAt] = useState(0);
  const [meaning, setMeaning] = useState<string | null>(null);
  const wanted = useNames(mode, api, id);
  const canDownload = usePermission("download");
  const list = useId();
  const box = useRef<HTMLDivElement>(null);
  const prepared = useMemo(
    () => prepare(mode === "palette" ? commandActions(live, run, canDownload) : nameActions(live, wanted)),
    [mode, live, run, wanted, canDownload],
  );
  const found = useMemo(
    () => findEntries(prepared, question, MOST) as readonly FinderAction[],
    [prepared, question],
  );
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
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: chosen + 1,
      ArrowUp: chosen - 1,
      PageDown: Math.min(chosen + 10, found.length - 1),
      PageUp: Math.max(chosen - 10, 0),
    };
    const next = steps[event.key];
    if (next !== undefined) setAt((next + found.length) % Math.max(1, found.length));
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
          Nothing here has that name.
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
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the field points at it
            <div
              key={`${action.kind} ${action.id}`}
              id={`${list}-${place}`}
              role="option"
              aria-selected={place === chosen}
              onClick={() => act(action)}
            >
              <span className="finder-kind muted">{KIND_WORDS[action.kind]}</span>
              <span className="finder-name">{action.name}</span>
              <span className="finder-detail muted">{action.detail}</span>
              <span className="finder-keys">
                {action.keys?.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </span>
            </div>
          ))}
        </div>
      )}
    </Dialog>
  );
}

/** What the service must be requested comes when it comes; the rest can be searched meanwhile. */
function useNames(mode: FinderMode, api: Api, id: string) {
  const [wanted, setNames] = useState(NO_NAMES);
  useEffect(() => {
    if (mode !== "search") return undefined;
    const stop = new AbortController();
    fetchNames(api, id, stop.signal).then((names) => {
      if (!stop.signal.aborted) setNames(names);
    });
    return () => stop.abort();
  }, [mode, api, id]);
  return wanted;
}
