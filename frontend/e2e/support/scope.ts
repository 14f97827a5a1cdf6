/** `NUMALENS_TEST=all` runs every test, at every size and in both themes; otherwise one test runs per user flow. */
export const RUNS_ALL = process.env["NUMALENS_TEST"] === "all";

/** Details of a test that runs only with `NUMALENS_TEST=all` when `isExtra` is true: a further theme or width. */
export const extra = (isExtra: boolean) => (isExtra ? { tag: "@all" } : {});
