// Tests that each setting of a deployment has an effect or is declared as recorded only.
import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDeployment, updateDeployment } from "../../api/deployments.ts";
import { membersOf } from "../../core/kind/fields.ts";
import { recordedOnlyReason } from "../../core/schema/traits.ts";
import { recordedSettings } from "../../scripts/recorded-settings.ts";
import { createRemote, type TestRemote } from "../support/git-remotes.ts";
import { build, type ModelService, orders, startModelService } from "./data-model-service.ts";

const settings = "/api/v1/deployments/1";
const newDeployment = "/build/api/v1/deployments";
const region = "aws-eu-central-1";

let service: ModelService;
let remote: TestRemote;
beforeAll(async () => {
  service = await startModelService();
  remote = createRemote();
});
afterAll(async () => service.close());

const update = (body: object) => service.done("PUT", settings, body);
const listed = async (path: string) =>
  (await service.done("GET", path))["items"] as readonly Readonly<Record<string, unknown>>[];

async function startUpload(): Promise<number> {
  return (await service.send("POST", `${build}/data-model/upload/start`)).status;
}

async function merge(branchName: string): Promise<number> {
  return (await service.send("POST", `${build}/merge`, { branchName })).status;
}

async function isCurrent(version: unknown): Promise<boolean> {
  const versions = await listed(`${settings}/versions`);
  return versions.some((one) => one["version"] === version && one["isCurrent"] === true);
}

/** The effect of each setting that is not only recorded. */
const effects: Readonly<Record<string, () => Promise<void>>> = {
  name: async () => {
    const { deploymentUrl } = await update({ name: "renamed" });
    expect(deploymentUrl).toContain("/deployments/renamed");
  },
  region: async () => {
    await service.done("PUT", "/api/v1/tenant/settings", { oidcEnabled: true });
    const config = { audienceType: "AWS", name: "aws", subFormat: "{deployment_id}:{region}" };
    const { id } = await service.done("POST", "/api/v1/oidc-token-configs", config);
    await update({ region });
    const path = `/api/v1/oidc-token-configs/${String(id)}/token`;
    const { token } = await service.done("POST", path, { deploymentId: 1 });
    expect(decodeJwt(String(token)).sub).toBe(`1:${region}`);
  },
  creationStep: async () => {
    await service.done("POST", newDeployment, { name: "step", region, creationStep: "databases" });
    const found = await listed("/api/v1/deployments?creationStep=databases");
    expect(found.map(({ name }) => name)).toEqual(["step"]);
  },
  creationMethod: async () => {
    const hashes = async (creationMethod: string) => {
      const body = { name: creationMethod, region, creationMethod };
      const { id } = await service.done("POST", newDeployment, body);
      const path = `${newDeployment}/${String(id)}/data-model/file-hashes`;
      return Object.keys(await service.done("GET", path));
    };
    expect([await hashes("upload"), await hashes("github")]).toEqual([["model/README.md"], []]);
  },
  customDomain: async () => {
    const { deploymentUrl } = await update({ customDomain: "bi.example.com" });
    expect(deploymentUrl).toBe("https://bi.example.com");
    await update({ customDomain: "" });
  },
  deployBranchReadOnly: async () => {
    expect(await startUpload()).toBe(200);
    await update({ deployBranchReadOnly: true });
    expect(await startUpload()).toBe(409);
    await update({ deployBranchReadOnly: false });
  },
  deployBranchMergeAllowed: async () => {
    await service.done("POST", `${build}/branches`, { name: "feature" });
    await update({ deployBranchMergeAllowed: false });
    expect(await merge("feature")).toBe(409);
    await update({ deployBranchMergeAllowed: true });
    expect(await merge("feature")).toBe(200);
  },
  deployBranchName: async () => {
    await update({ deployBranchName: "next" });
    expect(await service.done("GET", `${settings}/build-status`)).toMatchObject({
      branchName: "next",
    });
  },
  deployProjectRoot: async () => {
    remote.commit({ "analytics/model/orders.yml": orders(), "model/other.yml": "" }, "Begin");
    await update({ deployProjectRoot: "analytics" });
    await service.done("POST", `${build}/git/connect`, { remoteUrl: remote.path });
    expect(await service.hashes()).toEqual(["model/orders.yml"]);
  },
  deployMode: async () => {
    const pulled = async (name: string) => {
      remote.commit({ [`analytics/model/${name}`]: "" }, "Add a file");
      await service.db.updateTable("git_connections").set({ pull_requested: 1 }).execute();
      await service.accounts[0]?.syncGitRemotes();
      return (await service.hashes()).includes(`model/${name}`);
    };
    await update({ deployMode: "cli" });
    expect(await pulled("kept-away.yml")).toBe(false);
    await update({ deployMode: "git" });
    expect(await pulled("pulled.yml")).toBe(true);
  },
  releaseChannel: async () => {
    await update({ releaseChannel: "release" });
    const [newest] = await listed(`${settings}/versions`).then((all) =>
      all.filter((one) => one["releaseChannel"] === "release" && one["isLatestInChannel"] === true),
    );
    expect(await isCurrent(newest?.["version"])).toBe(true);
  },
  releaseChannelVersion: async () => {
    const { version } = (await listed(`${settings}/versions`))[0] ?? {};
    await update({ releaseChannelVersion: version });
    expect(await isCurrent(version)).toBe(true);
  },
  releaseChannelVersionHold: async () => {
    // test/rules/deployments.test.ts covers the updates that a held deployment skips.
    expect(await update({ releaseChannelVersionHold: true })).toMatchObject({
      releaseChannelVersionHold: true,
    });
  },
};

const settable = [createDeployment, updateDeployment].flatMap(({ body }) =>
  body === undefined ? [] : membersOf(body),
);

it("each setting has an effect or is declared as only recorded, and none both", () => {
  const names = (isRecorded: boolean) =>
    new Set(
      settable
        .filter(({ schema }) => (recordedOnlyReason(schema) !== undefined) === isRecorded)
        .map(({ name }) => name),
    );
  expect(names(false)).toEqual(new Set(Object.keys(effects)));
  expect(names(true)).toEqual(
    new Set([
      "cloudProvider",
      "targetPlatform",
      "isManaged",
      "template",
      "launchpadTabs",
      "defaultLaunchpadViewGroup",
      "templateVariables",
      "cspsConfig",
    ]),
  );
});

it.each(Object.keys(effects))("the setting %s has an effect", async (name) => {
  await effects[name]?.();
});

it("the page of coverage has every setting that is only recorded, with the reason", () => {
  const rows = recordedSettings([createDeployment, updateDeployment]);
  expect(rows).toContainEqual([
    "`template`",
    "`updateDeployment`",
    "all deployments share the resources of the server",
  ]);
  expect(rows).toHaveLength(8);
});
