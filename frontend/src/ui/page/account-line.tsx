import { peopleApi, useCurrentUser } from "../../api/session/session.ts";
import { ACCOUNT_PATH } from "../../lib/routes.ts";
import { Link } from "./link.tsx";

/** Who is signed in, and the way out; nothing where nobody is. */
export function AccountLine() {
  const { info } = useCurrentUser();
  if (!info?.person) return null;
  const { name, admin } = info.person;
  // Whatever the service says, what is shown here is not to be seen any longer.
  const leave = () =>
    void peopleApi
      .signOut(false)
      .catch(() => null)
      .then((url) => window.location.assign(url ?? "/"));
  return (
    <>
      <Link
        className="quiet-link account"
        to={ACCOUNT_PATH}
        title={`Signed in as ${name}: API tokens, sessions`}
      >
        {name}
        {admin && " (administrator)"}
      </Link>
      {info.sign_in === "oidc" && (
        <button type="button" className="quiet" onClick={leave}>
          Sign out
        </button>
      )}
    </>
  );
}
