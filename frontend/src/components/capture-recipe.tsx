const RECIPE = `sudo trace-cmd record -C mono -b 16384 \\
     -e sched -e migrate -e irq sleep 10
lscpu -p > lscpu-p.txt
numactl -H > numactl-H.txt
# drop trace.dat and both .txt here, together`;

export function CaptureRecipe() {
  return (
    <figure className="recipe">
      <figcaption>Record ten seconds on the machine in question</figcaption>
      <pre>{RECIPE}</pre>
      <p className="muted">
        <code>-C mono</code> gives all CPUs one clock; <code>-b</code> is KiB of buffer per CPU, so that no
        events are lost. Without the two text files the nodes are learnt from the events, or assumed, and the
        page says so.
      </p>
    </figure>
  );
}
