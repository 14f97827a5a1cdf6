import type { WaitSection, WakeHop } from "../../api/types.ts";
import { formatDuration } from "../../lib/format.ts";
import { TERMS } from "../../lib/terms.ts";
import { parseNs, toRel } from "../../lib/time.ts";
import type { Stage } from "../../timeline/stage/stage.ts";
import { LabelBadge, Term } from "../../ui/section-parts.tsx";
import { hopBefore, hopTask, STOP_WORDS } from "./wait-story.ts";

interface Props {
  readonly section: WaitSection;
  readonly stage: Stage;
}

/** Who woke the task, who woke that one, and so on: the latest first, each an arrow further back. */
export function WaitChain({ section, stage }: Props) {
  const start = parseNs(section.wait.waking_ns) ?? 0n;
  const fly = (hop: WakeHop) => {
    const { origin } = stage.scene;
    const at = parseNs(hop.t_ns) ?? start;
    const back = parseNs(hop.woken_ns ?? hop.ran_ns ?? hop.t_ns) ?? at;
    // A little around it, so that both ends of the arrow are seen.
    const around = Math.max(2000, Number(at - back) / 4);
    void stage.show(
      { from: toRel(origin, back) - around, to: toRel(origin, at) + around },
      { cpu: hop.cpu, at },
    );
  };
  return (
    <section className="wait-chain" aria-label="Wakeup chain">
      <h3>
        <Term means={TERMS.wakeChain}>Wakeup chain</Term>
      </h3>
      <ol data-testid="wait-chain">
        {section.chain.map((hop) => (
          <li key={`${hop.t_ns} ${hop.cpu}`}>
            <span className="chain-arrow" aria-hidden="true">
              ↑
            </span>
            <div>
              <p>
                {hop.context === "task" || hop.context === "unknown" ? (
                  <>
                    <button
                      type="button"
                      className="inline"
                      onClick={() => fly(hop)}
                      title="Go to this task and moment"
                    >
                      {hop.comm ?? "task"} <span className="num">{hop.pid ?? "?"}</span>
                    </button>{" "}
                    on {hopTask(hop)}
                  </>
                ) : (
                  <button type="button" className="inline" onClick={() => fly(hop)} title="Go to this moment">
                    {hopTask(hop)}
                  </button>
                )}{" "}
                <LabelBadge label={hop.label} missing={hop.missing} said />
              </p>
              <p className="muted">
                <span className="num">{agoText(start, hop.t_ns)}</span>
                {bystander(hop)}
                {hopBefore(hop) !== "" && <>; {hopBefore(hop)}</>}
              </p>
            </div>
          </li>
        ))}
      </ol>
      <p className="muted" data-testid="wait-chain-end">
        {STOP_WORDS[section.stop]}
      </p>
    </section>
  );
}

function agoText(start: bigint, at: string): string {
  const ago = start - (parseNs(at) ?? start);
  return ago === 0n ? "began the wait" : `${formatDuration(ago)} before the wait`;
}

/** An interrupt had somebody's CPU. */
function bystander({ context, comm, pid }: WakeHop): string {
  if (context !== "interrupt" && context !== "softirq") return "";
  return pid === 0 || pid === null ? ", the CPU was idle" : `, while ${comm ?? "task"} ${pid} was on the CPU`;
}
