import { useState } from "react";
import type { Analysis } from "../../api/types.ts";
import { analysisPath } from "../../lib/routes.ts";
import { Button } from "../../ui/fields.tsx";
import { Link } from "../../ui/page/link.tsx";
import SAMPLE from "./sample.jpg";

const STORAGE_KEY = "numalens.first-steps";

interface Props {
  readonly analyses: readonly Analysis[];
}

/** First steps of a new user, shown until they have an analysis, or dismiss them. */
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
        <h2>Find out why a task waited, in three steps</h2>
        <Button className="quiet" onClick={close} title="Don't show again">
          Dismiss
        </Button>
      </header>
      {sample && (
        <Link to={analysisPath(sample.id, "")} className="sample-picture" title="Open the sample">
          <img src={SAMPLE} width={640} height={360} alt="The sample: a timeline with its findings" />
        </Link>
      )}
      <ol>
        <li>
          <b>Look at one.</b>{" "}
          {sample ? (
            <>
              <Link to={analysisPath(sample.id, "tour=1")}>Take the tour of the sample's incident</Link>: six
              stops, from the headline to the raw events.
            </>
          ) : (
            "The sample is being imported, or was deleted. Continue with the next step."
          )}
        </li>
        <li>
          <b>Record.</b> Run the command under “Record ten seconds” on the machine you want to trace, while it
          is slow.
        </li>
        <li>
          <b>Drop.</b> Drop all its files here together, or choose them. They become one analysis, which opens
          automatically.
        </li>
      </ol>
    </section>
  );
}
