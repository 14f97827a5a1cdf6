import { lazy, Suspense, useState } from "react";

const CaptureGuide = lazy(() => import("./capture-guide.tsx"));

const RECIPE = `sudo .venv/bin/numalens record --duration 10
# or, where NumaLens is not installed:
sudo trace-cmd record -C mono -b 16384 \\
     -e sched -e migrate -e irq sleep 10
lscpu -p=CPU,CORE,SOCKET,NODE > lscpu-p.txt`;

/** Absent where the page is built without the checkout around it. */
const [GUIDE] = Object.values(
  import.meta.glob<string>("../../../../docs/recording.md", {
    query: "?raw",
    import: "default",
    eager: true,
  }),
);

export function CaptureRecipe() {
  const [open, setOpen] = useState(false);
  return (
    <figure className="recipe">
      <figcaption>Record ten seconds on the machine in question</figcaption>
      <pre>{RECIPE}</pre>
      <p className="muted">
        The recorder takes pressure, memory and topology, too, all on one clock. <code>-b</code> is KiB of
        buffer per CPU, so that no events are lost. Without a topology the nodes are learnt from the events,
        or assumed, and the page says so.
      </p>
      {GUIDE !== undefined && (
        <button type="button" className="inline" onClick={() => setOpen(true)}>
          With perf, with tracefs alone, and when it does not work
        </button>
      )}
      {open && GUIDE !== undefined && (
        <Suspense fallback={null}>
          <CaptureGuide text={GUIDE} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </figure>
  );
}
