import { expect, it } from "vitest";
import {
  chosenText,
  missedText,
  type Placements,
  placementOf,
  reasonRows,
  whatIfTexts,
} from "./placement.ts";

const ROW: Placements["listed"][number] = {
  t_ns: "5",
  pid: 7,
  comm: "worker",
  fork: false,
  waker_cpu: 0,
  prev_cpu: 1,
  cpu: 1,
  reasons: ["delayed_dequeue", "search_ended"],
  missed_by: null,
  idle_cpu: null,
  wait_ns: 3,
  label: "inferred",
};

it("takes the placement of the task alone", () => {
  const listed = [{ ...ROW, pid: 8 }, ROW];
  expect(placementOf({ listed }, 7)).toBe(ROW);
  expect(placementOf({ listed }, 9)).toBeNull();
});

it("names CPUs, and says when several reasons or none are left", () => {
  expect(chosenText(ROW)).toBe(
    "CPU 1 was chosen, the task was on CPU 1 before, its waker on CPU 0. The recording does not distinguish these reasons:",
  );
  expect(chosenText({ ...ROW, fork: true, prev_cpu: null, waker_cpu: null, reasons: [] })).toBe(
    "CPU 1 was chosen, for a new task. No rule gives this CPU.",
  );
  expect(reasonRows(ROW.reasons).map(({ rule }) => rule)).toEqual(["W4", "W17"]);
});

it("names the idle CPU that was missed, and the rule", () => {
  expect(missedText(ROW)).toBeNull();
  expect(missedText({ ...ROW, idle_cpu: 3, missed_by: "other_node" })).toContain(
    "CPU 3 was idle and allowed. Other node (W24): ",
  );
});

it("says what other rules may have changed", () => {
  const what: Placements["what_ifs"][number] = {
    rules: "before_6_12",
    differ: 0,
    uncertain: 1,
    reasons: [{ reason: "idle_in_llc", certain: 1, possible: 0 }],
    label: "what-if",
  };
  expect(whatIfTexts({ what_ifs: [what] })[0]?.text).toBe(
    "Kernels before 6.12 (W33): it may have gone to another CPU, by Idle CPU of the same cache.",
  );
  expect(whatIfTexts({ what_ifs: [{ ...what, differ: 1, uncertain: 0 }] })[0]?.text).toContain("would have");
});
