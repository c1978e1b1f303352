// `node scripts/run.mjs scripts/dashboard-picture.ts`: writes docs/images/dashboard.png, a picture of the example's dashboard as a
// viewer sees it in Chromium.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const root = join(import.meta.dirname, "..");
const target = join(root, "docs", "images", "dashboard.png");
const folder = mkdtempSync(join(tmpdir(), "svc-picture-"));
const readyFile = join(folder, "ready.json");
const cli = join(root, "cli", "main.ts");

const server = spawn(
  process.execPath,
  [cli, "serve", "--data", join(folder, "data"), "--port", "0", "--ready-file", readyFile],
  { stdio: ["ignore", "pipe", "inherit"] },
);
try {
  await once(server.stdout, "data");
  const { url, apiKey } = JSON.parse(readFileSync(readyFile, "utf8")) as Record<string, string>;
  const env = { ...process.env, SVC_API_URL: url, SVC_API_KEY: apiKey };
  await svc(["apply", join(root, "examples", "quickstart"), "--yes"], env);
  await takePicture(await addressOf(`${url}`, { env }));
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function svc(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [cli, ...args], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (chunk) => (out += String(chunk)));
  const [code] = (await once(child, "exit")) as [number];
  if (code !== 0) throw new Error(`svc ${args[0]} exited with ${code}`);
  return out.trim();
}

/** Returns the address of the dashboard for a director of Northwind, who sees every region. */
async function addressOf(
  url: string,
  { env }: { readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  const id = ".publishedDashboard.publicId";
  const publicId = await svc(["workbooks", "get", "harbour-sales", "the-week", "--jq", id], env);
  const who = ["--external-id", "tom-1002", "--tenant", "northwind"];
  const created = await svc(["embed", "sessions", "create", "harbour-sales", ...who], env);
  const { sessionId } = JSON.parse(created) as { readonly sessionId: string };
  return `${url}/embed/dashboard/${publicId}?session=${sessionId}`;
}

async function takePicture(address: string): Promise<void> {
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const page = await browser.newPage({
    viewport: { width: 1280, height: 900 },
    deviceScaleFactor: 1,
    locale: "en-US",
    colorScheme: "light",
  });
  await page.goto(address);
  await page.getByRole("img", { name: /chart/ }).nth(1).waitFor();
  mkdirSync(join(root, "docs", "images"), { recursive: true });
  await page.screenshot({ path: target, fullPage: true });
  await browser.close();
}
