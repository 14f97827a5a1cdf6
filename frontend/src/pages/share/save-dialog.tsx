import { useState } from "react";
import { hasEngine, NO_ENGINE } from "../../api/local/module.ts";
import type { Api } from "../../api/routes/service.ts";
import { localSession } from "../../api/session/local.ts";
import { formatBytes } from "../../lib/format.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { saveBlob } from "../../ui/downloads.tsx";
import { Button } from "../../ui/fields.tsx";
import { Problem } from "../../ui/section-parts.tsx";
import { useAct } from "../../ui/use-load.ts";
import { encodeView } from "../../view-state/view-state.ts";
import { CopyGroup, type GivenProps, untilReady } from "./copy-fields.tsx";
import { type CopyOptions, copyView, copyWish, isCopy, WHOLE } from "./share-fields.tsx";
import "./share.css";

const FILE = "incident.html";

/** The page, its engine and the analysis as one file: made first, so that its size is known before it is saved. */
export function SaveDialog({ api, analysis, view, window, task, onClose }: GivenProps) {
  const [part, setPart] = useState(WHOLE);
  const [made, setMade] = useState<Blob | null>(null);
  const { busy, problem, act } = useAct();
  const local = api.lacks.size > 0;
  const canCut = local ? localSession.canCut : analysis.access === "owner";
  const opens = isCopy(part) ? copyView(view) : encodeView(view);
  const choose = (chosen: CopyOptions) => {
    setPart(chosen);
    setMade(null);
  };
  const make = () => {
    const wish = isCopy(part) ? copyWish(part, window, task?.pid ?? null) : null;
    const file = local
      ? localSession.save(wish, analysis.title, opens)
      : savedByServer(api, analysis.id, wish, opens);
    act(file.then(setMade));
  };
  if (!hasEngine) {
    return (
      <Dialog title="Save as HTML" onClose={onClose} className="share-dialog">
        <p>{NO_ENGINE}</p>
      </Dialog>
    );
  }
  return (
    <Dialog title="Save as HTML" onClose={onClose} className="share-dialog">
      <p className="muted">
        One file with this page, its engine and the recording. A double click opens it at this view, without a
        server and without a network. Everyone with the file sees all its contents, including the names of
        tasks and cgroups{!local && ", and the notes"}.
      </p>
      <div className="share-create">
        {canCut && <CopyGroup name="with" part={part} window={window} task={task} onPart={choose} />}
        {made === null ? (
          <Button className="primary" onClick={make} disabled={busy}>
            {busy ? "Making the file…" : "Make the file"}
          </Button>
        ) : (
          <>
            <span className="file-size" data-testid="file-size">
              {FILE}, <span className="num">{formatBytes(made.size)}</span>
            </span>
            <Button className="primary" onClick={() => saveBlob(made, FILE)}>
              Save
            </Button>
          </>
        )}
      </div>
      {isCopy(part) && (
        <p className="muted">
          It is replayed from the remaining data and contains nothing that was left out
          {!local && ", nor are notes"}.
          {part.task && !part.pseudonyms && " Names of sampled cgroups stay, unless pseudonyms are chosen."}
        </p>
      )}
      <Problem sentence={problem} />
    </Dialog>
  );
}

/** Of a part a copy is made and deleted again: it is read in the server's confined process, as for a link. */
async function savedByServer(
  api: Api,
  id: string,
  wish: ReturnType<typeof copyWish> | null,
  view: string,
): Promise<Blob> {
  const file = async (of: string) => (await api.downloads.open(api.downloads.page(of, view))).blob();
  if (wish === null) return file(id);
  const copy = await api.analyses.copy(id, wish);
  // Nothing deletes it once the page is gone; a request that may outlive the page is the last one it can send.
  const leave = () => void api.analyses.delete(copy.id, { keepalive: true });
  addEventListener("pagehide", leave);
  try {
    return await file(await untilReady(api, copy));
  } finally {
    removeEventListener("pagehide", leave);
    await api.analyses.delete(copy.id);
  }
}
