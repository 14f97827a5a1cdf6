import { useEffect, useRef, useState } from "react";
import { sentenceOf } from "../../api/errors.ts";
import { peopleApi } from "../../api/session/session.ts";
import { ownPath } from "../../lib/routes.ts";
import { SignInPage } from "./sign-in-page.tsx";

interface Props {
  readonly code: string;
  readonly state: string;
}

/** Where the issuer sends the browser: what it brings is given to the service, once, and the reader goes on to where they were. */
export function SignedInPage({ code, state }: Props) {
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
