import { peopleApi, useCurrentUser } from "../../api/session/session.ts";
import { TopBar, useTitle } from "../../ui/page/top-bar.tsx";
import { Problem } from "../../ui/section-parts.tsx";
import { useAct } from "../../ui/use-act.ts";
import { TokenPart } from "./token-part.tsx";

/** Who is signed in, in which browsers, and by which programs. */
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
