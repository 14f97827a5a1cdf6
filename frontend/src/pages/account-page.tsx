import { useEffect, useState } from "react";
import { Link } from "../components/link.tsx";
import { Problem } from "../components/problem.tsx";
import { peopleApi, useWho } from "../components/tab.ts";
import { TokenPart } from "../components/token-part.tsx";
import { TopBar } from "../components/top-bar.tsx";
import { sentenceOf } from "../data/api/errors.ts";

/** Who is signed in, in which browsers, and by which programs. */
export function AccountPage() {
  const { info } = useWho();
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    document.title = "Account · NumaLens";
  }, []);
  const leave = () => {
    peopleApi.signOut(true).then(
      (url) => window.location.assign(url ?? "/"),
      (error: unknown) => setProblem(sentenceOf(error)),
    );
  };
  const person = info?.person ?? null;
  return (
    <div className="page">
      <TopBar
        crumbs={
          <>
            <Link to="/">analyses</Link>
            <span>account</span>
          </>
        }
      />
      <main className="links-page">
        <h1>{person === null ? "Account" : person.name}</h1>
        {person !== null && (
          <p>
            {person.admin
              ? "You are an administrator: every analysis is open to you."
              : "You see what you uploaded, and what others named you a reader of."}
          </p>
        )}
        {person !== null && info?.sign_in === "oidc" && (
          <p>
            <button type="button" onClick={leave}>
              Sign out everywhere
            </button>{" "}
            <span className="muted">In all browsers; tokens stay until they are revoked.</span>
          </p>
        )}
        <Problem sentence={problem} />
        <TokenPart />
      </main>
    </div>
  );
}
