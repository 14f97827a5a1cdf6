import type { ReactNode } from "react";
import type { Share } from "../../api/types.ts";
import { formatWhen, plural } from "../../lib/format.ts";
import { GridTable } from "../../ui/table/grid-table.tsx";
import { allowedWords, EXPIRIES, expirySeconds, shareState } from "./share-expiry.ts";

const COLUMNS = [
  { name: "for" },
  { name: "allows" },
  { name: "made" },
  { name: "works until" },
  { name: "opened", right: true },
  { name: "" },
];

interface Props<S extends Share> {
  readonly shares: readonly S[];
  readonly busy: boolean;
  readonly onRevoke: (share: S) => void;
  readonly onExtend: (share: S, seconds: number | null) => void;
  /** What stands before a link's own cells. */
  readonly lead?: { readonly name: string; readonly of: (share: S) => ReactNode };
}

/** Links with what may be done to them. */
export function ShareRows<S extends Share>({ shares, busy, onRevoke, onExtend, lead }: Props<S>) {
  const columns = lead ? [{ name: lead.name }, ...COLUMNS] : COLUMNS;
  return (
    <GridTable columns={columns} testId="shares" className="shares">
      {shares.map((share) => {
        const state = shareState(share, Date.now());
        return (
          <tr key={share.id} data-testid="share-row" data-state={state}>
            {lead && <td>{lead.of(share)}</td>}
            <td>{share.name}</td>
            <td>
              {allowedWords(share.may)}
              {share.view === "" ? ", from the beginning" : ""}
            </td>
            <td className="num">{formatWhen(share.created_at)}</td>
            <td className="num">{share.expires_at === null ? "never ends" : formatWhen(share.expires_at)}</td>
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
                  <button type="button" className="quiet" onClick={() => onRevoke(share)} disabled={busy}>
                    Revoke
                  </button>
                </>
              )}
            </td>
          </tr>
        );
      })}
    </GridTable>
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
