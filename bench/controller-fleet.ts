// The repositories of many stacks, and controllers that reconcile them as processes of their own.
import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { getState, putState } from "../api/state.ts";
import { createUserGroups } from "../api/user-groups.ts";
import { createClient } from "../client/client.ts";
import type { ControllerEvent, ReconciliationEvent } from "../controller/events.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { Secret } from "../core/secret.ts";
import { userGroup } from "../resources/user-group.ts";
import { serve, type Served } from "./server.ts";

/** Objects of a stack. */
export const objects = 20;
const stacksInRepository = 100;
const program = join(import.meta.dirname, "..", "cli", "main.ts");
const secret = "secret-of-the-webhooks-of-this-bench";

/** A server, and repositories of applied stacks in a folder. */
export interface Fleet extends AsyncDisposable {
  readonly size: number;
  readonly home: string;
  readonly server: Served;
}

/** Starts a server, and writes repositories of this number of stacks. */
export async function openFleet(size: number): Promise<Fleet> {
  const home = fs.mkdtempSync(join(tmpdir(), "svc-bench-controller-"));
  const server = await serve();
  const dispose = async () => {
    await server.stop();
    fs.rmSync(home, { recursive: true, force: true });
  };
  try {
    writeRepositories(home, size);
    await applyStacks(home, server, size);
  } catch (error) {
    await dispose();
    throw error;
  }
  return { size, home, server, [Symbol.asyncDispose]: dispose };
}

/**
 * Applies the first stack. Gives the others the objects and the inventories that their applies would write: each apply lists
 * the objects of all, which takes the longer the more there are.
 */
async function applyStacks(home: string, { url, apiKey }: Served, size: number): Promise<void> {
  execFileSync(process.execPath, [program, "apply", "--yes"], {
    cwd: join(home, "repository-0", "stacks", "s0"),
    env: { PATH: process.env["PATH"], HOME: home, SVC_API_URL: url, SVC_API_KEY: apiKey },
    stdio: "ignore",
  });
  const client = createClient({ url, credential: new Secret(apiKey) });
  const at = (stack: string) => ({ params: { name: `svc-inventory.${stack}` }, query: {} });
  const first = JSON.stringify(await client.call(getState, at("s0")));
  for (let index = 1; index < size; index++) {
    const stack = `s${index}`;
    const groups = groupNames(stack).map((name) => ({ name }));
    const { succeeded } = await client.call(createUserGroups, { body: { groups } });
    const ids = new Map(succeeded.map(({ id, name }) => [name, `${id}`]));
    const text = first
      .replaceAll("s0-g", `${stack}-g`)
      .replace('"stack":"s0"', `"stack":"${stack}"`);
    const withId = (_: string, value: unknown): unknown =>
      isObject(value) && typeof value["key"] === "string"
        ? { ...value, id: ids.get(value["key"]) }
        : value;
    const inventory = JSON.parse(text, withId) as JsonObject;
    const lineage = randomUUID();
    await client.call(putState, { ...at(stack), body: { ...inventory, lineage } });
  }
  await client.close();
}

/** Adds an object to a stack of the first repository. */
export function addObject({ home }: Fleet, stack: string): void {
  const repository = join(home, "repository-0");
  fs.appendFileSync(join(repository, "stacks", stack, "groups.yaml"), group(`${stack}-more`));
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
    fs.writeFileSync(join(folder, "groups.yaml"), groupNames(name).map(group).join(""));
  }
  for (const repository of fs.readdirSync(home)) commit(join(home, repository));
}

function groupNames(stack: string): string[] {
  return Array.from({ length: objects }, (_, index) => `${stack}-g${index}`);
}

function group(name: string): string {
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
  /** Names of the sources that were reconciled. */
  readonly sources: ReadonlySet<string>;
  /** Stops its process until it is resumed. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly stop: () => Promise<void>;
}

/** Starts a controller of the repositories of a fleet. */
export async function startController(
  { home, server: { url, apiKey } }: Fleet,
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
  const access = {
    SVC_API_URL: url,
    SVC_API_KEY: apiKey,
    HOOK_SECRET: secret,
    SVC_FINGERPRINT_KEY: secret,
  };
  const child = spawn(process.execPath, [program, "controller", "--config", file], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env["PATH"], HOME: home, ...access, DATABASE: database },
  });
  const reconciled: ReconciliationEvent[] = [];
  const names = new Set<string>();
  const listening = Promise.withResolvers<string>();
  child.once("exit", (code) => listening.reject(new Error(`the controller ended: ${code}`)));
  createInterface(child.stdout).on("line", (line) => {
    const event = JSON.parse(line) as ControllerEvent;
    if (event.event === "started") listening.resolve(event.listening ?? "");
    if (event.event !== "reconciliation") return;
    reconciled.push(event);
    names.add(event.source);
  });
  return {
    pid: child.pid ?? 0,
    url: await listening.promise,
    reconciled,
    sources: names,
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    stop: async (): Promise<void> => {
      child.kill("SIGCONT");
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
