// Creates a pipeline of three stages with a real service, a site that checks call, and a clock that tests control.
import type { ChildProcess } from "node:child_process";
import { createServer, type Server } from "node:http";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../core/json.ts";
import { pipelineStatus, promote, type PromoteOptions } from "../../promotion/promote.ts";
import type { PromotionResult } from "../../promotion/promote.ts";
import type { PipelineStatus } from "../../promotion/status.ts";
import type { PipelineOptions } from "../../promotion/options.ts";
import type { VerbResult } from "../../reconciler/verbs/session.ts";
import type { ServerOptions } from "../../service/server/server.ts";
import { startResettableService } from "../support/resettable-service.ts";
import { type AlterResponse, startProxy, type Proxy } from "../support/fault-proxy.ts";
import { spawnChild } from "../support/svc-program.ts";
import { startService, type TestService } from "../support/test-service.ts";
import {
  type Doc,
  makeStack,
  type TestStack,
  type TestStackOptions,
} from "../support/test-stack.ts";
import { listen } from "../support/listen.ts";

/** The newest version of the channel `latest`, and one before it. */
export const newestVersion = "1.7.20";
/** The version that all deployments run at first. */
export const olderVersion = "1.7.15";

/** A site for checks, which is healthy unless a test sets the status of a path. */
export interface CheckSite {
  readonly url: string;
  /** Status by path; 200 by default. */
  readonly statusOverrides: Map<string, number>;
  /** The status for the next request only. */
  readonly nextStatus: Map<string, number>;
  /** Every path that was requested. */
  readonly requestedPaths: string[];
  close(): Promise<void>;
}

/** The environment of a test. */
export interface PromotionFixture {
  readonly service: TestService;
  readonly proxy: Proxy;
  readonly stack: TestStack;
  readonly site: CheckSite;
  /** The options of every verb. */
  readonly options: PipelineOptions;
  /** Sets a function that changes later responses of the server. */
  alterResponses(how: AlterResponse): void;
  /** Advances the clock. */
  advanceClock(ms: number): void;
  /** Sets the service's date, which decides the versions that each channel has. */
  setServiceDate(date: string): void;
  /** Replaces stages, given as differences from the default ones. */
  writePipeline(stages?: readonly JsonObject[]): Promise<void>;
  promote(more?: Partial<PromoteOptions>): Promise<Succeeded<PromotionResult>>;
  /** Verifies the running versions, and promotes nothing. */
  verifyOnly(): Promise<void>;
  status(): Promise<PipelineStatus>;
  /** Returns the version of each deployment, by name. */
  versions(): Promise<Readonly<Record<string, string>>>;
  /** Adds a version to the list of a channel, as if the account had run it, or removes it. */
  setListed(version: string, channel: string, isOn?: boolean): Promise<void>;
  close(): Promise<void>;
}

/** Returns a check that requests a path of the site. */
export function httpCheck(site: Pick<CheckSite, "url">, path: string): JsonObject {
  return { http: { url: `${site.url}${path}` } };
}

/** Deployments by stage: one of `dev`, two of `staging`, one of `production`. */
export const defaultDeployments: readonly { name: string; stage: string; channel: string }[] = [
  { name: "dev", stage: "dev", channel: "latest" },
  { name: "staging-a", stage: "staging", channel: "latest" },
  { name: "staging-b", stage: "staging", channel: "latest" },
  { name: "prod", stage: "production", channel: "release" },
];

/** The environment of scenes. Scenes with the default deployments share one, which is reset for each of them. */
interface Environment extends Pick<PromotionFixture, "proxy" | "stack" | "site"> {
  readonly service: TestService;
  readonly setServiceDate: (date: string) => void;
  readonly close: () => Promise<void>;
}

/** When a service starts: the channel `latest` has the newest version, and `release` the older one. */
const firstServiceDate = "2025-11-20";

type KeptIn = Pick<TestStackOptions, "inventory" | "env">;

/** Starts a service with `start`, which prepares it, and brings all deployments to the older version. */
async function startEnvironment(
  start: (
    prepare: (service: TestService) => Promise<void>,
    options: Partial<ServerOptions>,
  ) => Promise<TestService>,
  deployments: typeof defaultDeployments,
  kept: KeptIn,
): Promise<Environment> {
  let serviceNow = Date.parse(firstServiceDate);
  const site = await startSite();
  let prepared: Pick<Environment, "proxy" | "stack"> | undefined;
  const prepare = async (started: TestService): Promise<void> => {
    const proxy = await startProxy(started.url);
    const at = { url: proxy.url, key: started.adminKey, name: "platform" };
    const stack = await makeStack({ ...at, ...kept });
    prepared = { proxy, stack };
    for (const channel of ["latest", "release"])
      await setVersionListed(started, { version: olderVersion, channel }, true);
    await deployOlder(stack, deployments);
  };
  const service = await start(prepare, { now: () => serviceNow });
  if (prepared === undefined) throw new Error("the environment was not prepared");
  const { proxy, stack } = prepared;
  return {
    service,
    proxy,
    stack,
    site,
    setServiceDate: (date) => {
      serviceNow = Date.parse(date);
    },
    close: async () => {
      await stack.dispose();
      await site.close();
      await proxy.close();
      await service.close();
    },
  };
}

/** Starts an environment for one scene. */
function startOwnEnvironment(
  deployments: typeof defaultDeployments,
  kept: KeptIn,
): Promise<Environment> {
  const start: Parameters<typeof startEnvironment>[0] = async (prepare, options) => {
    const service = await startService(options);
    await prepare(service);
    return service;
  };
  return startEnvironment(start, deployments, kept);
}

let shared: Promise<{ environment: Environment; reset: () => Promise<void> }> | undefined;

/** Starts the environment that scenes share; `reset` restores its first state. */
async function startSharedEnvironment(): NonNullable<typeof shared> {
  let resetService = async (): Promise<void> => undefined;
  const start: Parameters<typeof startEnvironment>[0] = async (prepare, options) => {
    const service = await startResettableService(prepare, options);
    resetService = () => service.reset();
    return service;
  };
  const environment = await startEnvironment(start, defaultDeployments, {});
  const { proxy, stack, site } = environment;
  const folderCopy = await mkdtemp(join(tmpdir(), "svc-stack-"));
  await cp(stack.folder, folderCopy, { recursive: true });
  const reset = async (): Promise<void> => {
    // A failed scene may have left them armed.
    proxy.arm();
    proxy.alterResponses(undefined);
    await stack.dispose();
    // Pending work of the service must not affect the next scene.
    await proxy.idle();
    await resetService();
    await cp(folderCopy, stack.folder, { recursive: true });
    proxy.arm();
    site.statusOverrides.clear();
    site.nextStatus.clear();
    site.requestedPaths.length = 0;
    environment.setServiceDate(firstServiceDate);
  };
  const close = async (): Promise<void> => {
    await environment.close();
    await rm(folderCopy, { recursive: true });
  };
  return { environment: { ...environment, close }, reset };
}

/** Returns the environment that scenes share; its `close` resets it. */
async function sharedEnvironment(): Promise<Environment> {
  shared ??= startSharedEnvironment();
  const { environment, reset } = await shared;
  return { ...environment, close: reset };
}

/** Closes the environment that the scenes of a file share. Call it after the last one. */
export async function closePromotionFixtures(): Promise<void> {
  const started = shared;
  shared = undefined;
  await (await started)?.environment.close();
}

/** Opens a scene; close it after the test. `kept` is the location of the inventory, if it is not a file. */
export async function openPromotionFixture(
  deployments: readonly { name: string; stage: string; channel: string }[] = defaultDeployments,
  kept?: KeptIn,
): Promise<PromotionFixture> {
  const isCommon = deployments === defaultDeployments && kept === undefined;
  const { service, proxy, stack, site, setServiceDate, close } = isCommon
    ? await sharedEnvironment()
    : await startOwnEnvironment(deployments, kept ?? {});
  let now = Date.parse("2026-03-02T09:00:00Z");
  const options: PipelineOptions = {
    ...stack.options,
    pipeline: "platform",
    by: "ada",
    grants: {
      ...stack.options.grants,
      promotion: ["all"],
      checks: { origins: [site.url], commands: {} },
    },
    now: () => new Date(now),
  };
  return {
    service,
    proxy,
    stack,
    site,
    options,
    setListed: (version, channel, isOn = true) =>
      setVersionListed(service, { version, channel }, isOn),
    alterResponses: (how) => proxy.alterResponses(how),
    advanceClock: (ms) => {
      now += ms;
    },
    setServiceDate,
    writePipeline: (stages = [{}, {}, {}]) =>
      writeFile(join(stack.folder, "pipeline.yaml"), JSON.stringify(pipelineOf(site, stages))),
    ...verbsUnder(options),
    versions: () => deployedVersions(service),
    close,
  };
}

/** Binds the verbs of a pipeline to the options of a scene. */
function verbsUnder(
  options: PipelineOptions,
): Pick<PromotionFixture, "promote" | "verifyOnly" | "status"> {
  return {
    promote: async (more) =>
      expectOk(
        await promote({
          ...options,
          mode: "direct",
          approve: () => Promise.resolve(true),
          ...more,
        }),
      ),
    verifyOnly: async () => {
      const grants = { ...options.grants, promotion: [] };
      expectOk(
        await promote({
          ...options,
          grants,
          mode: "direct",
          approve: () => Promise.resolve(false),
        }),
      );
    },
    status: async () => expectOk(await pipelineStatus(options)).status,
  };
}

/** Moves all deployments to the older version, and removes the pins from their documents. */
async function deployOlder(
  stack: TestStack,
  deployments: typeof defaultDeployments,
): Promise<void> {
  for (const version of [olderVersion, undefined]) {
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

function pipelineOf(site: CheckSite, stages: readonly JsonObject[]): JsonObject {
  const names = { dev: ["dev"], staging: ["staging-a", "staging-b"], production: ["prod"] };
  const base = [
    { name: "dev", source: { channel: "latest" }, promotion: "automatic" },
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
        checks: [httpCheck(site, `/{deployment}`)],
        ...one,
        ...stages[index],
      })),
    },
  };
}

/** Adds a version to the list of a channel, or removes it. */
export async function setVersionListed(
  { db }: TestService,
  { version, channel }: { version: string; channel: string },
  isOn: boolean,
): Promise<void> {
  const row = { version, release_channel: channel };
  if (isOn) await db.insertInto("versions_run").values(row).execute();
  else {
    await db
      .deleteFrom("versions_run")
      .where("version", "=", version)
      .where("release_channel", "=", channel)
      .execute();
  }
}

/** Returns the version of each deployment of a service, by name. */
export async function deployedVersions(
  service: TestService,
): Promise<Readonly<Record<string, string>>> {
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

async function startSite(): Promise<CheckSite> {
  const sick = new Map<string, number>();
  const sickOnce = new Map<string, number>();
  const paths: string[] = [];
  const server: Server = createServer(({ url = "" }, response) => {
    paths.push(url);
    response.statusCode = sickOnce.get(url) ?? sick.get(url) ?? 200;
    sickOnce.delete(url);
    response.end(`hello from ${url}`);
  });
  const url = await listen(server);
  return {
    url,
    statusOverrides: sick,
    nextStatus: sickOnce,
    requestedPaths: paths,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The result of a call with valid manifests, with its diagnostics. */
export type Succeeded<T> = Extract<VerbResult<T>, { ok: true }>;

/** Returns the result of a call, and fails if its manifests have errors. */
export function expectOk<T>(verdict: VerbResult<T>): Succeeded<T> {
  if (verdict.ok) return verdict;
  throw new Error(verdict.diagnostics.map(({ code, summary }) => `${code}: ${summary}`).join("\n"));
}

/** Options of a separate process that promotes, or rolls back a stage. */
export interface ChildOptions {
  readonly mode: PromoteOptions["mode"];
  readonly env: Readonly<Record<string, string>>;
  /** The stage to roll back instead of promoting all stages. */
  readonly rolledBack?: string | undefined;
}

/** Promotes in a separate process, which a test kills. */
export async function startPromoteChild(
  { stack, proxy, service, site, options }: PromotionFixture,
  how: ChildOptions,
): Promise<ChildProcess> {
  const given = {
    folder: stack.folder,
    url: proxy.url,
    key: service.adminKey,
    origin: site.url,
    now: options.now?.().toISOString(),
    ...how,
  };
  const child = await spawnChild("promote-child", [JSON.stringify(given)]);
  child.stdout.resume();
  return child;
}
