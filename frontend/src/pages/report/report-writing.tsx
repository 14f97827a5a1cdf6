import { lazy, type ReactNode, Suspense } from "react";
import { Button } from "../../ui/fields.tsx";
import type { LiveReport } from "./use-report.ts";

const ReportEditor = lazy(() => import("./report-editor.tsx"));

interface Props {
  readonly live: LiveReport;
  /** As readers will see it. */
  readonly children: ReactNode;
}

export function ReportWriting({ live, children }: Props) {
  const { draft, change, save } = live;
  if (!draft) return null;
  return (
    <div className="report-writing">
      <section className="report-text" aria-label="Editor">
        <input
          className="report-title"
          aria-label="Title of the report"
          value={draft.title}
          maxLength={200}
          onChange={(event) => change({ title: event.currentTarget.value })}
        />
        <Suspense fallback={<div className="report-editor" />}>
          <ReportEditor text={draft.text} onText={(text) => change({ text })} onSave={save} />
        </Suspense>
        <p className="muted report-help">
          Markdown. A view is a ```numalens block with its address; an address pasted on its own line becomes
          one.
        </p>
      </section>
      {children}
    </div>
  );
}

/** State of the writer's text, and possible actions. */
export function ReportLines({ live }: { readonly live: LiveReport }) {
  const { clash, refused, found, saveOver, discard, saving } = live;
  return (
    <>
      {clash && (
        <div className="banner report-clash" role="alert">
          <span>{clash.sentence}</span>
          <Button disabled={saving} onClick={saveOver}>
            Overwrite with mine
          </Button>
          <Button disabled={saving} onClick={discard}>
            Take theirs
          </Button>
        </div>
      )}
      {refused !== null && (
        <p className="banner problem" role="alert">
          Not saved. {refused}
        </p>
      )}
      {found && !clash && (
        <div className="banner" role="status">
          <span>Unsaved changes were recovered.</span>{" "}
          <Button className="inline" onClick={discard}>
            Drop them
          </Button>
        </div>
      )}
    </>
  );
}
