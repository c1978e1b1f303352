// One call of each operation on transformation projects that succeeds; `sample-requests.ts` contains them.
import { heldUntil } from "../support/finished-work.ts";
import { createRemote } from "../support/git-remotes.ts";
import type { TestService } from "../support/test-service.ts";
import { manifest } from "../support/transform-project.ts";
import { type PrepareSample, sampleAfter } from "./sample.ts";

const base = "/api/v1/deployments/1/transform-sync";
const integration = "/api/v1/deployments/1/transform-integration";

/** Returns the body of an integration with a repository that contains a project. */
function settings(more: object = {}) {
  const remote = createRemote();
  remote.commit({ "target/manifest.json": JSON.stringify(manifest) });
  return {
    repoUrl: remote.path,
    branch: "main",
    projectRoot: "",
    manifestPath: null,
    outputPath: "model/cubes/transform",
    username: null,
    ...more,
  };
}

/** Sets the integration, so that a sync without a manifest can start. */
async function connect(service: TestService, more?: object): Promise<void> {
  const { status, text } = await service.send("PUT", integration, { body: settings(more) });
  if (status !== 200) throw new Error(`preparing ${integration}: ${status} ${text}`);
}

/** Runs a sync to its end and returns its path. */
async function completed(service: TestService): Promise<string> {
  const body = { source: "manifest", manifest, output: "files" };
  const { body: started } = await service.send("POST", base, { body });
  const path = `${base}/${(started as { syncJobId: string }).syncJobId}`;
  for (let attempt = 0; attempt < 1000; attempt++) {
    const { body: found } = await service.send("GET", path);
    if ((found as { status: string }).status === "COMPLETED") return path;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("the sync did not complete");
}

/** Adds a sync that no server runs, and returns its path. */
async function running({ db }: TestService): Promise<string> {
  const at = "2026-01-01T00:00:00.000Z";
  const run = {
    deployment_id: 1,
    job_id: "running",
    status: "RUNNING",
    stage: "INITIALIZING",
    trigger_name: "api",
    source: "git",
    output: "branch",
    output_path: "model/cubes/transform",
    branch_name: "sync/running",
    attempts: 1,
    leased_until: heldUntil,
    started_at: at,
    updated_at: at,
    phases: "[]",
  };
  await db
    .insertInto("sync_runs")
    .values(run)
    .onConflict((on) =>
      on.column("job_id").doUpdateSet({ status: "RUNNING", leased_until: heldUntil }),
    )
    .execute();
  return `${base}/running`;
}

/** Samples by operation id. */
export const syncSamples: Readonly<Record<string, PrepareSample>> = {
  listSyncs: async (service) =>
    sampleAfter(completed(service), `${base}?first=1&status=COMPLETED&trigger=api`),
  startSync: async (service) => {
    await connect(service);
    return { path: base, body: { ref: "main", source: "git", output: "branch", manifest: null } };
  },
  getSyncStatus: async (service) => ({ path: await completed(service) }),
  cancelSync: async (service) => ({ path: await running(service) }),
  getSyncResult: async (service) => ({ path: `${await completed(service)}/result` }),
  listSyncLogs: async (service) => ({ path: `${await completed(service)}/logs` }),
  listSyncFiles: async (service) => ({
    path: `${await completed(service)}/generated-files?first=1`,
  }),
  getTransformIntegration: async (service) => sampleAfter(connect(service), integration),
  setTransformIntegration: async () => ({ path: integration, body: settings() }),
  deleteTransformIntegration: async (service) => sampleAfter(connect(service), integration),
  receiveSyncWebhook: async (service) => {
    await connect(service, { webhookSecret: "s3cret" });
    return {
      path: `${integration}/webhook`,
      body: { ref: "refs/heads/main", after: "f".repeat(40) },
      headers: { "x-gitlab-token": "s3cret" },
    };
  },
};
