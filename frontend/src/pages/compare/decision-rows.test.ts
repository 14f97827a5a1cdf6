import { expect, it } from "vitest";
import { changed, exampleOf, exampleWindow, valueText } from "./decision-rows.ts";

const example = (t_ns: string) => ({ analysis: 0, t_ns, pid: 7, comm: "worker", cpu: 1 });
const change = (significant: boolean) => ({ difference: 3, p: 0.001, significant });
const base = { count: 90, value: 90, example: example("5"), change: null };

it("keeps changes beyond noise", () => {
  const cell = { ...base, value: 93 };
  expect(changed({ sides: [base, { ...cell, change: change(true) }] })).toBe(true);
  expect(changed({ sides: [base, { ...cell, change: change(false) }] })).toBe(false);
});

it("takes the example from where the outcome is most frequent", () => {
  const rare = { ...base, value: 10, example: example("9") };
  expect(exampleOf({ sides: [rare, base] })?.t_ns).toBe("5");
  expect(exampleOf({ sides: [{ ...base, example: null }, rare] })?.t_ns).toBe("9");
  expect(exampleOf({ sides: [] })).toBeNull();
});

it("writes shares, rates and windows", () => {
  expect(valueText({ value: 12.34 }, false)).toBe("12.3 %");
  expect(valueText({ value: 12.34 }, true)).toBe("12.3/s");
  expect(valueText({ value: null }, true)).toBe("–");
  expect(exampleWindow(3_000_000n)).toBe("v=2&w=2000000~4000000");
  expect(exampleWindow(5n)).toBe("v=2&w=0~1000005");
});
