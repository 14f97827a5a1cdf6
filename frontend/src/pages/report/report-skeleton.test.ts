import type { Nodes } from "mdast";
import { describe, expect, it } from "vitest";
import { HOSTILE } from "../../../test-support/hostile-names.ts";
import type { AnalysisDetail, Finding } from "../../api/types.ts";
import { keyFindings } from "../../lib/findings.ts";
import { plainName } from "../../lib/plain-names.ts";
import { parseMarkdown } from "../../ui/page/markdown.tsx";
import { EMPTY_VIEW } from "../../view-state/view-state.ts";
import { FENCE_NAME, parseBlock } from "./blocks/report-block.ts";
import { skeleton } from "./report-skeleton.ts";

const finding = (id: string, cost: number, summary: string, cgroup: string | null = null) =>
  ({
    id,
    severity: "high",
    from_ns: "5000",
    to_ns: "9000",
    impact_ms: cost,
    nodes: [0],
    pids: [7],
    cgroup,
    summary,
    label: "inferred",
    missing: ["lost_events"],
  }) as unknown as Finding;

const analysis = (name: string) =>
  ({
    id: "abc",
    title: name,
    inputs: [{ name, kernel: name }],
    timeline: { origin_ns: "1000", end_ns: "9500", window_ns: ["1000", "9500"], nodes: [{}, {}] },
  }) as unknown as AnalysisDetail;

const write = (name: string, chosen: string | null = null) =>
  skeleton({
    analysis: analysis(name),
    headline: `4 CPUs, 31 % busy; 50 % behind ${name}.`,
    findings: keyFindings([
      finding("MEM_FULL_EPISODE", 9, "plain"),
      finding("CGROUP_THROTTLE", 3, name, name),
      finding("JUST_TOO_LATE", 1, "plain"),
      finding("CLING_BUSY_NODE", 0.5, "plain"),
    ]),
    chosen,
    view: EMPTY_VIEW,
  });

const kindsOf = (node: Nodes): string[] => [
  node.type,
  ...("children" in node ? node.children.flatMap(kindsOf) : []),
];
const textOf = (node: Nodes): string =>
  node.type === "text" ? node.value : "children" in node ? node.children.map(textOf).join("") : "";

describe("the first words of a report", () => {
  it("tell the worst findings with a view of each, inside of the recording", () => {
    const root = parseMarkdown(write("trace.dat"));
    const views = root.children.flatMap((node) =>
      node.type === "code" && node.lang === FENCE_NAME ? [parseBlock(node.meta ?? "", node.value)] : [],
    );
    expect(views.map((view) => view.ok && view.block.kind)).toEqual([
      ...["finding", "timeline", "finding", "timeline", "finding", "timeline"],
      "table",
    ]);
    expect(views[0]).toMatchObject({ block: { view: { finding: "MEM_FULL_EPISODE@5000" } } });
    expect(views[1]).toMatchObject({ block: { view: { window: { from: 4000n, to: 9500n } } } });
    expect(textOf(root)).toContain("inferred (lacks the lost events)");
  });

  it("begin with the chosen one", () => {
    const text = write("trace.dat", "CLING_BUSY_NODE@5000");
    expect(text).toContain("### 1. Busy node releases its tasks");
    expect(text).not.toContain("### 4.");
  });

  it.each(HOSTILE)("show $what literally, and are made of the same parts", ({ name }) => {
    const root = parseMarkdown(write(name));
    const usual = parseMarkdown(write("trace.dat"));
    if (name !== "") {
      expect(kindsOf(root)).toEqual(kindsOf(usual));
      expect(textOf(root)).toContain(plainName(name));
    }
  });
});
