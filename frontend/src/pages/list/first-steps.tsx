import { useState } from "react";
import type { Analysis } from "../../api/types.ts";
import { analysisPath } from "../../lib/routes.ts";
import { Link } from "../../ui/page/link.tsx";

const STORAGE_KEY = "numalens.first-steps";

interface Props {
  readonly analyses: readonly Analysis[];
}

/** What somebody does first, until there is an analysis of their own, or they know. */
export function FirstSteps({ analyses }: Props) {
  const [known, setKnown] = useState(() => window.localStorage.getItem(STORAGE_KEY) !== null);
  const sample = analyses.find((analysis) => analysis.sample && analysis.status === "ready");
  if (known || analyses.some((analysis) => !analysis.sample)) return null;
  const close = () => {
    window.localStorage.setItem(STORAGE_KEY, "known");
    setKnown(true);
  };
  return (
    <section className="first-steps" aria-label="First steps" data-testid="first-steps">
      <header>
        <h2>Three steps to why a task waited</h2>
        <button type="button" className="quiet" onClick={close} title="These steps do not come again">
          I know
        </button>
      </header>
      <ol>
        <li>
          <b>Look at one.</b>{" "}
          {sample ? (
            <>
              <Link to={analysisPath(sample.id, "tour=1")}>Take the tour of the sample's incident</Link>: six
              stops, from the one sentence to the raw event behind it.
            </>
          ) : (
            "The sample is being read, or was deleted; the next step needs none."
          )}
        </li>
        <li>
          <b>Record.</b> Ten seconds on the machine in question, while it is slow: the command stands on this
          page under “Record ten seconds”.
        </li>
        <li>
          <b>Drop.</b> All files of it together on this page, or choose them: one analysis on one clock, which
          opens by itself.
        </li>
      </ol>
    </section>
  );
}
