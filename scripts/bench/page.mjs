// The page in a real browser, at a given address: how soon it shows something useful, and how it moves.
// node page.mjs --address http://... --analysis NAME=ID [--analysis NAME=ID:open] [--seconds 10] [--loads 5]
// node page.mjs --address http://... --drop FILE: only how long it takes from a drop to the headline, ms
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { chromium } from "@playwright/test";
import { tableFromIPC } from "@uwdata/flechette";
import { findChromium } from "../lib/tools.mjs";

const { values: options } = parseArgs({
  options: {
    address: { type: "string" },
    analysis: { type: "string", multiple: true },
    drop: { type: "string" },
    seconds: { type: "string", default: "10" },
    loads: { type: "string", default: "5" },
    web: { type: "string" },
  },
});
const seconds = Number(options.seconds);
const loads = Number(options.loads);
const VIEWPORT = { width: 1440, height: 900 };
/** A stretch of the trace that every key moves: nothing is pushed against an end. */
const SHARE = 30n;
/** Lanes of tasks that are pinned. */
const TASKS = 8;
/** How often a task is woken, in the mean, where arrows are on: of twice as many in a lane none is drawn. */
const WAKEUPS = 20;

const browser = await chromium.launch({
  executablePath: await findChromium(),
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
});

/** Of ascending values the one that a share of them does not exceed. */
function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

const ms = (value) => `${value.toFixed(1)} ms`;

/** A page of its own, as cold as a new profile is. */
async function freshPage() {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  await page.addInitScript(watch);
  return page;
}

/** Runs in the page before anything else: times of frames, and the moment from which the findings stand there. */
function watch() {
  const frames = [];
  const loop = (now) => {
    frames.push(now);
    requestAnimationFrame(loop);
  };
  requestAnimationFrame(loop);
  window.benchFrames = frames;
  const listed = "[data-testid=findings-table] tbody tr, [data-testid=no-findings]";
  const observer = new MutationObserver(() => {
    if (!document.querySelector(listed)) return;
    observer.disconnect();
    performance.mark("bench:findings");
  });
  observer.observe(document, { childList: true, subtree: true });
  // What was marked in a frame is seen when that frame has been painted.
  const useful = new Set(["bench:findings", "numalens:lanes"]);
  new PerformanceObserver((list) => {
    for (const { name } of list.getEntries()) useful.delete(name);
    if (useful.size > 0 || window.benchUseful) return;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        window.benchUseful ??= performance.now();
      };
      channel.port2.postMessage(null);
    });
  }).observe({ type: "mark", buffered: true });
}

/** Milliseconds from the navigation to findings listed and lanes drawn, both painted. */
async function firstUsefulPaint(id) {
  const page = await freshPage();
  await page.goto(`${options.address}/a/${id}`);
  await page.waitForFunction(() => window.benchUseful, null, { timeout: 60_000 });
  const at = await page.evaluate(() => window.benchUseful);
  await page.context().close();
  return at;
}

/** Milliseconds from a dropped file to the sentence that says what happened, painted; and how often the progress moved. */
async function drop(file) {
  const page = await freshPage();
  await page.addInitScript(() => {
    const seen = new Set();
    const look = () => {
      const stage = document.querySelector("[data-testid=stage]")?.textContent;
      if (stage) seen.add(stage);
      const said = document.querySelector("[data-testid=headline]")?.textContent;
      if (!said || said === "Computing…") return requestAnimationFrame(look);
      return requestAnimationFrame((now) => {
        window.benchDropped = { ms: now - window.benchDrop, steps: seen.size };
      });
    };
    addEventListener("change", () => {
      window.benchDrop = performance.now();
      look();
    });
  });
  await page.goto(options.address);
  await page.waitForLoadState("networkidle");
  await page.getByTestId("file-input").setInputFiles(file);
  const found = await page.waitForFunction(() => window.benchDropped, null, { timeout: 300_000 });
  const dropped = await found.jsonValue();
  await page.context().close();
  return dropped;
}

/** Of an analysis: the window of its timeline, ns, its nodes, and a part of its middle that every key moves. */
async function timelineOf(id) {
  const answer = await fetch(`${options.address}/api/v1/analyses/${id}`);
  const { timeline } = await answer.json();
  const [first, last] = timeline.window_ns.map(BigInt);
  const length = (last - first) / SHARE;
  const from = (first + last - length) / 2n;
  return { nodes: timeline.nodes.map(({ nid }) => nid), middle: { from, to: from + length } };
}

/** Pids of all tasks but the idle loop, those that ran longest first. */
async function busiest(id) {
  const answer = await fetch(`${options.address}/api/v1/analyses/${id}/tasks`);
  const table = tableFromIPC(new Uint8Array(await answer.arrayBuffer()), { useBigInt: false });
  const [pid, ran] = ["pid", "run_ns"].map((name) => table.getChild(name).toArray());
  const rows = [...pid.keys()].filter((row) => pid[row] > 0).toSorted((a, b) => ran[b] - ran[a]);
  return [...new Set(rows.map((row) => pid[row]))];
}

/**
 * The longest wait of a window; a window around it in which a task is woken as often as arrows are drawn of; and lanes of those who
 * waited or woke then, so that arrows go from lane to lane.
 */
async function longestWait(id, { from, to }, tasks) {
  const waitsOf = async (window) => {
    const query = `from_ns=${window.from}&to_ns=${window.to}`;
    return (await fetch(`${options.address}/api/v1/analyses/${id}/sections/waits?${query}`)).json();
  };
  const { count, waits } = await waitsOf({ from, to });
  const [wait] = waits;
  const [woken, ran] = [BigInt(wait.waking_ns), BigInt(wait.switch_in_ns)];
  const air = ((to - from) * BigInt(WAKEUPS * tasks)) / BigInt(count) / 2n;
  const middle = (woken + ran) / 2n;
  const window = { from: middle - air, to: middle + air };
  const near = await waitsOf(window);
  const pids = [wait, ...near.waits].flatMap(({ pid, waker_pid }) => [pid, waker_pid]);
  const pins = [...new Set(pids)].filter((pid) => pid > 0).slice(0, TASKS);
  return { window, pins, wait: `${wait.pid}:${wait.cpu}@${woken}~${ran}` };
}

/** The analysis at a window, all panels as they are at first and with lanes of tasks, and still. */
async function open(id, everything, { window, pins = [], wait } = {}) {
  const page = await freshPage();
  const { nodes, middle } = await timelineOf(id);
  const { from, to } = window ?? middle;
  const pinned = pins.length > 0 ? `&pin=${pins.map((pid) => `task:${pid}`).join(",")}` : "";
  const opened = everything ? `&open=${nodes.join(",")}` : "";
  const shown = wait ? `d=latency&wait=${wait}` : "d=findings";
  await page.goto(`${options.address}/a/${id}?v=2&w=${from}~${to}&${shown}${opened}${pinned}`);
  await page.getByTestId("plot").waitFor();
  if (wait) await page.getByTestId("wait-story").waitFor();
  await page.waitForLoadState("networkidle", { timeout: 120_000 });
  await page.waitForTimeout(1000);
  return page;
}

/** Frames while something is done to a page, and the processor time of its main thread for each. */
async function frames(page, act) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async () => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };
  await page.evaluate(() => {
    window.benchFrames.length = 0;
  });
  const before = await busy();
  await act();
  const after = await busy();
  const at = await page.evaluate(() => window.benchFrames.slice());
  await cdp.detach();
  const gaps = at.slice(1).map((now, i) => now - at[i]);
  return { gaps, thread: (after - before) / Math.max(1, gaps.length) };
}

async function hold(page, length) {
  const turns = Math.max(1, Math.round(length / 2.5));
  for (let turn = 0; turn < turns; turn += 1) {
    for (const key of ["w", "a", "s", "d"]) {
      await page.keyboard.down(key);
      await page.waitForTimeout((1000 * length) / turns / 4);
      await page.keyboard.up(key);
    }
  }
}

/** From the top of the lanes to their end and back, as fast as a wheel is turned. */
async function scroll(page, length) {
  const names = await page.locator(".lane-names").boundingBox();
  const lanes = await page.getByTestId("lanes").boundingBox();
  await page.mouse.move(names.x + 60, lanes.y + lanes.height / 2);
  const until = performance.now() + length * 1000;
  for (let way = 1; performance.now() < until; ) {
    await page.mouse.wheel(0, way * 120);
    await page.waitForTimeout(16);
    const [top, most] = await page
      .getByTestId("lanes")
      .evaluate((box) => [box.scrollTop, box.scrollHeight - box.clientHeight]);
    if (top <= 0) way = 1;
    else if (top >= most - 1) way = -1;
  }
}

function tell(what, { gaps, thread }, floor) {
  const [p50, p95, p99, worst] = [0.5, 0.95, 0.99, 1].map((share) => quantile(gaps, share));
  const ratio = (p95 / quantile(floor.gaps, 0.95)).toFixed(2);
  console.log(
    `${what.padEnd(34)} median ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)}, worst ${ms(worst)} of ${gaps.length} frames;` +
      ` main thread ${ms(thread)} of processor time a frame; p95 ${ratio} x the empty page's`,
  );
}

/** What an address needs before it shows anything: the document's scripts and what they import at once. */
function scriptBytes(web) {
  const html = readFileSync(join(web, "index.html"), "utf8");
  const named = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, name]) => name);
  return named.reduce((sum, name) => sum + gzipSync(readFileSync(join(web, name)), { level: 9 }).length, 0);
}

/** The first view of each analysis, and how it moves. */
async function pages() {
  const version = browser.version();
  console.log(`page               Chromium ${version}, software rendering, ${VIEWPORT.width} x ${VIEWPORT.height}`);
  if (options.web) console.log(`first view's script ${(scriptBytes(options.web) / 1000).toFixed(0)} kB gzipped`);
  const empty = await freshPage();
  await empty.goto(`${options.address}/api/v1/info`);
  const floor = await frames(empty, () => empty.waitForTimeout(3000));
  await empty.context().close();
  tell("empty page", floor, floor);
  for (const given of options.analysis ?? []) {
    const [name, wanted] = given.split("=");
    const [id, all] = wanted.split(":");
    const times = [];
    for (let i = 0; i < loads; i += 1) times.push(await firstUsefulPaint(id));
    console.log(
      `${name}: first useful paint   median ${ms(quantile(times, 0.5))} (${ms(Math.min(...times))} to ${ms(Math.max(...times))}) of ${loads} cold loads`,
    );
    const page = await open(id, all === "open");
    const lanes = await page.locator(".node-name, .cpu-name").count();
    await page.mouse.move(5, 5);
    tell(`${name}: w a s d, ${lanes} lanes open`, await frames(page, () => hold(page, seconds)), floor);
    await page.waitForTimeout(1500);
    tell(`${name}: scrolling`, await frames(page, () => scroll(page, seconds / 2)), floor);
    await page.context().close();
    const { middle } = await timelineOf(id);
    const tasks = await busiest(id);
    const waiting = await longestWait(id, middle, tasks.length);
    for (const [what, shown] of [
      [`${TASKS} task lanes`, { pins: tasks.slice(0, TASKS) }],
      [`${waiting.pins.length} lanes, arrows, a wait`, waiting],
    ]) {
      const pinned = await open(id, all === "open", shown);
      await pinned.mouse.move(5, 5);
      tell(`${name}: w a s d, ${what}`, await frames(pinned, () => hold(pinned, seconds)), floor);
      await pinned.context().close();
    }
  }
}

try {
  if (options.drop) console.log(JSON.stringify(await drop(options.drop)));
  else await pages();
} finally {
  await browser.close();
}
