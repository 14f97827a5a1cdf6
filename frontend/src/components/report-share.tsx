import { useId, useState } from "react";
import { type Api, sentenceOf } from "../data/api.ts";
import { sharedReportPath } from "../logic/routes.ts";
import { EXPIRIES, expirySeconds, USUAL_EXPIRY } from "../logic/share-ends.ts";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";

interface Props {
  readonly api: Api;
  readonly id: string;
  readonly report: string;
  readonly onClose: () => void;
}

/** A link that opens the report, and by it the analysis that its views are of. */
export function ReportShare({ api, id, report, onClose }: Props) {
  const [name, setName] = useState("");
  const [expiry, setExpiry] = useState(USUAL_EXPIRY);
  const [link, setLink] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const field = useId();
  const create = () => {
    setProblem(null);
    api.createShare(id, { name, may: [], expires_in_s: expirySeconds(expiry), view: "" }).then(
      ({ token }) => setLink(new URL(sharedReportPath(token, report), location.origin).href),
      (error: unknown) => setProblem(sentenceOf(error)),
    );
  };
  return (
    <Dialog title="Share this report" onClose={onClose} className="share-dialog">
      <p className="muted">
        Whoever has the link reads this report and sees its analysis, with the names of tasks and cgroups.
        Views of other analyses stay closed to them. Links are revoked under “Shared links”.
      </p>
      <div className="share-create">
        <label htmlFor={`${field}-name`}>for</label>
        <input
          id={`${field}-name`}
          value={name}
          maxLength={120}
          placeholder="whom or what (only you see it)"
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <label htmlFor={field}>expires after</label>
        <select id={field} value={expiry} onChange={(event) => setExpiry(event.currentTarget.value)}>
          {EXPIRIES.map(([word]) => (
            <option key={word}>{word}</option>
          ))}
        </select>
        <button type="button" className="primary" onClick={create}>
          Create link
        </button>
      </div>
      {link !== null && (
        <div className="share-link">
          <input
            readOnly
            value={link}
            aria-label="Link to this report"
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
    </Dialog>
  );
}
