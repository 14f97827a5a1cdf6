import "../theme/tokens.css";
import "../theme/base.css";
import "../theme/timeline.css";
import "../theme/panels.css";
import "../theme/drawer.css";
import "../theme/analysis.css";
import "../theme/talk.css";
import "../theme/waits.css";
import "../theme/balancers.css";
import "../theme/pages.css";
import "../theme/compare.css";
import "../theme/fleet.css";
import "../theme/hands.css";
import "../theme/sql.css";
import { firstAddresses, startEarly } from "../api/prefetch.ts";

// The questions go out before the script that shows the answers is there.
startEarly(firstAddresses(new URL(window.location.href)));
const root = document.getElementById("root");
if (root) void import("./app.tsx").then(({ start }) => start(root));
