import { type FormEvent, useId, useState } from "react";
import { useCurrentUser } from "../../api/current-user.ts";
import { ownerApi, peopleApi } from "../../api/session/session.ts";
import type { ApiToken, CreatedToken } from "../../api/types.ts";
import { formatWhen } from "../../lib/format.ts";
import { analysisPath } from "../../lib/routes.ts";
import { Button, Select } from "../../ui/fields.tsx";
import { Link } from "../../ui/page/link.tsx";
import { TopBar, useTitle } from "../../ui/page/top-bar.tsx";
import { Problem } from "../../ui/section-parts.tsx";
import { GridTable } from "../../ui/table/data-grid.tsx";
import { useAct, useLoad } from "../../ui/use-load.ts";
import { ShareRows } from "../share/share-dialog.tsx";
import { ExpiryField, expiryDays, ForField, NewToken, shareState } from "../share/share-fields.tsx";
import "./account.css";

/** Signed-in user, with browsers and programs. */
export function AccountPage() {
  const { info } = useCurrentUser();
  const { problem, act } = useAct();
  useTitle("Account");
  const leave = () => act(peopleApi.signOut(true).then((url) => window.location.assign(url ?? "/")));
  const person = info?.person ?? null;
  return (
    <div className="page">
      <TopBar here="account" />
      <main className="links-page">
        <h1>{person === null ? "Account" : person.name}</h1>
        {person !== null && (
          <p>
            {person.admin
              ? "You are an administrator: every analysis is open to you."
              : "You see your uploads, and analyses that others shared with you."}
          </p>
        )}
        {person !== null && info?.sign_in === "oidc" && (
          <p>
            <Button onClick={leave}>Sign out everywhere</Button>{" "}
            <span className="muted">In all browsers; tokens stay until they are revoked.</span>
          </p>
        )}
        <Problem sentence={problem} />
        <TokenPart />
      </main>
    </div>
  );
}

const SCOPES = [
  ["upload", "upload, and read its own analyses"],
  ["owner", "everything you may do"],
] as const;
const USUAL = "30 days";

const fetchTokens = () => peopleApi.tokens();

/** API tokens: made, shown once, revoked. */
export function TokenPart() {
  const { answer: tokens, problem: unread, reload } = useLoad(fetchTokens);
  const [created, setCreated] = useState<CreatedToken | null>(null);
  const [name, setName] = useState("");
  const [scope, setScope] = useState<ApiToken["scope"]>("upload");
  const [expiry, setExpiry] = useState(USUAL);
  const { busy, problem, act } = useAct();
  const field = useId();

  const create = (event: FormEvent) => {
    event.preventDefault();
    act(
      peopleApi.createToken({ name, scope, days: expiryDays(expiry) }).then((made) => {
        setCreated(made);
        setName("");
      }),
      reload,
    );
  };
  return (
    <section aria-labelledby={`${field}-head`}>
      <h2 id={`${field}-head`}>API tokens</h2>
      <p className="muted">
        A program acts for you with a token, sent as “Authorization: Bearer”. Give each program its own, so
        that you can revoke it separately.
      </p>
      <form className="share-create" aria-label="New token" onSubmit={create}>
        <ForField value={name} onChange={setName} hint="which program, where" />
        <Select name="may" named value={scope} choices={SCOPES} onChoose={setScope} />
        <ExpiryField value={expiry} onChange={setExpiry} />
        <button type="submit" className="primary" disabled={busy || name.trim() === ""}>
          Create token
        </button>
      </form>
      {created && (
        <NewToken secret={created.secret} label={`Token for ${created.name}`} testId="token-secret" />
      )}
      <Problem sentence={problem ?? unread} />
      {tokens?.length === 0 && <p>No tokens.</p>}
      {tokens !== null && tokens.length > 0 && (
        <TokenRows
          tokens={tokens}
          busy={busy}
          onRevoke={(token) => act(peopleApi.revokeToken(token.id), reload)}
        />
      )}
    </section>
  );
}

const COLUMNS = [
  { name: "for" },
  { name: "may" },
  { name: "acts for" },
  { name: "made" },
  { name: "works until" },
  { name: "last used" },
  { name: "" },
];

interface RowsProps {
  readonly tokens: readonly ApiToken[];
  readonly busy: boolean;
  readonly onRevoke: (token: ApiToken) => void;
}

function TokenRows({ tokens, busy, onRevoke }: RowsProps) {
  return (
    <GridTable columns={COLUMNS} testId="tokens" className="shares">
      {tokens.map((token) => {
        const state = shareState(token, Date.now());
        return (
          <tr key={token.id} data-testid="token-row" data-state={state}>
            <td>{token.name}</td>
            <td>{token.scope === "owner" ? "everything" : "upload"}</td>
            <td>{token.person ?? "the administrator"}</td>
            <td className="num">{formatWhen(token.created_at)}</td>
            <td className="num">{token.expires_at === null ? "never ends" : formatWhen(token.expires_at)}</td>
            <td className="num">{token.last_used_at === null ? "never" : formatWhen(token.last_used_at)}</td>
            <td className="right row-actions">
              {state === "works" ? (
                <Button
                  className="quiet"
                  disabled={busy}
                  aria-label={`Revoke ${token.name}`}
                  onClick={() => onRevoke(token)}
                >
                  Revoke
                </Button>
              ) : (
                <span className="muted">{state}</span>
              )}
            </td>
          </tr>
        );
      })}
    </GridTable>
  );
}

const fetchShares = () => ownerApi.shares.all();

/** Everything that was shared, with what may be done about it. */
export function LinksPage() {
  const { answer: shares, problem: unread, reload } = useLoad(fetchShares);
  const { busy, problem, act } = useAct();
  useTitle("Shared links");
  return (
    <div className="page">
      <TopBar here="shared links" />
      <main className="links-page">
        <h1>Shared links</h1>
        <Problem sentence={problem ?? unread} />
        {shares?.length === 0 && (
          <p>No shared links. To create one, open an analysis and use the button at the top right.</p>
        )}
        {shares !== null && shares.length > 0 && (
          <ShareRows
            shares={shares}
            busy={busy}
            onRevoke={(share) => act(ownerApi.shares.revoke(share.analysis_id, share.id), reload)}
            onExtend={(share, seconds) =>
              act(ownerApi.shares.extend(share.analysis_id, share.id, seconds), reload)
            }
            lead={{
              name: "analysis",
              of: (share) => (
                <Link to={analysisPath(share.analysis_id, share.view)}>{share.analysis_title}</Link>
              ),
            }}
          />
        )}
      </main>
    </div>
  );
}
