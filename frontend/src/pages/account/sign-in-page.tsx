import { useEffect, useRef, useState } from "react";
import { sentenceOf } from "../../api/client.ts";
import { useCurrentUser } from "../../api/current-user.ts";
import { ownerApi, peopleApi } from "../../api/session/session.ts";
import { ownPath } from "../../lib/routes.ts";
import { Button } from "../../ui/fields.tsx";
import { TopBar, useTitle } from "../../ui/page/top-bar.tsx";

interface Props {
  /** Reason for which an earlier try failed. */
  readonly problem?: string | null;
  /** Page to open after the sign-in (default: the present address). */
  readonly returnTo?: string;
}

/** Replacement for a page that requires a sign-in; the address stays, and is opened again afterwards. */
export function SignInPage({ problem = null, returnTo }: Props) {
  const { info } = useCurrentUser();
  const [failed, setFailed] = useState<string | null>(problem);
  const [busy, setBusy] = useState(false);
  const unasked = info === null;
  useTitle("Sign in");
  useEffect(() => {
    if (unasked) ownerApi.info().catch((error: unknown) => setFailed(sentenceOf(error)));
  }, [unasked]);
  const start = () => {
    setBusy(true);
    setFailed(null);
    const { pathname, search, hash } = window.location;
    peopleApi.beginSignIn(returnTo ?? `${pathname}${search}${hash}`).then(
      (url) => window.location.assign(url),
      (error: unknown) => {
        setFailed(sentenceOf(error));
        setBusy(false);
      },
    );
  };
  return (
    <div className="page">
      <TopBar linked={false} />
      <main className="message">
        <h1>You are not signed in</h1>
        {failed !== null && (
          <p className="problem" role="alert" data-testid="sentence">
            {failed}
          </p>
        )}
        {info?.sign_in === "header" ? (
          <p>The proxy in front of this server did not say who you are. Reload the page to try again.</p>
        ) : (
          <p>After signing in you return here. Shared links work without signing in.</p>
        )}
        <div className="message-actions">
          {info?.sign_in === "oidc" && (
            <Button className="primary" disabled={busy} onClick={start}>
              Sign in
            </Button>
          )}
        </div>
      </main>
    </div>
  );
}

interface SignedInPageProps {
  readonly code: string;
  readonly state: string;
}

/**
 * Page to which the provider sends the browser: passes its response to the service, once, and continues to the
 * reader's page.
 */
export function SignedInPage({ code, state }: SignedInPageProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const given = useRef(false);
  useEffect(() => {
    if (given.current) return;
    given.current = true;
    // A code in the address would stay in the history.
    window.history.replaceState(null, "", "/signed-in");
    if (code === "" || state === "") {
      setProblem("The identity provider did not sign you in.");
      return;
    }
    peopleApi.finishSignIn(code, state).then(
      (path) => window.location.replace(ownPath(path, window.location.origin)),
      (error: unknown) => setProblem(sentenceOf(error)),
    );
  }, [code, state]);
  if (problem === null) return <div className="page" />;
  return <SignInPage problem={problem} returnTo="/" />;
}
