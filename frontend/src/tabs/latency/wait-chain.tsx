import type { WaitSection, WakeHop } from "../../api/types.ts";
import { formatDuration } from "../../lib/format.ts";
import { TERMS } from "../../lib/terms.ts";
import { parseNs, toRel } from "../../lib/time.ts";
import type { Stage } from "../../timeline/stage/stage.ts";
import { LabelBadge } from "../../ui/label-badge.tsx";
import { Term } from "../../ui/section-parts.tsx";
import { hopBefore, hopWho, STOP_WORDS } from "./wait-story.ts";

interface Props {
  readonly told: WaitSection;
  readonly stage: Stage;
}

/** Who woke the task, who woke that one, and so on: the latest first, each an arrow further back. */
export function WaitChain({ told, stage }: Props) {
  const begin = parseNs(told.wait.waking_ns) ?? 0n;
  const fly = (hop: WakeHop) => {
    const { origin } = stage.scene;
    const at = parseNs(hop.t_ns) ?? begin;
    const back = parseNs(hop.woken_ns ?? hop.ran_ns ?? hop.t_ns) ?? at;
    // A little around it, so that both ends of the arrow are seen.
    const around = Math.max(2000, Number(at - back) / 4);
    void stage.show(
      { from: toRel(origin, back) - around, to: toRel(origin, at) + around },
      { cpu: hop.cpu, at },
    );
  };
  return (
    <section className="wait-chain" aria-label="Who woke whom">
      <h3>
        <Term means={TERMS.wakeChain}>Who woke whom</Term>
      </h3>
      <ol data-testid="wait-chain">
        {told.chain.map((hop) => (
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
                    on {hopWho(hop)}
                  </>
                ) : (
                  <button type="button" className="inline" onClick={() => fly(hop)} title="Go to this moment">
                    {hopWho(hop)}
                  </button>
                )}{" "}
                <LabelBadge label={hop.label} missing={hop.missing} said />
              </p>
              <p className="muted">
                <span className="num">{agoText(begin, hop.t_ns)}</span>
                {bystander(hop)}
                {hopBefore(hop) !== "" && <>; {hopBefore(hop)}</>}
              </p>
            </div>
          </li>
        ))}
      </ol>
      <p className="muted" data-testid="wait-chain-end">
        {STOP_WORDS[told.stop]}
      </p>
    </section>
  );
}

function agoText(begin: bigint, at: string): string {
  const ago = begin - (parseNs(at) ?? begin);
  return ago === 0n ? "began the wait" : `${formatDuration(ago)} before the wait`;
}

/** An interrupt had somebody's CPU. */
function bystander({ context, comm, pid }: WakeHop): string {
  if (context !== "interrupt" && context !== "softirq") return "";
  return pid === 0 || pid === null ? ", the CPU was idle" : `, while ${comm ?? "task"} ${pid} was on the CPU`;
}
