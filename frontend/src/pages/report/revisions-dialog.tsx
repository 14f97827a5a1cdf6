import { useCallback, useState } from "react";
import type { Api } from "../../api/routes/service.ts";
import type { Revision } from "../../api/types.ts";
import { formatCount, formatWhen } from "../../lib/format.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Problem } from "../../ui/section-parts.tsx";
import { useAct } from "../../ui/use-act.ts";
import { useLoad } from "../../ui/use-load.ts";

interface Props {
  readonly api: Api;
  readonly id: string;
  readonly report: string;
  /** What readers see. */
  readonly present: number;
  readonly onTake: (revision: Revision) => void;
  readonly onClose: () => void;
}

/** Everything that was saved of a report, also what somebody else's saving set aside. */
export function RevisionsDialog({ api, id, report, present, onTake, onClose }: Props) {
  const load = useCallback(() => api.reports.revisions(id, report), [api, id, report]);
  const { answer: revisions, problem: unread } = useLoad(load);
  const [shown, setShown] = useState<Revision | null>(null);
  const { problem, act } = useAct();
  const show = (number: number) => act(api.reports.revision(id, report, number).then(setShown));
  return (
    <Dialog title="Revisions" onClose={onClose} className="revisions-dialog">
      <div className="revision-list">
        <table className="grid-table" data-testid="revisions">
          <tbody>
            {revisions?.map(({ number, title, aside, saved_at, length }) => (
              <tr key={number} className={shown?.number === number ? "selected" : ""}>
                <th scope="row">
                  <button type="button" className="inline" onClick={() => show(number)}>
                    Revision {number}
                  </button>
                </th>
                <td>{number === present ? "what readers see" : aside ? "set aside, never seen" : ""}</td>
                <td className="muted">{formatWhen(saved_at)}</td>
                <td className="num right">{formatCount(length)} characters</td>
                <td className="muted">{title}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown && (
        <>
          <p>
            <button type="button" className="primary" onClick={() => onTake(shown)}>
              Take revision {shown.number} into the editor
            </button>
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by the keyboard, too */}
          <pre className="revision-text" tabIndex={0}>
            {shown.text}
          </pre>
        </>
      )}
      <Problem sentence={problem ?? unread} />
    </Dialog>
  );
}
