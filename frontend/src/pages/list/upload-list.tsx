import { type FormEvent, type ReactNode, useCallback, useEffect, useId, useRef, useState } from "react";
import { sentenceOf } from "../../api/client.ts";
import type { PickedFile } from "../../api/session/file-handles.ts";
import type { UploadBatch, UploadFile, UploadManager } from "../../api/session/uploads.ts";
import type { Analysis, AnalysisChange } from "../../api/types.ts";
import { formatBytes, plural } from "../../lib/format.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Button, Check, Field } from "../../ui/fields.tsx";
import { Fact, Problem } from "../../ui/section-parts.tsx";
import { useDrop } from "../../ui/use-drop.ts";
import { useAct } from "../../ui/use-load.ts";
import { parseTags } from "./analysis-details.ts";
import "./list.css";

interface Props {
  readonly batches: readonly UploadBatch[];
  readonly uploads: UploadManager;
  /** Looks at a batch while it is uploaded; null where the page cannot. */
  readonly onLook: ((batch: UploadBatch, files: readonly File[]) => void) | null;
}

/** Uploads that are not analyses yet, with what each file waits for. */
export function UploadList({ batches, uploads, onLook }: Props) {
  if (batches.length === 0) return null;
  return (
    <section aria-label="Uploads" className="uploads">
      <h2>Uploads</h2>
      {batches.map((batch) => (
        <article key={batch.id} className="batch" data-testid="upload-batch">
          <BatchProgress files={batch.files} />
          <ul>
            {batch.files.map((file) => (
              <FileRow key={file.key} file={file} uploads={uploads} />
            ))}
          </ul>
          <footer>
            <span className="muted">{batchLine(batch)}</span>
            <LookButton batch={batch} files={uploads.filesOf(batch)} onLook={onLook} />
            {batch.problem !== null && (
              <Button className="quiet" onClick={() => uploads.retryCreate(batch.id)}>
                Try again
              </Button>
            )}
            <Button className="quiet" onClick={() => uploads.cancel(batch.id)}>
              Discard
            </Button>
          </footer>
          <Problem sentence={batch.problem} />
        </article>
      ))}
    </section>
  );
}

interface LookProps extends Pick<Props, "onLook"> {
  readonly batch: UploadBatch;
  readonly files: readonly File[] | null;
}

function LookButton({ batch, files, onLook }: LookProps) {
  if (onLook === null || files === null) return null;
  return (
    <Button
      onClick={() => onLook(batch, files)}
      title="This browser reads the files first; the view switches to the server's analysis when it is ready"
    >
      View it now
    </Button>
  );
}

/** One bar for all that was dropped together. */
export function BatchProgress({ files }: Pick<UploadBatch, "files">) {
  const sum = (of: (file: UploadFile) => number) => files.reduce((total, file) => total + of(file), 0);
  const [sent, size] = [sum((file) => (file.done ? file.size : file.sent)), sum((file) => file.size)];
  const share = size > 0 ? sent / size : 0;
  return (
    <div className="batch-progress">
      <progress
        max={1}
        value={share}
        aria-label={`${plural(files.length, "file")}: ${Math.round(share * 100)} %`}
      />
      <span className="num muted">
        {formatBytes(sent)} of {formatBytes(size)}
      </span>
    </div>
  );
}

function batchLine({ files, problem, target }: UploadBatch): string {
  if (problem !== null) return "All files were received, but the import failed.";
  if (files.every((file) => file.done)) return "All files were received; the import is running.";
  if (files.some((file) => file.state === "absent")) {
    return "Started before this page was loaded. The received part is kept; drop or choose the same file to continue.";
  }
  if (target !== null) return `${plural(files.length, "file")} for an analysis that is already here.`;
  return files.length === 1 ? "One file, one analysis." : `${files.length} files, one analysis.`;
}

function FileRow({ file, uploads }: { readonly file: UploadFile } & Pick<Props, "uploads">) {
  return (
    <li data-testid="upload-file" data-state={file.state}>
      <span className="file-name">{file.name}</span>
      <span className="num">
        {file.done ? formatBytes(file.size) : `${formatBytes(file.sent)} of ${formatBytes(file.size)}`}
      </span>
      <span className={`state state-${file.state}`}>{STATE_WORDS[file.state]}</span>
      <span className="row-actions">
        {(file.state === "uploading" || file.state === "retrying") && (
          <Button className="quiet" onClick={() => uploads.pause(file.key)}>
            Pause
          </Button>
        )}
        {(file.state === "paused" || (file.state === "failed" && !file.refused)) && (
          <Button className="quiet" onClick={() => uploads.resume(file.key)}>
            Resume
          </Button>
        )}
        {file.state === "absent" && file.reopenable && (
          <Button className="quiet" onClick={() => void uploads.reopen(file.key)}>
            Resume
          </Button>
        )}
      </span>
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

interface DropZoneProps {
  /** Raises or returns a message about files that are left out. */
  readonly onPick: (picked: readonly PickedFile[]) => Promise<string | null>;
  readonly hint: string;
  /** Further options before a drop. */
  readonly children?: ReactNode;
}

const KINDS: readonly (readonly [string, string])[] = [
  [
    "recordings",
    "trace.dat, perf.data, tracefs or trace-cmd text, perf script text, LTTng as babeltrace2 text, Perfetto",
  ],
  ["samples", "/proc/pressure, vmstat, numa_maps, /proc/PID/sched, numa_group, cgroups"],
  ["requests", "CSV or NDJSON with start and duration, pgbench -l"],
  ["benchmarks", "output of sysbench, pgbench, hackbench, schbench and NAS, tables of mmtests"],
  ["topology", "lscpu -p, numactl -H, sysfs, hwloc XML"],
  ["symbols", "/proc/kallsyms, programs and their debug files (ELF), what perf archive packs"],
  ["archives", "tar, tgz, tar.zst, tar.xz, tar.bz2, zip of any of these; single .gz, .zst, .xz and .bz2"],
];

/** Files by drop, anywhere on the page, or by dialog. Those that are left out are named. */
export function DropZone({ onPick, hint, children }: DropZoneProps) {
  const [note, setNote] = useState<string | null>(null);
  const given = useRef(onPick);
  useEffect(() => {
    given.current = onPick;
  });
  const pick = useCallback((picked: readonly PickedFile[]) => {
    setNote(null);
    given.current(picked).then(setNote, (error: unknown) => setNote(sentenceOf(error)));
  }, []);
  const over = useDrop(pick);
  return (
    <section className={over ? "drop-zone over" : "drop-zone"} aria-label="Upload">
      <p className="drop-title">Drop recordings and samples anywhere on this page, or a whole folder</p>
      <dl className="facts kinds">
        {KINDS.map(([kind, forms]) => (
          <Fact key={kind} name={kind}>
            {forms}
          </Fact>
        ))}
      </dl>
      <p className="muted">{hint}</p>
      {children}
      <Problem sentence={note} />
      <Chooser words="Choose files" onPick={pick} />
      <Chooser words="Choose a folder" folder={true} onPick={pick} />
    </section>
  );
}

interface ChooserProps {
  readonly words: string;
  readonly folder?: boolean;
  readonly onPick: (picked: readonly PickedFile[]) => void;
}

/** Files by the browser's own dialog. */
function Chooser({ words, folder = false, onPick }: ChooserProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onClick={() => input.current?.click()}>{words}</Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        {...(folder ? { webkitdirectory: "" } : {})}
        data-testid={folder ? "folder-input" : "file-input"}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])].filter(({ name }) => !name.startsWith("."));
          event.currentTarget.value = "";
          if (files.length > 0) onPick(files.map((file) => ({ file, handle: null })));
        }}
      />
    </>
  );
}

interface FileDialogProps {
  readonly analysis: Analysis;
  /** Incidents that there are already. */
  readonly incidents: readonly string[];
  /** Days after which what is not kept is deleted; null is never. */
  readonly keepDays: number | null;
  /** Raises what the service refuses. */
  readonly onChange: (change: AnalysisChange) => Promise<unknown>;
  readonly onClose: () => void;
}

export function FileDialog({ analysis, incidents, keepDays, onChange, onClose }: FileDialogProps) {
  const [title, setTitle] = useState(analysis.title);
  const [description, setDescription] = useState(analysis.description);
  const [tags, setTags] = useState(analysis.tags.join(" "));
  const [incident, setIncident] = useState(analysis.incident ?? "");
  const [keep, setKeep] = useState(analysis.keep);
  const { busy, problem, act } = useAct();
  const field = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act(onChange({ title, description, tags: parseTags(tags), incident, keep }).then(onClose));
  };
  return (
    <Dialog title="Edit details" onClose={onClose}>
      <form className="file-form" onSubmit={submit}>
        <Field name="title" value={title} maxLength={200} onText={setTitle} />
        <Field
          name="incident"
          value={incident}
          maxLength={120}
          list={`${field}-incidents`}
          placeholder="shared name, e.g. INC-1234"
          onText={setIncident}
        />
        <datalist id={`${field}-incidents`}>
          {incidents.map((known) => (
            <option key={known} value={known} />
          ))}
        </datalist>
        <Field name="tags" value={tags} placeholder="any number of words" onText={setTags} />
        <label htmlFor={`${field}-text`}>description</label>
        <textarea
          id={`${field}-text`}
          value={description}
          maxLength={10_000}
          placeholder="Visible through shared links"
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        {keepDays !== null && (
          <Check className="wide" checked={keep} onCheck={setKeep}>
            keep it longer than {keepDays} days
          </Check>
        )}
        {problem !== null && (
          <p className="problem wide" role="alert">
            {problem}
          </p>
        )}
        <span className="wide">
          <button type="submit" className="primary" disabled={busy || title.trim() === ""}>
            Save
          </button>
          <Button className="quiet" onClick={onClose}>
            Cancel
          </Button>
        </span>
      </form>
    </Dialog>
  );
}
