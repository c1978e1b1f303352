// Measures the page of a dashboard in Chromium: the time until its first chart against a bare page with the same chart, and
// what a page of fifty charts sends, blocks and keeps.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";
import type { Browser, BrowserContext } from "playwright-core";
import { describeChart, readChartConfig } from "../charts/index.ts";
import { countQueries, hasBrowser, startBrowser } from "../test/pages/browser.ts";
import { chartWidgets, type Dashboards, regionQuery, serveDashboards } from "./dashboards.ts";
import { interleavedRounds, median, medianRatio } from "./interleaved-rounds.ts";
import { formatFactor, formatMs, printTable } from "./report.ts";

const rounds = 9;
/** Viewers that the service has answered before: V8 compiles what runs often. */
const earlierViewers = 200;
const charts = 50;
const distinct = 20;
/** Queries that a page may send at once. */
const atOnce = 6;
const size = { width: 1400, height: 1000 };

/** Resolves to the time since the navigation at which the first chart is on the screen. */
const watchFirstChart = `globalThis.firstChart = new Promise((resolve) =>
  new MutationObserver((_, observer) => {
    if (document.querySelector("canvas") === null) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  }).observe(document, { childList: true, subtree: true }))`;

/** Skipped without a browser. */
export async function pagesBench(): Promise<void> {
  if (!hasBrowser) {
    console.log("\nNot measured: no Chromium is installed.");
    return;
  }
  const [browser, dashboards] = [await startBrowser(), await serveDashboards()];
  try {
    await measureFirstChart(browser, dashboards);
    await measureManyCharts(browser, dashboards);
  } finally {
    await browser.close();
    await dashboards.stop();
  }
}

async function measureFirstChart(browser: Browser, dashboards: Dashboards): Promise<void> {
  const config = { chart: "bar", query: regionQuery(30) };
  const { publicId } = await dashboards.publish(chartWidgets(1, () => config, 1));
  for (let viewer = 0; viewer < earlierViewers; viewer++) {
    await answerViewer(dashboards, { publicId, query: config.query });
  }
  const bare = await serveBarePage(config);
  const ours = () => pageAddress(dashboards, publicId);
  // A viewer who comes back has the files of the page.
  const contexts = [await browser.newContext(), await browser.newContext()] as const;
  try {
    const took = await interleavedRounds(rounds, {
      bare: () => inNewContext(browser, (context) => firstChart(context, bare.url)),
      page: () => inNewContext(browser, async (context) => firstChart(context, await ours())),
      bareAgain: () => firstChart(contexts[0], bare.url),
      pageAgain: async () => firstChart(contexts[1], await ours()),
    });
    const row = (name: string, own: readonly number[], floor: readonly number[], aim = "") =>
      [name, formatMs(median(own)), formatFactor(medianRatio(own, floor)), aim] as const;
    printTable(`Time until the first chart, ${rounds} rounds`, [
      ["", "median", "to bare", "aim"],
      row("bare page, with an empty cache", took.bare, took.bare),
      row("dashboard, with an empty cache", took.page, took.bare, "1.3 x"),
      row("bare page, again", took.bareAgain, took.bareAgain),
      row("dashboard, again", took.pageAgain, took.bareAgain, "1.3 x"),
    ]);
  } finally {
    bare.close();
  }
}

async function inNewContext(
  browser: Browser,
  work: (context: BrowserContext) => Promise<number>,
): Promise<number> {
  const context = await browser.newContext();
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

async function firstChart(context: BrowserContext, address: string): Promise<number> {
  const page = await context.newPage();
  await page.setViewportSize(size);
  await page.addInitScript(watchFirstChart);
  await page.goto(address, { waitUntil: "commit" });
  const ms = await page.evaluate<number>("firstChart");
  await page.close();
  return ms;
}

/** Returns the address of a dashboard for a new session. */
async function pageAddress(dashboards: Dashboards, publicId: string): Promise<string> {
  const sessionId = await newSession(dashboards);
  return `${dashboards.server.url}/embed/dashboard/${publicId}?session=${sessionId}`;
}

async function newSession({ send }: Dashboards): Promise<string> {
  const answer = await send({
    method: "POST",
    path: "/api/v1/embed/generate-session",
    body: { deploymentId: 1, externalId: "jane", embedTenantName: "acme-inc" },
  });
  return (answer as { sessionId: string }).sessionId;
}

/** Asks the service for what the page of a dashboard asks for. */
async function answerViewer(
  dashboards: Dashboards,
  { publicId, query }: { readonly publicId: string; readonly query: object },
): Promise<void> {
  const { url } = dashboards.server;
  const post = async (path: string, body: object, authorization = ""): Promise<object> => {
    const headers = { "content-type": "application/json", ...(authorization && { authorization }) };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, init);
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return (await response.json()) as object;
  };
  const sessionId = await newSession(dashboards);
  const body = { sessionId, dashboardPublicId: publicId };
  const { token } = (await post("/api/v1/embed/session/token", body)) as { token: string };
  await post("/deployments/d-d1/svcjs-api/v1/load", { query }, token);
}

/** Serves a page that loads ECharts and the options of the chart of a dashboard, and draws it. */
async function serveBarePage(config: { readonly chart: string }) {
  const script = `import { BarChart } from "echarts/charts";
    import { GridComponent, LegendPlainComponent, TooltipComponent } from "echarts/components";
    import { init, use } from "echarts/core";
    import { CanvasRenderer } from "echarts/renderers";
    use([BarChart, CanvasRenderer, GridComponent, LegendPlainComponent, TooltipComponent]);
    const option = await (await fetch("/option.json")).json();
    init(document.getElementById("chart")).setOption(option);`;
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: "esm",
    target: "chrome111",
    write: false,
  });
  const html = `<!doctype html><meta charset="utf-8"><title>Bare</title><div id="chart" style="width:1300px;height:400px"></div><script type="module" src="/bare.js"></script>`;
  const files: Readonly<Record<string, readonly [type: string, content: Buffer]>> = {
    "/": ["text/html", Buffer.from(html)],
    "/bare.js": ["text/javascript", brotliCompressSync(outputFiles[0]?.contents ?? "")],
    "/option.json": ["application/json", Buffer.from(JSON.stringify(optionOf(config)))],
  };
  const server = createServer(({ url = "" }, response) => {
    const [type, content] = files[url] ?? ["text/plain", Buffer.from("")];
    const isScript = url === "/bare.js";
    response.writeHead(200, {
      "content-type": type,
      ...(isScript && { "content-encoding": "br", "cache-control": "max-age=31536000, immutable" }),
    });
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => void server.close() };
}

function optionOf(config: { readonly chart: string }): object {
  const column = { name: "region", title: "Region", kind: "dimension", type: "string" } as const;
  const measure = { name: "revenue", title: "Revenue", kind: "measure", type: "number" } as const;
  const rows = Array.from({ length: 30 }, (_, at) => [`region ${at}`, 160_000 + at]);
  const result = { columns: [column, measure], rows, isCut: false };
  const space = {
    width: 1300,
    height: 400,
    locale: "en-US",
    scheme: "light",
    now: () => "",
  } as const;
  const drawn = describeChart(result, readChartConfig(config), {
    ...space,
    accent: "#1d4ed8",
    fontFamily: "sans-serif",
  });
  if (drawn.kind !== "echarts") throw new Error(`the chart is ${drawn.kind}`);
  return drawn.option;
}

/** Fails if too many queries run at once, or identical ones twice. */
async function measureManyCharts(browser: Browser, dashboards: Dashboards): Promise<void> {
  const types = ["bar", "line", "area", "pie", "table"];
  const { publicId } = await dashboards.publish(
    chartWidgets(charts, (at) => ({
      chart: types[at % types.length],
      query: regionQuery((at % distinct) + 5),
    })),
  );
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.setViewportSize({ width: 1400, height: 4000 });
  const queries = await countQueries(page);
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
  await page.goto(await pageAddress(dashboards, publicId), { waitUntil: "commit" });
  const drawn = `document.querySelectorAll("canvas, table").length`;
  while ((await page.evaluate<number>(drawn)) < charts) await sleep(100);
  await sleep(500);
  const tasks = mainThreadTasks(await browser.stopTracing());
  const session = await context.newCDPSession(page);
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await context.close();
  if (queries.ended !== distinct) throw new Error(`the page sent ${queries.ended} queries`);
  if (queries.most > atOnce) throw new Error(`the page sent ${queries.most} queries at once`);
  printTable(`A page of ${charts} charts with ${distinct} different queries`, [
    ["", "measured", "aim"],
    ["queries", String(queries.ended), String(distinct)],
    ["queries at once", String(queries.most), String(atOnce)],
    ["longest task of the main thread, its CPU time", formatMs(tasks.cpu), "200 ms"],
    ["longest task of the main thread, by the clock", formatMs(tasks.clock), ""],
    ["heap of JavaScript", `${(usedSize / 1e6).toFixed(0)} MB`, "60 MB"],
  ]);
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Returns the longest task of the main thread of a page, by its CPU time and by the clock, in milliseconds. */
function mainThreadTasks(trace: Buffer): { readonly cpu: number; readonly clock: number } {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly TraceEvent[] };
  const main = new Set(
    traceEvents.flatMap(({ name, pid, tid, args }) =>
      name === "thread_name" && args?.name === "CrRendererMain" ? [`${pid} ${tid}`] : [],
    ),
  );
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name.endsWith("RunTask") && main.has(`${pid} ${tid}`),
  );
  if (tasks.length === 0) throw new Error("the trace has no task of a page");
  const longest = (key: "dur" | "tdur") =>
    tasks.reduce((most, task) => Math.max(most, task[key] ?? 0), 0) / 1000;
  return { cpu: longest("tdur"), clock: longest("dur") };
}
