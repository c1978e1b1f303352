// The rules of deployments: names and regions, settings that are kept and merged, versions with channels and holds, tokens.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ResettableService, startResettableService } from "../support/resettable-service.ts";
import { startService, type TestService } from "../support/test-service.ts";

const deployments = "/api/v1/deployments";
const main = `${deployments}/1`;
type Json = Readonly<Record<string, unknown>>;

/** Resets for every test. */
let shared: ResettableService;
let service: TestService;
let folder: string;

/** Two channels with known versions: the shipped catalogue, with newer versions from the operator. */
const more = [
  { version: "9.0.0", channel: "latest" },
  { version: "9.1.0", channel: "latest" },
  { version: "9.1.1", channel: "latest" },
  { version: "8.0.4", channel: "release" },
];

function versionsFile(versions: readonly Json[]): string {
  const file = join(folder, "versions.json");
  const released = "2026-01-31";
  writeFileSync(file, JSON.stringify({ versions: versions.map((one) => ({ ...one, released })) }));
  return file;
}

/** From here on, calls a separate service whose data outlive it. */
async function startAlone(versions: readonly Json[] = more): Promise<void> {
  service = await startService({ versions: versionsFile(versions), data: join(folder, "data") });
}

async function restart(versions: readonly Json[]): Promise<void> {
  await service.close();
  await startAlone(versions);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-deployments-"));
  shared = await startResettableService(undefined, { versions: versionsFile(more) });
});
beforeEach(() => {
  service = shared;
});
afterEach(async () => {
  if (service === shared) return shared.reset();
  await service.close();
  rmSync(join(folder, "data"), { recursive: true });
});
afterAll(async () => {
  await shared.close();
  rmSync(folder, { recursive: true, force: true });
});

async function sendOk(method: string, path: string, body?: unknown): Promise<Json> {
  const answer = await service.send(method, path, body === undefined ? {} : { body });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body as Json;
}
const statusOf = async (method: string, path: string, body?: unknown): Promise<number> =>
  (await service.send(method, path, { body })).status;
const update = (body: Json) => sendOk("PUT", main, body);
const settings = () => sendOk("GET", `${main}/settings`);
const create = async (body: Json) =>
  (await sendOk("POST", "/build/api/v1/deployments", body)) as Json & { readonly id: number };
const items = async (path: string) => (await sendOk("GET", path))["items"] as readonly Json[];
const versions = () => items(`${main}/versions`);
const inEffect = ({ releaseChannel, releaseChannelVersion, releaseChannelVersionHold }: Json) => [
  releaseChannel,
  String(releaseChannelVersion).split(":v")[1],
  releaseChannelVersionHold,
];

describe("deployments", () => {
  it("client area Deployments, create: name and region are enough; modes are taken; a name once", async () => {
    const created = await create({ name: "second", region: "aws-us-east-1", deployMode: "cli" });
    expect(created).toMatchObject({ name: "second", creationStep: "project" });
    expect(await sendOk("GET", `${deployments}/${created.id}/settings`)).toMatchObject({
      cloudProvider: "svccloud",
      targetPlatform: "aws",
      isManaged: true,
      deployMode: "cli",
      template: "single",
      releaseChannel: "latest",
    });
    const github = { name: "third", region: "aws-us-east-1", creationMethod: "github" };
    expect((await create(github)).id).not.toBe(created.id);
    expect(await statusOf("POST", "/build/api/v1/deployments", github)).toBe(409);
    const nowhere = { name: "fourth", region: "nowhere" };
    expect(await statusOf("POST", "/build/api/v1/deployments", nowhere)).toBe(400);
  });

  it("client area Deployments, list, get, update, delete: each does what it says", async () => {
    const { id } = await create({ name: "second", region: "aws-us-east-1" });
    expect((await items(deployments)).map(({ name }) => name)).toEqual(["second", "main"]);
    expect(await sendOk("GET", `${deployments}/${id}`)).toMatchObject({ name: "second" });
    expect(await statusOf("PUT", `${deployments}/${id}`, { name: "main" })).toBe(409);
    expect(await statusOf("PUT", `${deployments}/${id}`, { region: "nowhere" })).toBe(400);
    expect(await sendOk("DELETE", `${deployments}/${id}`)).toEqual({ success: true });
    for (const method of ["GET", "DELETE"]) {
      expect(await statusOf(method, `${deployments}/${id}`)).toBe(404);
    }
    expect(await statusOf("PUT", `${deployments}/${id}`, { name: "x" })).toBe(404);
  });

  it("endpoint row PUT deployment: answers with the updated deployment and its settings", async () => {
    const answer = await update({ name: "renamed", launchpadTabs: ["a", "b"] });
    expect(answer).toMatchObject({ id: 1, name: "renamed", launchpadTabs: ["a", "b"] });
    expect(answer).toEqual(await settings());
  });

  it("client area Deployments, settings: what is omitted or null is kept, an empty text clears, a custom domain is the URL's host", async () => {
    const assigned = await update({ customDomain: "bi.example.com", deployBranchReadOnly: true });
    expect(assigned).toMatchObject({ deploymentUrl: "https://bi.example.com" });
    expect(await update({ customDomain: null, template: "multiCluster" })).toMatchObject({
      customDomain: "bi.example.com",
      deployBranchReadOnly: true,
      template: "multiCluster",
    });
    expect(await update({ customDomain: "" })).not.toHaveProperty("customDomain");
    const { deploymentUrl } = await update({ region: "aws-eu-central-1", name: "Renamed" });
    expect(deploymentUrl).toBe(`${service.url}/deployments/renamed-d1`);
  });

  it.each([
    "not a domain",
    "a.example\r\n<script>",
    "bi.example.com:8443",
    "https://bi.example.com",
    "-a.example",
    "a..example",
    "Bi.example.com",
    "bü.example",
    "a.".repeat(130),
  ])("a custom domain is a host, which %j is not, and nothing changes", async (customDomain) => {
    const before = await settings();
    expect(await statusOf("PUT", main, { customDomain })).toBe(400);
    expect(await settings()).toEqual(before);
  });

  it("template variables merge key by key, and null removes one", async () => {
    await update({ templateVariables: { currency: "EUR", decimals: 2, beta: true } });
    const { templateVariables } = await update({
      templateVariables: { currency: "USD", beta: null },
    });
    expect(templateVariables).toEqual({ currency: "USD", decimals: 2 });
  });

  it("what is scoped to one is deleted with it, and a key scoped to it stays scoped, to fewer", async () => {
    const { id } = await create({ name: "second", region: "aws-us-east-1" });
    const variables = { env_variables: [{ name: "A", value: "1" }] };
    await sendOk("PUT", `${deployments}/${id}/env-vars`, variables);
    const key = await service.key({ deploymentIds: [id] });
    await sendOk("DELETE", `${deployments}/${id}`);
    expect(await service.db.selectFrom("deployment_variables").selectAll().execute()).toEqual([]);
    const list = await service.send("GET", deployments, { key });
    expect((list.body as { items: unknown[] }).items).toEqual([]);
    expect((await service.send("GET", main, { key })).status).toBe(403);
  });

  it("steps of set-up are advanced, and begin again", async () => {
    const advance = `${main}/creation-step/advance`;
    expect(await sendOk("POST", advance, { creationStep: "databases" })).toMatchObject({
      creationStep: "databases",
    });
    expect(await statusOf("POST", advance, { creationStep: "nonsense" })).toBe(400);
    expect(await sendOk("POST", `${main}/creation-step/reset`)).toMatchObject({
      creationStep: "project",
    });
  });
});

describe("versions", () => {
  it("client area Version change, list: heads and what the account ran, newest first, with what is current", async () => {
    await startAlone();
    expect((await versions()).map(({ version }) => version)).toEqual(["9.1.1", "8.0.4"]);
    await update({ releaseChannel: "release" });
    await restart([
      ...more,
      { version: "8.0.5", channel: "release" },
      { version: "8.1.0", channel: "release" },
    ]);
    const listed = await versions();
    expect(
      listed.map((one) => [one["version"], one["isLatestInChannel"], one["isCurrent"]]),
    ).toEqual([
      ["9.1.1", true, false],
      ["8.1.0", true, false],
      ["8.0.4", false, true],
    ]);
    const first = await sendOk("GET", `${main}/versions?first=1`);
    const { endCursor } = first["pageInfo"] as { endCursor: string };
    const [second] = await items(`${main}/versions?first=1&after=${endCursor}`);
    expect(second).toMatchObject({ version: "8.1.0", releaseChannel: "release" });
  });

  it.each(["8.0.4", "v8.0.4", "svcjs/server:v8.0.4"])(
    "client area Version change, spellings: %s",
    async (releaseChannelVersion) => {
      expect(inEffect(await update({ releaseChannelVersion }))).toEqual([
        "release",
        "8.0.4",
        false,
      ]);
    },
  );

  it.each(["latest", "release"])(
    "client area Version change, spellings: the channel %s means its newest version",
    async (name) => {
      const listed = await items(`${main}/versions`);
      const newest = listed.find(
        (one) => one["releaseChannel"] === name && one["isLatestInChannel"] === true,
      );
      const version = newest?.["version"];
      expect(inEffect(await update({ releaseChannelVersion: name }))).toEqual([
        name,
        version,
        false,
      ]);
      expect(version).toBeDefined();
      const other = name === "latest" ? "release" : "latest";
      const body = { releaseChannelVersion: name, releaseChannel: other };
      const answer = await service.send("PUT", main, { body });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("only one")]);
    },
  );

  it("client area Version change, off the list: is refused, and nothing changes", async () => {
    const before = await settings();
    for (const releaseChannelVersion of [
      "9.0.0",
      "1.2.3",
      "other:v8.0.4",
      "vv8.0.4",
      "8.0",
      "svcjs/server:8.0.4",
    ]) {
      expect(await statusOf("PUT", main, { name: "changed", releaseChannelVersion })).toBe(400);
    }
    const mismatch = { releaseChannel: "latest", releaseChannelVersion: "8.0.4" };
    expect(await statusOf("PUT", main, mismatch)).toBe(400);
    expect(await settings()).toEqual(before);
  });

  it("client area Version change, channel: moves to the newest version of it", async () => {
    expect(inEffect(await update({ releaseChannel: "release" }))).toEqual([
      "release",
      "8.0.4",
      false,
    ]);
    expect(inEffect(await update({ releaseChannel: "latest" }))).toEqual([
      "latest",
      "9.1.1",
      false,
    ]);
  });

  it("client area Version change, image: is derived on the server", async () => {
    const [newest] = await versions();
    expect(newest?.["releaseChannelVersion"]).toBe("svcjs/server:v9.1.1");
    const { releaseChannelVersion, svcImageVersion } = await update({
      releaseChannelVersion: "8.0.4",
    });
    expect([releaseChannelVersion, svcImageVersion]).toEqual(["svcjs/server:v8.0.4", "v8.0.4"]);
  });

  it("versioning 3: a pin that is not its channel's newest sets the hold, unless that is sent", async () => {
    const newer = [...more, { version: "9.2.0", channel: "latest" }];
    await startAlone();
    await restart(newer);
    expect(inEffect(await settings())).toEqual(["latest", "9.1.1", false]);
    expect(inEffect(await update({ releaseChannelVersion: "9.1.1" }))).toEqual([
      "latest",
      "9.1.1",
      true,
    ]);
    const sent = { releaseChannelVersion: "9.1.1", releaseChannelVersionHold: false };
    expect(inEffect(await update(sent))).toEqual(["latest", "9.1.1", false]);
    expect(inEffect(await update({ releaseChannelVersion: "9.2.0" }))).toEqual([
      "latest",
      "9.2.0",
      false,
    ]);
  });

  it("what is not held takes the newest patch, and only a patch, at its next change of settings", async () => {
    await startAlone();
    await restart([
      ...more,
      { version: "9.1.2", channel: "latest" },
      { version: "9.2.0", channel: "latest" },
    ]);
    expect(inEffect(await update({}))).toEqual(["latest", "9.1.1", false]);
    expect(inEffect(await update({ releaseChannelVersionHold: true }))).toEqual([
      "latest",
      "9.1.1",
      true,
    ]);
    expect(inEffect(await update({ template: "single" }))).toEqual(["latest", "9.1.1", true]);
    expect(inEffect(await update({ releaseChannelVersionHold: false }))).toEqual([
      "latest",
      "9.1.2",
      false,
    ]);
    expect((await versions()).map(({ version }) => version)).toEqual([
      "9.2.0",
      "9.1.2",
      "9.1.1",
      "8.0.4",
    ]);
  });
});

describe("tokens", () => {
  it("client area Deployments, token: lives a day, or as long as is asked for", async () => {
    const createdToken = async (body?: unknown) => {
      const { svcApiToken } = await sendOk("POST", `${main}/token`, body);
      const { exp = 0, iat = 0, ...claims } = decodeJwt(String(svcApiToken));
      return { seconds: exp - iat, claims };
    };
    expect(await createdToken()).toMatchObject({
      seconds: 86_400,
      claims: { deploymentId: 1, aud: "data" },
    });
    expect(await createdToken({ expiresIn: 60 })).toMatchObject({ seconds: 60 });
    for (const expiresIn of [59, 86_401, 1.5]) {
      expect(await statusOf("POST", `${main}/token`, { expiresIn })).toBe(400);
    }
    expect(await statusOf("POST", `${deployments}/99/token`)).toBe(404);
  });

  it("authentication 7: is createdToken by the operation, and is no credential for the management API", async () => {
    const { svcApiToken } = await sendOk("POST", `${main}/token`);
    const answer = await service.send("GET", deployments, { key: String(svcApiToken) });
    expect(answer.status).toBe(401);
  });
});
