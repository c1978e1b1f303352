// Measures files of dashboards: the CPU time of a PNG against ECharts alone, and the memory of a notification whose
// recipients all see other data.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as echarts from "echarts";
import { describeChart, lookOf, readChartConfig } from "../charts/index.ts";
import { drawFile, rasterize } from "../service/delivery/draw/draw-file.ts";
import type { Picture } from "../service/delivery/draw/picture-input.ts";
import { startSmtpServer } from "../test/support/smtp-server.ts";
import { chartWidgets, regionQuery, serveDashboards } from "./dashboards.ts";
import { cpuMs, interleavedRounds, median, medianRatio } from "./interleaved-rounds.ts";
import { formatFactor, formatMs, printTable } from "./report.ts";

const rounds = 7;
const charts = 12;
const types = ["bar", "line", "area", "pie"];
/** Ends of the parts of a run, in mails. The server and its drawing process reach their size in the first part. */
const parts = [100, 200, 400] as const;
const notifications = "/api/v1/deployments/1/notifications";

/** Fails if a recipient gets no mail. */
export async function filesBench(): Promise<void> {
  await measurePng();
  const peaks = await peaksMiB();
  const [first = NaN] = peaks;
  printTable("Memory of a notification to recipients with distinct contexts, peak", [
    ["mails", "server and its processes", "to the first part", "aim"],
    ...peaks.map((peak, at) => [
      `${parts[at - 1] ?? 0} to ${parts[at]}`,
      `${peak.toFixed(0)} MiB`,
      formatFactor(peak / first),
      at === 0 ? "" : "1.2 x",
    ]),
  ]);
}

const result = {
  columns: [
    { name: "region", title: "Region", kind: "dimension", type: "string" },
    { name: "revenue", title: "Revenue", kind: "measure", type: "number" },
    { name: "count", title: "Orders", kind: "measure", type: "number" },
  ],
  rows: Array.from({ length: 12 }, (_, at) => [`region ${at}`, 160_000 + at * 900, 600 + at]),
  isCut: false,
} as const;

async function measurePng(): Promise<void> {
  const widgets = chartWidgets(charts, (at) => ({ chart: types[at % types.length] }), 3);
  const picture: Picture = {
    title: "Sales",
    look: lookOf({}),
    description: "",
    controls: [],
    footer: "As of now",
    widgets: widgets.map(({ position, config }) => {
      return {
        ...position,
        content: { kind: "chart", title: config.title, config, result, now: "" },
      };
    }),
  };
  const options = widgets.map(({ config }) => optionOf(config));
  const took = await interleavedRounds(rounds, {
    bare: () => cpuMs(async () => drawBare(options)),
    ours: () => cpuMs(() => drawFile(picture, "png")),
  });
  const row = (name: string, own: readonly number[], aim: string) =>
    [name, formatMs(median(own)), formatFactor(medianRatio(own, took.bare)), aim] as const;
  printTable(`CPU of a PNG of ${charts} charts, ${rounds} rounds`, [
    ["", "median", "to bare", "aim"],
    row("bare: ECharts to SVG, and the same rasterizer", took.bare, ""),
    row("dashboard", took.ours, "1.5 x"),
  ]);
}

const box = { width: 336, height: 118 };

function optionOf(config: object): object {
  const model = describeChart(result, readChartConfig({ ...config }), {
    ...box,
    locale: "en-US",
    scheme: "light",
    accent: "#1d4ed8",
    fontFamily: "Inter",
    now: () => "",
  });
  if (model.kind !== "echarts") throw new Error(`the chart is ${model.kind}`);
  return model.option;
}

/** Draws charts side by side as one PNG of the size of the dashboard. */
function drawBare(options: readonly object[]): Uint8Array {
  const [width, height] = [1200, 900];
  const drawn = options.map((option, at) => {
    const chart = echarts.init(null, null, { renderer: "svg", ssr: true, ...box });
    chart.setOption({ ...option });
    const svg = chart.renderToSVGString();
    chart.dispose();
    const place = `x="${32 + (at % 3) * 384}" y="${84 + Math.floor(at / 3) * 192}"`;
    return svg.replace("<svg ", `<svg ${place} `);
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${drawn.join("")}</svg>`;
  return rasterize({ svg, width, height });
}

/** Sends a dashboard to recipients of different contexts. Returns the peak memory of the server's processes in each part. */
async function peaksMiB(): Promise<readonly number[]> {
  const count = Math.max(...parts);
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-files-"));
  const smtp = await startSmtpServer();
  const mail = ["--smtp-url", smtp.url, "--smtp-from", "Reports <reports@example.com>"];
  const dashboards = await serveDashboards(["--data", join(folder, "data"), ...mail]);
  try {
    const { send, server } = dashboards;
    const post = async (path: string, body: object) => send({ method: "POST", path, body });
    const { id: dashboardId } = await dashboards.publish(
      chartWidgets(4, (at) => ({ chart: types[at], query: regionQuery(30, "own_orders") })),
    );
    const { id } = (await post(notifications, { dashboardId, scheduleType: "DAILY" })) as {
      id: number;
    };
    const path = `${notifications}/${id}`;
    await post(`${path}/recipients`, {
      recipients: Array.from({ length: count }, (_, store) => ({
        type: "EMBED_USER",
        embedTenantName: "acme-inc",
        externalId: `store-${store}@example.com`,
        securityContext: { store },
      })),
    });
    await post(`${path}/send`, {});
    const peaks = parts.map(() => 0);
    for (let idle = 0, sent = 0; smtp.mails.length < count; idle++) {
      const part = parts.findIndex((end) => smtp.mails.length < end);
      peaks[part] = Math.max(peaks[part] ?? 0, residentMiB(server.pid));
      if (smtp.mails.length > sent) [sent, idle] = [smtp.mails.length, 0];
      if (idle > 1200) throw new Error(`${sent} of ${count} mails were sent`);
      await sleep(50);
    }
    return peaks;
  } finally {
    await dashboards.stop();
    await smtp.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the resident memory of a process and of those that it started. */
function residentMiB(pid: number): number {
  const own = /^VmRSS:\s*(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
  return children
    .filter((child) => child !== "")
    .reduce((sum, child) => sum + residentMiB(Number(child)), Number(own) / 1024);
}
