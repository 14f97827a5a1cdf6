export { ledgerColour, ledgerInk, ledgerMeaning, ledgerTitle } from "./ledger.ts";
export { SleepSources } from "./sleep-sources.ts";
export { sleepFact, sleepLabel } from "./sleeps.ts";
