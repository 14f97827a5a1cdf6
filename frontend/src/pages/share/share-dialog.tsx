import { type ReactNode, useCallback, useState } from "react";
import { useCurrentUser } from "../../api/current-user.ts";
import type { CreatedShare, Permission, Share } from "../../api/types.ts";
import { formatWhen, plural } from "../../lib/format.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Button, Check, Select } from "../../ui/fields.tsx";
import { Problem } from "../../ui/section-parts.tsx";
import { GridTable } from "../../ui/table/data-grid.tsx";
import { useAct, useLoad } from "../../ui/use-load.ts";
import { encodeView } from "../../view-state/view-state.ts";
import { CopyGroup, type GivenProps, Group, untilReady } from "./copy-fields.tsx";
import {
  allowedWords,
  copyView,
  copyWish,
  EXPIRIES,
  ExpiryField,
  expirySeconds,
  ForField,
  isCopy,
  NewLink,
  shareState,
  USUAL_EXPIRY,
  WHOLE,
} from "./share-fields.tsx";
import { PeoplePart } from "./user-access.tsx";

const RIGHTS: readonly (readonly [Permission, string])[] = [
  ["comment", "write notes"],
  ["download", "download events"],
];

const OPENS = [
  ["view", "exactly this view"],
  ["whole", "the analysis from its start"],
] as const;

export function ShareDialog({ api, analysis: { id }, view, window, task, onClose }: GivenProps) {
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
      {named && <h3>By link, without sign-in</h3>}
      <p className="muted">
        Everyone with the link sees this analysis, including the names of tasks and cgroups. It gives access
        to this analysis only.
      </p>
      <div className="share-create">
        <ForField value={name} onChange={setName} hint="recipient or purpose (only you see it)" />
        <Select name="opens" named value={opens} choices={OPENS} onChoose={setOpens} />
        <ExpiryField value={expiry} onChange={setExpiry} />
        <RightsGroup may={may} onMay={setPermissions} />
        <CopyGroup name="of a copy with" part={part} window={window} task={task} onPart={setPart} />
        <Button className="primary" onClick={() => act(create().then(setCreated), reload)} disabled={busy}>
          {copying ? "Copying…" : "Create link"}
        </Button>
      </div>
      {isCopy(part) && (
        <p className="muted">
          The copy is a separate analysis, replayed from the remaining data; it contains nothing that was left
          out.
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

const COLUMNS = [
  { name: "for" },
  { name: "allows" },
  { name: "made" },
  { name: "works until" },
  { name: "opened", right: true },
  { name: "" },
];

interface ShareRowsProps<S extends Share> {
  readonly shares: readonly S[];
  readonly busy: boolean;
  readonly onRevoke: (share: S) => void;
  readonly onExtend: (share: S, seconds: number | null) => void;
  /** Cell before a link's own cells. */
  readonly lead?: { readonly name: string; readonly of: (share: S) => ReactNode };
}

/** Links with what may be done to them. */
export function ShareRows<S extends Share>({ shares, busy, onRevoke, onExtend, lead }: ShareRowsProps<S>) {
  const columns = lead ? [{ name: lead.name }, ...COLUMNS] : COLUMNS;
  return (
    <div className="shares-scroller">
      <GridTable columns={columns} testId="shares" className="shares">
        {shares.map((share) => {
          const state = shareState(share, Date.now());
          return (
            <tr key={share.id} data-testid="share-row" data-state={state}>
              {lead && <td>{lead.of(share)}</td>}
              <td>{share.name}</td>
              <td>
                {allowedWords(share.may)}
                {share.view === "" ? ", from the start" : ""}
              </td>
              <td className="num">{formatWhen(share.created_at)}</td>
              <td className="num">
                {share.expires_at === null ? "never ends" : formatWhen(share.expires_at)}
              </td>
              <td
                className="num right"
                title={share.last_opened_at === null ? undefined : `last ${formatWhen(share.last_opened_at)}`}
              >
                {plural(share.opened, "time")}
              </td>
              <td className="right row-actions">
                {state === "revoked" ? (
                  <span className="muted">revoked</span>
                ) : (
                  <>
                    {state === "expired" && <span className="muted">expired</span>}
                    <Extend disabled={busy} onExtend={(seconds) => onExtend(share, seconds)} />
                    <Button className="quiet" onClick={() => onRevoke(share)} disabled={busy}>
                      Revoke
                    </Button>
                  </>
                )}
              </td>
            </tr>
          );
        })}
      </GridTable>
    </div>
  );
}

interface ExtendProps {
  readonly disabled: boolean;
  readonly onExtend: (seconds: number | null) => void;
}

/** From now on, for as long as is chosen. */
function Extend({ disabled, onExtend }: ExtendProps) {
  return (
    <select
      value=""
      aria-label="Extend"
      disabled={disabled}
      onChange={(event) => onExtend(expirySeconds(event.currentTarget.value))}
    >
      <option value="" disabled hidden>
        Extend…
      </option>
      {EXPIRIES.map(([word, seconds]) => (
        <option key={word} value={word}>
          {seconds === null ? "never ends" : `${word} from now`}
        </option>
      ))}
    </select>
  );
}
