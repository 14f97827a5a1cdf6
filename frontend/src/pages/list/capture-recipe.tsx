import { lazy, Suspense, useState } from "react";
import { Button } from "../../ui/fields.tsx";

const CaptureGuide = lazy(() => import("./capture-guide.tsx"));

const RECIPE = `sudo numalens record --duration 10
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
      <figcaption>Record ten seconds on the machine you want to trace</figcaption>
      <pre>{RECIPE}</pre>
      <p className="muted">
        The recorder also samples pressure, memory and topology, all on one clock. <code>-b</code> sets the
        buffer per CPU in KiB; a larger one loses no events. Without a topology, nodes are inferred from the
        events or assumed, and marked as such.
      </p>
      {GUIDE !== undefined && (
        <Button className="inline" onClick={() => setOpen(true)}>
          With perf, with tracefs alone, and troubleshooting
        </Button>
      )}
      {open && GUIDE !== undefined && (
        <Suspense fallback={null}>
          <CaptureGuide text={GUIDE} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </figure>
  );
}
