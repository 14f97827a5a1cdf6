import "../ui/tokens.css";
import "../ui/base.css";
import { firstAddresses, startEarly } from "../api/prefetch.ts";

// The questions go out before the script that shows the answers is there.
startEarly(firstAddresses(new URL(window.location.href)));
const root = document.getElementById("root");
if (root) void import("./app.tsx").then(({ start }) => start(root));
