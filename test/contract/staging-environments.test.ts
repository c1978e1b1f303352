// Staging environments: which shared branches an environment serves, what is built for them, and the list of environments.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  build,
  files,
  type ModelService,
  orders,
  startModelService,
} from "./data-model-service.ts";

let service: ModelService;

beforeEach(async () => {
  service = await startModelService();
  await service.done("POST", `${build}/branches`, { name: "shared/a" });
});
afterEach(async () => service.close());

const staging = `${build}/branches/staging-environment`;
const environments = "/api/v1/deployments/1/environments";

const set = (enabled: boolean, branch: object = { branchName: "shared/a" }) =>
  service.send("PUT", staging, { enabled, ...branch });

const status = (branchName = "shared/a") => service.buildEnded(branchName);
const inactive = { status: "building", errorText: "Branch is not active" };

describe("a shared branch", () => {
  it("has no active runtime by default, and one while its staging environment is enabled", async () => {
    expect(await status()).toMatchObject(inactive);
    const enabled = await set(true);
    expect(enabled).toMatchObject({
      status: 200,
      body: { data: { name: "shared/a", isStagingEnvironmentEnabled: true, parentBranch: "main" } },
    });
    expect(await status()).toMatchObject({ status: "built", mode: "dev_mode" });
    expect((await set(false)).body).toMatchObject({
      data: { isStagingEnvironmentEnabled: false },
    });
    expect(await status()).toMatchObject(inactive);
  });

  it("is active while a personal dev-mode branch that was forked from it is used", async () => {
    await service.enter("shared/a");
    expect(await status()).toMatchObject({ status: "built" });
    await service.done("DELETE", `${build}/dev-mode`);
    expect(await status()).toMatchObject(inactive);
  });

  it("is not active because a session points at it", async () => {
    await service.done("POST", `${build}/branches`, { name: "b", activate: true });
    expect(await status("b")).toMatchObject(inactive);
  });

  it("is built when its files change, on the newest version, whatever production is pinned to", async () => {
    await set(true);
    const { items } = await service.done("GET", "/api/v1/deployments/1/versions");
    const [newest, older] = items as { version: string; releaseChannelVersion: string }[];
    await service.done("PUT", "/api/v1/deployments/1", {
      releaseChannelVersion: older?.releaseChannelVersion,
    });
    await service.enter("shared/a");
    await service.put(orders());
    await service.commit();
    const changed = await status();
    expect(changed).toMatchObject({ status: "built", filesHash: changed["lastHash"] });
    const versions = async (name: string) =>
      service.db
        .selectFrom("builds")
        .innerJoin("branches", "branches.id", "builds.branch_id")
        .select("builds.version")
        .where("branches.name", "=", name)
        .orderBy("builds.id", "desc")
        .executeTakeFirst();
    expect(await versions("shared/a")).toEqual({ version: newest?.version });
    expect(await versions("main")).toEqual({ version: older?.version });
  });

  it("is not built again when it is enabled twice", async () => {
    await set(true);
    const first = (await status())["buildJobId"];
    await set(true);
    expect((await status())["buildJobId"]).toBe(first);
  });

  it("loses its staging environment when it becomes the deploy branch", async () => {
    await set(true);
    await service.done("PUT", "/api/v1/deployments/1", { deployBranchName: "shared/a" });
    await service.done("PUT", "/api/v1/deployments/1", { deployBranchName: "main" });
    expect(await status()).toMatchObject(inactive);
  });
});

describe("enabling a staging environment", () => {
  it("is refused for the deploy branch and for personal dev-mode branches", async () => {
    const dev = await service.enter();
    for (const branchName of ["main", dev]) {
      expect((await set(true, { branchName })).status).toBe(400);
    }
    expect((await set(true, { branchName: "none" })).status).toBe(404);
    expect((await set(true, {})).status).toBe(400);
    expect((await set(true, { branchName: "shared/a", branchId: 2 })).status).toBe(400);
    const branch = await service.db
      .selectFrom("branches")
      .select("id")
      .where("name", "=", "shared/a")
      .executeTakeFirstOrThrow();
    expect((await set(true, { branchId: branch.id })).status).toBe(200);
  });

  it("needs SchemaUpdateDevBranches", async () => {
    const body = { enabled: true, branchName: "shared/a" };
    const viewer = service.as(await service.userKey("AIBIUser"));
    expect((await viewer.send("PUT", staging, body)).status).toBe(403);
    expect(await status()).toMatchObject(inactive);
    const engineer = service.as(await service.userKey("AIBIDeveloper"));
    expect((await engineer.send("PUT", staging, body)).status).toBe(200);
  });
});

describe("environments", () => {
  it("are listed by type, with the addresses of their data APIs", async () => {
    await set(true);
    await service.done("POST", `${build}/branches`, { name: "not-enabled" });
    const dev = await service.enter();
    await service.send("PUT", files, { files: [{ path: "model/a.txt", content: "a" }] });
    const types = async (query: string) => {
      const { items } = await service.done("GET", `${environments}${query}`);
      return (items as { type: string; branch: string }[]).map(({ type, branch }) => [
        type,
        branch,
      ]);
    };
    expect(await types("")).toEqual([
      ["development", dev],
      ["staging", "shared/a"],
      ["production", "main"],
    ]);
    expect(await types("?type=development")).toEqual([["development", dev]]);
    expect((await service.send("GET", `${environments}?type=dev`)).status).toBe(400);
    const base = `${service.url}/deployments/main`;
    const { items } = await service.done("GET", `${environments}?type=staging`);
    expect(items).toEqual([
      {
        id: expect.any(String),
        type: "staging",
        branch: "shared/a",
        api_credentials: [
          { type: "rest", version: 1, url: `${base}/dev-mode/shared%2Fa/svcjs-api/v1` },
        ],
      },
    ]);
    expect(await service.done("GET", `${environments}?type=production`)).toMatchObject({
      items: [{ api_credentials: [{ url: `${base}/svcjs-api/v1` }] }],
      pagination: { total: 1 },
    });
    expect((await service.send("GET", "/api/v1/deployments/99/environments")).status).toBe(404);
  });
});
