import { useCallback, useEffect, useId, useState } from "react";
import { type Api, sentenceOf } from "../data/api.ts";
import type { CreatedShare, Share } from "../data/types.ts";
import { formatWhen, plural } from "../logic/format.ts";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";

interface Props {
  readonly api: Api;
  readonly id: string;
  /** The query of the view that the link opens. */
  readonly view: string;
  readonly onClose: () => void;
}

const DAY_S = 86_400;
const EXPIRIES: readonly (readonly [string, number | null])[] = [
  ["1 day", DAY_S],
  ["7 days", 7 * DAY_S],
  ["30 days", 30 * DAY_S],
  ["1 year", 365 * DAY_S],
  ["never", null],
];
const DEFAULT_EXPIRY = "30 days";

export function ShareDialog({ api, id, view, onClose }: Props) {
  const [shares, setShares] = useState<readonly Share[]>([]);
  const [created, setCreated] = useState<CreatedShare | null>(null);
  const [expiry, setExpiry] = useState(DEFAULT_EXPIRY);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const select = useId();

  const reload = useCallback(() => {
    api.shares(id).then(setShares, (error: unknown) => setProblem(sentenceOf(error)));
  }, [api, id]);
  useEffect(reload, [reload]);

  const act = (work: Promise<unknown>) => {
    setBusy(true);
    setProblem(null);
    work
      .catch((error: unknown) => setProblem(sentenceOf(error)))
      .finally(() => {
        setBusy(false);
        reload();
      });
  };
  const create = () => {
    const seconds = EXPIRIES.find(([word]) => word === expiry)?.[1] ?? null;
    act(api.createShare(id, view, seconds).then(setCreated));
  };
  const link = created ? new URL(created.url, window.location.origin).href : null;
  return (
    <Dialog title="Share this view" onClose={onClose} className="share-dialog">
      <p className="muted">
        Whoever has the link sees this analysis, read-only, at this window, with these lanes open and this
        slice selected. Names of tasks are part of it.
      </p>
      <div className="share-create">
        <label htmlFor={select}>expires after</label>
        <select id={select} value={expiry} onChange={(event) => setExpiry(event.currentTarget.value)}>
          {EXPIRIES.map(([word]) => (
            <option key={word}>{word}</option>
          ))}
        </select>
        <button type="button" className="primary" onClick={create} disabled={busy}>
          Create link
        </button>
      </div>
      {link !== null && (
        <div className="share-link">
          <input
            readOnly
            value={link}
            aria-label="Link to this view"
            data-testid="share-link"
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton text={link} label="Copy the link" word="Copy link" />
          <p className="muted">This address is shown only now; the server keeps no copy of it.</p>
        </div>
      )}
      {problem !== null && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {shares.length > 0 && (
        <>
          <h3>Links of this analysis</h3>
          <table className="grid-table">
            <thead>
              <tr>
                <th scope="col">made</th>
                <th scope="col">expires</th>
                <th scope="col" className="right">
                  opened
                </th>
                <th scope="col" />
              </tr>
            </thead>
            <tbody>
              {shares.map((share) => (
                <ShareRow
                  key={share.id}
                  share={share}
                  onRevoke={() => act(api.revokeShare(id, share.id))}
                  busy={busy}
                />
              ))}
            </tbody>
          </table>
        </>
      )}
    </Dialog>
  );
}

function ShareRow({ share, onRevoke, busy }: { share: Share; onRevoke: () => void; busy: boolean }) {
  const expired = share.expires_at !== null && new Date(share.expires_at).getTime() < Date.now();
  return (
    <tr data-testid="share-row">
      <td className="num">{formatWhen(share.created_at)}</td>
      <td className="num">{share.expires_at === null ? "never" : formatWhen(share.expires_at)}</td>
      <td className="num right">{plural(share.opened, "time")}</td>
      <td className="right">
        {share.revoked ? (
          <span className="muted">revoked</span>
        ) : expired ? (
          <span className="muted">expired</span>
        ) : (
          <button type="button" className="quiet" onClick={onRevoke} disabled={busy}>
            Revoke
          </button>
        )}
      </td>
    </tr>
  );
}
