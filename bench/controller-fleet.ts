// The repositories of many stacks, and controllers that reconcile them as processes of their own.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ControllerEvent, ReconciliationEvent } from "../controller/events.ts";
import { userGroup } from "../resources/user-group.ts";
import { serve, type Served } from "./server.ts";

/** Objects of a stack. */
export const objects = 20;
const stacksInRepository = 100;
const secret = "secret-of-the-webhooks-of-this-bench";

/** Runs with a server, and with repositories of this number of stacks in a folder. */
export async function withRepositories<T>(
  size: number,
  work: (home: string, server: Served) => Promise<T>,
): Promise<T> {
  const home = fs.mkdtempSync(join(tmpdir(), "svc-bench-controller-"));
  const server = await serve();
  try {
    writeRepositories(home, size);
    return await work(home, server);
  } finally {
    await server.stop();
    fs.rmSync(home, { recursive: true, force: true });
  }
}

/** Adds an object to a stack of the first repository. */
export function addObject(home: string, stack: string): void {
  const repository = join(home, "repository-0");
  fs.appendFileSync(join(repository, "stacks", stack, "groups.yaml"), group(stack, objects));
  commit(repository);
}

/** Calls the webhook of the source of a stack. */
export async function callWebhook(url: string, stack: string): Promise<void> {
  const headers = { "x-gitlab-token": secret };
  const { status } = await fetch(`${url}/hook/${stack}`, { method: "POST", headers, body: "{}" });
  if (status !== 202) throw new Error(`the webhook answers ${status}`);
}

function writeRepositories(home: string, size: number): void {
  for (let index = 0; index < size; index++) {
    const name = `s${index}`;
    const repository = join(home, `repository-${Math.floor(index / stacksInRepository)}`);
    const folder = join(repository, "stacks", name);
    fs.mkdirSync(folder, { recursive: true });
    const stack = { apiVersion: "svc/v1", kind: "Stack", metadata: { name } };
    const spec = { inventory: "service" };
    fs.writeFileSync(join(folder, "stack.yaml"), JSON.stringify({ ...stack, spec }));
    const groups = Array.from({ length: objects }, (_, place) => group(name, place));
    fs.writeFileSync(join(folder, "groups.yaml"), groups.join(""));
  }
  for (const repository of fs.readdirSync(home)) commit(join(home, repository));
}

function group(stack: string, place: number): string {
  const name = `${stack}-g${place}`;
  return `---\napiVersion: svc/v1\nkind: ${userGroup.name}\nmetadata: { name: ${name} }\nspec: { name: ${name} }\n`;
}

function commit(repository: string): void {
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", repository, ...args]);
  git("init", "--quiet");
  git("add", "--all");
  const author = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"];
  git(...author, "commit", "--quiet", "--message=stacks");
}

/** A controller under measurement. */
export interface RunningController {
  readonly pid: number;
  readonly url: string;
  readonly reconciled: readonly ReconciliationEvent[];
  readonly stop: () => Promise<void>;
}

/** Starts a controller of the repositories in its home. */
export async function startController(
  home: string,
  { url, apiKey }: Served,
  { name, interval, database }: { name: string; interval: string; database?: string | undefined },
): Promise<RunningController> {
  const repositories = fs.readdirSync(home).filter((each) => each.startsWith("repository-"));
  // Each by itself: a pattern would be read as often as its stacks.
  const sources = repositories.flatMap((each) => {
    const repository = join(home, each);
    return fs.readdirSync(join(repository, "stacks")).map((stack) => ({
      name: stack,
      git: { url: repository, path: `stacks/${stack}` },
      webhook: { env: "HOOK_SECRET" },
    }));
  });
  const config = {
    state: `state-${name}`,
    ...(database !== undefined && { database: { env: "DATABASE" } }),
    listen: { port: 0 },
    defaults: { mode: "apply", interval },
    sources,
  };
  const file = join(home, `controller-${name}.json`);
  fs.writeFileSync(file, JSON.stringify(config));
  const access = { SVC_API_URL: url, SVC_API_KEY: apiKey, HOOK_SECRET: secret };
  const program = join(import.meta.dirname, "..", "cli", "main.ts");
  const child = spawn(process.execPath, [program, "controller", "--config", file], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env["PATH"], HOME: home, ...access, DATABASE: database },
  });
  const reconciled: ReconciliationEvent[] = [];
  const listening = Promise.withResolvers<string>();
  child.once("exit", (code) => listening.reject(new Error(`the controller ended: ${code}`)));
  createInterface(child.stdout).on("line", (line) => {
    const event = JSON.parse(line) as ControllerEvent;
    if (event.event === "started") listening.resolve(event.listening ?? "");
    if (event.event === "reconciliation") reconciled.push(event);
  });
  return {
    pid: child.pid ?? 0,
    url: await listening.promise,
    reconciled,
    stop: async (): Promise<void> => {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
