import { type ReactNode, useCallback, useId, useState } from "react";
import type { Api } from "../../api/routes/service.ts";
import { useCurrentUser } from "../../api/session/session.ts";
import type { Analysis, CreatedShare, Permission } from "../../api/types.ts";
import { formatAbs } from "../../lib/format.ts";
import type { AbsWindow } from "../../lib/ranges.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Check, Select } from "../../ui/fields.tsx";
import { Problem } from "../../ui/section-parts.tsx";
import { useAct } from "../../ui/use-act.ts";
import { useLoad } from "../../ui/use-load.ts";
import { encodeView, type ViewState } from "../../view-state/view-state.ts";
import { type CopyOptions, copyView, copyWish, isCopy, WHOLE } from "./redact-request.ts";
import { expirySeconds, USUAL_EXPIRY } from "./share-expiry.ts";
import { ExpiryField, ForField, NewLink } from "./share-fields.tsx";
import { ShareRows } from "./share-rows.tsx";
import { PeoplePart } from "./user-access.tsx";

interface Props {
  readonly api: Api;
  readonly id: string;
  /** The view that the link opens. */
  readonly view: ViewState;
  readonly window: AbsWindow;
  /** The task that is selected. */
  readonly task: { readonly pid: number; readonly name: string } | null;
  readonly onClose: () => void;
}

const RIGHTS: readonly (readonly [Permission, string])[] = [
  ["comment", "write notes"],
  ["download", "download events"],
];

const OPENS = [
  ["view", "exactly this view"],
  ["whole", "the analysis from its beginning"],
] as const;

export function ShareDialog({ api, id, view, window, task, onClose }: Props) {
  const load = useCallback(() => api.shares.list(id), [api, id]);
  const { answer: shares, problem: unread, reload } = useLoad(load);
  const [created, setCreated] = useState<CreatedShare | null>(null);
  const [name, setName] = useState("");
  const [expiry, setExpiry] = useState(USUAL_EXPIRY);
  const [may, setPermissions] = useState<readonly Permission[]>([]);
  const [opens, setOpens] = useState<(typeof OPENS)[number][0]>("view");
  const [part, setPart] = useState(WHOLE);
  const [copying, setCopying] = useState(false);
  const { busy, problem, act } = useAct();
  const named = (useCurrentUser().info?.sign_in ?? "none") !== "none";

  const create = async () => {
    const wish = { name, may: [...may], expires_in_s: expirySeconds(expiry) };
    if (!isCopy(part))
      return api.shares.create(id, { ...wish, view: opens === "whole" ? "" : encodeView(view) });
    setCopying(true);
    try {
      const copy = await untilReady(
        api,
        await api.analyses.copy(id, copyWish(part, window, task?.pid ?? null)),
      );
      return await api.shares.create(copy, { ...wish, view: opens === "whole" ? "" : copyView(view) });
    } finally {
      setCopying(false);
    }
  };
  const link = created ? new URL(created.url, location.origin).href : null;
  return (
    <Dialog title="Share this view" onClose={onClose} className="share-dialog">
      {named && <PeoplePart id={id} />}
      {named && <h3>By a link, without signing in</h3>}
      <p className="muted">
        Whoever has the link sees this analysis: names of tasks and cgroups are part of it. Nobody sees
        another one by it.
      </p>
      <div className="share-create">
        <ForField value={name} onChange={setName} hint="recipient or purpose (only you see it)" />
        <Select name="opens" named value={opens} choices={OPENS} onChoose={setOpens} />
        <ExpiryField value={expiry} onChange={setExpiry} />
        <RightsGroup may={may} onMay={setPermissions} />
        <CopyGroup part={part} window={window} task={task} onPart={setPart} />
        <button
          type="button"
          className="primary"
          onClick={() => act(create().then(setCreated), reload)}
          disabled={busy}
        >
          {copying ? "Copying…" : "Create link"}
        </button>
      </div>
      {isCopy(part) && (
        <p className="muted">
          The copy is an analysis of its own, replayed from what it has: nothing that was left out is in it.
          {part.task && !part.pseudonyms && " Names of sampled cgroups stay, unless pseudonyms are chosen."}{" "}
          Links to it are revoked and extended under “Shared links”.
        </p>
      )}
      {link !== null && <NewLink secret={link} label="Link to this view" testId="share-link" />}
      <Problem sentence={problem ?? unread} />
      {shares !== null && shares.length > 0 && (
        <>
          <h3>Links of this analysis</h3>
          <ShareRows
            shares={shares}
            busy={busy}
            onRevoke={(share) => act(api.shares.revoke(id, share.id), reload)}
            onExtend={(share, seconds) => act(api.shares.extend(id, share.id, seconds), reload)}
          />
        </>
      )}
    </Dialog>
  );
}

/** Choices of one kind, on the line of their name. */
function Group({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a legend cannot stand on the line of what it names
    <div role="group" aria-labelledby={id}>
      <span id={id}>{name}</span>
      {children}
    </div>
  );
}

interface RightsProps {
  readonly may: readonly Permission[];
  readonly onMay: (may: readonly Permission[]) => void;
}

function RightsGroup({ may, onMay }: RightsProps) {
  return (
    <Group name="may also">
      {RIGHTS.map(([right, words]) => (
        <Check
          key={right}
          checked={may.includes(right)}
          onCheck={(on) => onMay([...may.filter((had) => had !== right), ...(on ? [right] : [])])}
        >
          {words}
        </Check>
      ))}
    </Group>
  );
}

interface CopyProps extends Pick<Props, "window" | "task"> {
  readonly part: CopyOptions;
  readonly onPart: (part: CopyOptions) => void;
}

/** What a copy is made of, where the link is not to the analysis itself. */
function CopyGroup({ part, window, task, onPart }: CopyProps) {
  const option = (key: keyof CopyOptions, words: string) => (
    <Check checked={part[key]} onCheck={(on) => onPart({ ...part, [key]: on })}>
      {words}
    </Check>
  );
  return (
    <Group name="of a copy with">
      {option("window", `only ${formatAbs(window.from, 3)} to ${formatAbs(window.to, 3)} s`)}
      {task && option("task", `only ${task.name} ${task.pid}`)}
      {option("pseudonyms", "pseudonyms for names")}
    </Group>
  );
}

/** Copies of large recordings take a while; the reader waits here. */
const LOOK_MS = 700;

/** The id of an analysis once it is read. Raises why it could not be. */
async function untilReady(api: Api, analysis: Analysis): Promise<string> {
  let now: Analysis = analysis;
  while (now.status !== "ready") {
    if (now.status === "failed") throw new Error(now.error?.sentence ?? "The copy could not be made.");
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    now = await api.analyses.one(now.id);
  }
  return now.id;
}
