import { type DragEvent, useRef, useState } from "react";
import { type PickedFile, pickedFromDrop } from "../../api/session/file-handles.ts";
import { Fact } from "../../ui/section-parts.tsx";

interface Props {
  readonly onPick: (picked: PickedFile[]) => void;
  readonly hint: string;
}

/** What is read, as people call it. */
const KINDS: readonly (readonly [string, string])[] = [
  ["recordings", "trace.dat, perf.data, tracefs or trace-cmd text, perf script text, Perfetto"],
  ["samples", "/proc/pressure, vmstat, numa_maps, /proc/PID/sched, numa_group, cgroups"],
  ["topology", "lscpu -p, numactl -H, sysfs, hwloc XML"],
  ["bundles", "tar, tgz, tar.zst, zip of any of these; single .gz and .zst"],
];

/** Files by drop or by dialog. The whole zone is the target; the button serves the keyboard. */
export function DropZone({ onPick, hint }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void pickedFromDrop(event.dataTransfer).then((picked) => {
      if (picked.length > 0) onPick(picked);
    });
  };
  return (
    <section
      className={over ? "drop-zone over" : "drop-zone"}
      aria-label="Upload"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <p className="drop-title">Drop recordings and samples here, or a whole folder</p>
      <dl className="facts kinds">
        {KINDS.map(([kind, forms]) => (
          <Fact key={kind} name={kind}>
            {forms}
          </Fact>
        ))}
      </dl>
      <p className="muted">{hint}</p>
      <button type="button" onClick={() => input.current?.click()}>
        Choose files
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        data-testid="file-input"
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = "";
          if (files.length > 0) onPick(files.map((file) => ({ file, handle: null })));
        }}
      />
    </section>
  );
}
