import { useEffect, useRef, useState } from "react";
import { sentenceOf } from "../../api/client.ts";
import { useCurrentUser } from "../../api/current-user.ts";
import { ownerApi, peopleApi } from "../../api/session/session.ts";
import { ownPath } from "../../lib/routes.ts";
import { TopBar, useTitle } from "../../ui/page/top-bar.tsx";

interface Props {
  /** Why an earlier try came to nothing. */
  readonly problem?: string | null;
  /** Where to be once somebody is signed in; the present address unless said otherwise. */
  readonly returnTo?: string;
}

/** In the place of a page that somebody has to be signed in for; the address stays, and is come back to. */
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
          <p>
            People sign in before they reach this server, and it knows of nobody. Reload the page to try
            again.
          </p>
        ) : (
          <p>After signing in you are here again. A shared link opens its analysis without.</p>
        )}
        <div className="message-actions">
          {info?.sign_in === "oidc" && (
            <button type="button" className="primary" disabled={busy} onClick={start}>
              Sign in
            </button>
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

/** Where the issuer sends the browser: what it brings is given to the service, once, and the reader goes on to where they were. */
export function SignedInPage({ code, state }: SignedInPageProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const given = useRef(false);
  useEffect(() => {
    if (given.current) return;
    given.current = true;
    // A code in the address would stay in the history.
    window.history.replaceState(null, "", "/signed-in");
    if (code === "" || state === "") {
      setProblem("The issuer did not sign you in.");
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
