// A pipeline over a real service: three stages of deployments, a site that checks ask, and a clock that tests move.
import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../../core/json.ts";
import { pipelineStatus, promote, type PromoteOptions } from "../../reconciler/promote/promote.ts";
import type { Promoted } from "../../reconciler/promote/promote.ts";
import type { Status } from "../../reconciler/promote/matrix.ts";
import type { PipelineOptions } from "../../reconciler/promote/terms.ts";
import type { Verdict } from "../../reconciler/session.ts";
import { type Alter, startProxy, type Proxy } from "../support/proxy.ts";
import { startService, type TestService } from "../support/service.ts";
import { type Doc, makeStack, type TestStack, type TestStackOptions } from "../support/stack.ts";

/** The newest version of the channel `latest`, and one before it. */
export const newest = "1.7.20";
/** What everything runs at first. */
export const older = "1.7.15";

/** A site that checks ask: healthy, until a test says otherwise of a path. */
export interface Site {
  readonly url: string;
  /** Status by path; 200 where none is set. */
  readonly sick: Map<string, number>;
  /** The same for the next question only. */
  readonly sickOnce: Map<string, number>;
  /** Every path that was asked for. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** A scene for a test. */
export interface Scene {
  readonly service: TestService;
  readonly proxy: Proxy;
  readonly stack: TestStack;
  readonly site: Site;
  /** What every verb takes. */
  readonly options: PipelineOptions;
  /** From now on, what becomes of the answers of the server. */
  alter(how: Alter): void;
  /** Moves the clock on. */
  pass(ms: number): void;
  /** Replaces stages, given as what differs from the ordinary ones. */
  pipeline(stages?: readonly JsonObject[]): Promise<void>;
  promote(more?: Partial<PromoteOptions>): Promise<Good<Promoted>>;
  /** Verifies what runs, and lets nothing in. */
  settle(): Promise<void>;
  status(): Promise<Status>;
  /** What each deployment runs, by name. */
  versions(): Promise<Readonly<Record<string, string>>>;
  /** Puts a version on the list of a channel, as if the account had run it, or takes it off. */
  list(version: string, channel: string, isOn?: boolean): Promise<void>;
  close(): Promise<void>;
}

/** A check that asks the site for a path. */
export function asks(site: Pick<Site, "url">, path: string): JsonObject {
  return { http: { url: `${site.url}${path}` } };
}

/** Deployments by stage: one of `dev`, two of `staging`, one of `production`. */
export const ordinary: readonly { name: string; stage: string; channel: string }[] = [
  { name: "dev", stage: "dev", channel: "latest" },
  { name: "staging-a", stage: "staging", channel: "latest" },
  { name: "staging-b", stage: "staging", channel: "latest" },
  { name: "prod", stage: "production", channel: "release" },
];

/** Opens a scene; close it after the test. `kept` says where the inventory is, where that is no file. */
export async function openScene(
  deployments: readonly { name: string; stage: string; channel: string }[] = ordinary,
  kept: Pick<TestStackOptions, "inventory" | "env"> = {},
): Promise<Scene> {
  const service = await startService();
  let alter: Alter = (_, body) => body;
  const proxy = await startProxy(service.url, (request, body) => alter(request, body));
  const site = await startSite();
  const at = { url: proxy.url, key: service.adminKey, name: "platform" };
  const stack = await makeStack({ ...at, ...kept });
  let now = Date.parse("2026-03-02T09:00:00Z");
  const list: Scene["list"] = (version, channel, isOn = true) =>
    setListed(service, { version, channel }, isOn);
  for (const channel of ["latest", "release"]) await list(older, channel);
  await runOlder(stack, deployments);
  const options: PipelineOptions = {
    ...stack.options,
    pipeline: "platform",
    by: "ada",
    may: { automatic: "all", origins: [site.url], commands: {} },
    now: () => new Date(now),
  };
  return {
    service,
    proxy,
    stack,
    site,
    options,
    list,
    alter: (how) => {
      alter = how;
    },
    pass: (ms) => {
      now += ms;
    },
    pipeline: (stages = [{}, {}, {}]) =>
      writeFile(join(stack.folder, "pipeline.yaml"), JSON.stringify(pipelineOf(site, stages))),
    promote: async (more) =>
      good(
        await promote({ ...options, way: "direct", approve: () => Promise.resolve(true), ...more }),
      ),
    settle: async () => {
      const may = { ...options.may, automatic: [] };
      good(
        await promote({ ...options, may, way: "direct", approve: () => Promise.resolve(false) }),
      );
    },
    status: async () => good(await pipelineStatus(options)).status,
    versions: () => versionsOf(service),
    close: async () => {
      await stack.dispose();
      await site.close();
      await proxy.close();
      await service.close();
    },
  };
}

/** Brings all to the older version, and lets their documents pin none. */
async function runOlder(stack: TestStack, deployments: typeof ordinary): Promise<void> {
  for (const version of [older, undefined]) {
    await stack.write(deployments.map((one) => documentOf(one, version)));
    await stack.apply();
  }
}

function documentOf(
  { name, channel }: { name: string; channel: string },
  version: string | undefined,
): Doc {
  const release = { channel, ...(version === undefined ? {} : { version }) };
  return { kind: "Deployment", name, spec: { name, region: "aws-us-east-1", release } };
}

function pipelineOf(site: Site, stages: readonly JsonObject[]): JsonObject {
  const names = { dev: ["dev"], staging: ["staging-a", "staging-b"], production: ["prod"] };
  const base = [
    { name: "dev", enters: { channel: "latest" }, promotion: "automatic" },
    { name: "staging", promotion: "automatic" },
    { name: "production" },
  ];
  return {
    apiVersion: "svc/v1",
    kind: "Pipeline",
    metadata: { name: "platform" },
    spec: {
      stages: base.slice(0, stages.length).map((one, index) => ({
        deployments: { names: names[one.name as keyof typeof names] },
        verifies: [asks(site, `/{deployment}`)],
        ...one,
        ...stages[index],
      })),
    },
  };
}

/** Puts a version on the list of a channel, or takes it off. */
export async function setListed(
  { db }: TestService,
  { version, channel }: { version: string; channel: string },
  isOn: boolean,
): Promise<void> {
  const row = { version, release_channel: channel, first_run_at: "2026-01-01T00:00:00.000Z" };
  if (isOn) await db.insertInto("versions_run").values(row).execute();
  else {
    await db
      .deleteFrom("versions_run")
      .where("version", "=", version)
      .where("release_channel", "=", channel)
      .execute();
  }
}

/** What each deployment of a service runs, by name. */
export async function versionsOf(service: TestService): Promise<Readonly<Record<string, string>>> {
  const { body } = await service.send("GET", "/api/v1/deployments?first=1000");
  const { items } = body as { items: readonly { id: number; name: string }[] };
  const all = items.map(async ({ id, name }) => {
    const { body: settings } = await service.send("GET", `/api/v1/deployments/${id}/settings`);
    const version = (settings as { releaseChannelVersion: string }).releaseChannelVersion;
    return [name, version.split(":v").at(-1) ?? ""] as const;
  });
  const own = (await Promise.all(all)).filter(([name]) => name !== "main");
  return Object.fromEntries(own.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

async function startSite(): Promise<Site> {
  const sick = new Map<string, number>();
  const sickOnce = new Map<string, number>();
  const asked: string[] = [];
  const server: Server = createServer(({ url = "" }, response) => {
    asked.push(url);
    response.statusCode = sickOnce.get(url) ?? sick.get(url) ?? 200;
    sickOnce.delete(url);
    response.end(`hello from ${url}`);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sick,
    sickOnce,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What a call came to whose manifests are right, with what was told beside. */
export type Good<T> = Extract<Verdict<T>, { ok: true }>;

/** The verdict of a call whose manifests are right. */
export function good<T>(verdict: Verdict<T>): Good<T> {
  if (verdict.ok) return verdict;
  throw new Error(verdict.diagnostics.map(({ code, summary }) => `${code}: ${summary}`).join("\n"));
}

/** How a process of its own is to promote, or to roll a stage back. */
export interface ChildTerms {
  readonly way: PromoteOptions["way"];
  readonly env: Readonly<Record<string, string>>;
  /** The stage that is to be rolled back, instead of all being promoted. */
  readonly rolledBack?: string | undefined;
}

/** Promotes in a process of its own, to be killed. */
export function promotingChild(
  { stack, proxy, service, site, options }: Scene,
  how: ChildTerms,
): ChildProcess {
  const given = {
    folder: stack.folder,
    url: proxy.url,
    key: service.adminKey,
    origin: site.url,
    now: options.now?.().toISOString(),
    ...how,
  };
  const script = fileURLToPath(new URL("./child.ts", import.meta.url));
  return spawn(process.execPath, [script, JSON.stringify(given)], { stdio: "ignore" });
}
