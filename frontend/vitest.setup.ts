// A gate must say the same of the same tree; with NUMALENS_EXPLORE=1 the properties are tried on new examples.
import { configureGlobal } from "fast-check";

if (!process.env["NUMALENS_EXPLORE"]) configureGlobal({ seed: 20261122 });
