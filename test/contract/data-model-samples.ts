// One call of each operation on data models that succeeds; `sample-requests.ts` contains them.
import type { TestService } from "../support/test-service.ts";
import type { PrepareSample } from "./sample.ts";

const build = "/build/api/v1/deployments/1";
const model = `${build}/data-model`;
const file = "model/cubes/a.yml";
/** SHA-1 of no bytes. */
const empty = "da39a3ee5e6b4b0d3255bfef95601890afd80709";

/** Enters dev mode with one file and returns the branch. */
async function devBranch(service: TestService): Promise<string> {
  const { body } = await service.send("POST", `${build}/dev-mode`, {
    body: { branchName: "main" },
  });
  const files = [{ path: file, content: "" }];
  await service.send("PUT", `${model}/files`, { body: { files } });
  return (body as { branchName: string }).branchName;
}

async function sharedBranch(service: TestService): Promise<string> {
  await service.send("POST", `${build}/branches`, { body: { name: "staging" } });
  return "staging";
}

async function upload(service: TestService): Promise<{ id: string }> {
  const { body } = await service.send("POST", `${model}/upload/start`);
  return (body as { transaction: { id: string } }).transaction;
}

/** Returns the path of the production environment. */
async function production(service: TestService): Promise<string> {
  const environments = "/api/v1/deployments/1/environments";
  const { body } = await service.send("GET", `${environments}?type=production`);
  return `${environments}/${(body as { items: { id: string }[] }).items[0]?.id}`;
}

const after = async <T>(work: Promise<unknown>, sample: T): Promise<T> => {
  await work;
  return sample;
};

/** Samples by operation id. */
export const dataModelSamples: Readonly<Record<string, PrepareSample>> = {
  listDataModelFiles: async () => ({
    path: `${model}/files?branchName=main&withContent=true&first=1`,
  }),
  putDataModelFiles: async (service) => ({
    path: `${model}/files`,
    body: {
      files: [{ path: file, content: "cubes: []" }],
      branchName: await devBranch(service),
      branchId: null,
    },
  }),
  deleteDataModelFiles: async (service) =>
    after(devBranch(service), { path: `${model}/files`, body: { files: [{ path: file }] } }),
  renameDataModelFiles: async (service) =>
    after(devBranch(service), {
      path: `${model}/files/rename`,
      body: { files: [{ path: file, newPath: "model/b.yml" }] },
    }),
  getDataModelFileHashes: async () => ({ path: `${model}/file-hashes?branchName=main` }),
  startUpload: async () => ({
    path: `${model}/upload/start?branchName=main`,
    body: { branchName: null },
  }),
  uploadFile: async (service) => ({
    path: `${model}/upload/file`,
    body: { transaction: await upload(service), fileName: file, file: "" },
  }),
  uploadFiles: async (service) => ({
    path: `${model}/upload/files`,
    body: { transaction: await upload(service), files: [{ fileName: file, file: "" }] },
  }),
  finishUpload: async (service) => {
    const transaction = await upload(service);
    await service.send("POST", `${model}/upload/file`, {
      body: { transaction, fileName: file, file: "" },
    });
    return {
      path: `${model}/upload/finish`,
      body: {
        transaction,
        files: { [file]: { hash: empty } },
        autoRemoveFiles: true,
        commitMessage: "Deploy",
        branchName: null,
      },
    };
  },
  validateDataModel: async () => ({ path: `${model}/validate?branchName=main` }),
  validateDataModelFiles: async () => ({
    path: "/build/api/v1/data-model/validate",
    body: {
      deploymentId: 1,
      files: [{ path: file, content: "cubes: []", encoding: null }],
      removedPaths: ["model/b.yml"],
    },
  }),
  listAgentSkills: async () => ({
    path: "/api/v1/deployments/1/agent-skills?branchName=main&space=sales",
  }),
  buildStatus: async () => ({ path: "/api/v1/deployments/1/build-status?branchName=main" }),
  listBranches: async () => ({ path: `${build}/branches?first=1` }),
  createBranch: async () => ({
    path: `${build}/branches`,
    body: { name: "feature", from: "main", activate: true },
  }),
  deleteBranch: async (service) => ({
    path: `${build}/branches?branchName=${await devBranch(service)}&removeOnUpstream=false`,
  }),
  setStagingEnvironment: async (service) => ({
    path: `${build}/branches/staging-environment`,
    body: { enabled: true, branchName: await sharedBranch(service), branchId: null },
  }),
  listLogs: async () => ({
    path: "/api/v1/deployments/1/logs?source=production&container=svcjs-server&since=2026-01-01T00:00:00Z&first=1",
  }),
  listUsageAnalytics: async () => ({
    path: "/api/v1/deployments/1/usage-analytics?type=DASHBOARD&start=2026-01-01&end=2026-12-31&userId=1&workbookId=1&first=1",
  }),
  listPods: async () => ({ path: "/api/v1/deployments/1/pods?first=1" }),
  listEnvironments: async () => ({
    path: "/api/v1/deployments/1/environments?type=production&first=1",
  }),
  listEnvironmentTokens: async (service) => {
    const tokens = `${await production(service)}/tokens`;
    await service.send("POST", tokens, { body: { security_context: {} } });
    return { path: `${tokens}?first=1` };
  },
  createEnvironmentToken: async (service) => ({
    path: `${await production(service)}/tokens`,
    body: { security_context: { tenant: "acme" }, expires_in: 60, scopes: ["meta", "other"] },
  }),
  createMetaSyncToken: async (service) => ({
    path: `${await production(service)}/tokens-for-meta-sync`,
    body: { security_context: {}, expires_in: null, scopes: null },
  }),
  enterDevMode: async () => ({ path: `${build}/dev-mode`, body: { branchName: "main" } }),
  exitDevMode: async (service) => after(devBranch(service), { path: `${build}/dev-mode` }),
  commitBranch: async (service) =>
    after(devBranch(service), {
      path: `${build}/commit`,
      body: { branchName: "", message: "Add a file", exitDevMode: true },
    }),
  pullBranch: async (service) =>
    after(devBranch(service), { path: `${build}/pull`, body: { branchName: null } }),
  mergeBranch: async (service) => ({
    path: `${build}/merge`,
    body: {
      branchName: await devBranch(service),
      message: null,
      switchToParentBranch: true,
      deleteBranch: true,
    },
  }),
  mergeToDefault: async (service) => ({
    path: `${build}/merge-to-default`,
    body: {
      branchName: await devBranch(service),
      message: "Release",
      removeBranchAfterMerge: false,
    },
  }),
};
