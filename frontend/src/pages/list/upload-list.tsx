import type { UploadBatch, UploadFile, UploadManager } from "../../api/session/uploads.ts";
import { formatBytes } from "../../lib/format.ts";
import { Problem } from "../../ui/section-parts.tsx";

interface Props {
  readonly batches: readonly UploadBatch[];
  readonly uploads: UploadManager;
}

/** Uploads that are not analyses yet, with what each file waits for. */
export function UploadList({ batches, uploads }: Props) {
  if (batches.length === 0) return null;
  return (
    <section aria-label="Uploads" className="uploads">
      <h2>Uploads</h2>
      {batches.map((batch) => (
        <article key={batch.id} className="batch" data-testid="upload-batch">
          <ul>
            {batch.files.map((file) => (
              <FileRow key={file.key} file={file} uploads={uploads} />
            ))}
          </ul>
          <footer>
            <span className="muted">{batchLine(batch)}</span>
            {batch.problem !== null && (
              <button type="button" className="quiet" onClick={() => uploads.retryCreate(batch.id)}>
                Try again
              </button>
            )}
            <button type="button" className="quiet" onClick={() => uploads.cancel(batch.id)}>
              Discard
            </button>
          </footer>
          <Problem sentence={batch.problem} />
        </article>
      ))}
    </section>
  );
}

function batchLine({ files, problem }: UploadBatch): string {
  if (problem !== null) return "All files have arrived, but they did not become an analysis.";
  if (files.every((file) => file.done)) return "All files have arrived; the analysis is being made.";
  if (files.some((file) => file.state === "absent")) {
    return "Begun before this page was loaded. What has arrived is kept; drop or choose the same file to go on.";
  }
  return files.length === 1 ? "One file, one analysis." : `${files.length} files, one analysis.`;
}

function FileRow({ file, uploads }: { readonly file: UploadFile; readonly uploads: UploadManager }) {
  const share = file.size > 0 ? file.sent / file.size : 0;
  return (
    <li data-testid="upload-file" data-state={file.state}>
      <span className="file-name">{file.name}</span>
      <span className="num">
        {file.done ? formatBytes(file.size) : `${formatBytes(file.sent)} of ${formatBytes(file.size)}`}
      </span>
      <span className={`state state-${file.state}`}>{STATE_WORDS[file.state]}</span>
      <span className="row-actions">
        {(file.state === "uploading" || file.state === "retrying") && (
          <button type="button" className="quiet" onClick={() => uploads.pause(file.key)}>
            Pause
          </button>
        )}
        {(file.state === "paused" || (file.state === "failed" && !file.refused)) && (
          <button type="button" className="quiet" onClick={() => uploads.resume(file.key)}>
            Resume
          </button>
        )}
        {file.state === "absent" && file.reopenable && (
          <button type="button" className="quiet" onClick={() => void uploads.reopen(file.key)}>
            Resume
          </button>
        )}
      </span>
      <progress max={1} value={share} aria-label={`${file.name}: ${Math.round(share * 100)} %`} />
      {file.problem !== null && (
        <p
          className={file.state === "failed" ? "problem" : "muted"}
          role={file.state === "failed" ? "alert" : "status"}
        >
          {file.problem}
        </p>
      )}
    </li>
  );
}

const STATE_WORDS: Record<UploadFile["state"], string> = {
  waiting: "waiting",
  uploading: "uploading",
  retrying: "reconnecting",
  paused: "paused",
  absent: "needs the file",
  done: "arrived",
  failed: "stopped",
};
