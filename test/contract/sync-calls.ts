// Syncs of the transformation project of one deployment, as tests start and read them.
import { expect } from "vitest";
import type { TestRemote } from "../support/git-remotes.ts";
import type { Answer, ModelService } from "./data-model-service.ts";

/** The path of the syncs. */
export const base = "/api/v1/deployments/1/transform-sync";
/** The path of the integration. */
export const integration = "/api/v1/deployments/1/transform-integration";
/** A file that a sync of the sample project generates. */
export const generated = "model/cubes/transform/orders.yml";

/** Returns the manifest of a project with models by ID. */
export const projectOf = (names: Readonly<Record<string, string>>): string =>
  JSON.stringify({
    nodes: Object.fromEntries(
      Object.entries(names).map(([id, name]) => [
        id,
        { resource_type: "model", name, schema: "s" },
      ]),
    ),
  });

/** Returns the row of a sync that another server runs. */
export function waiting() {
  const at = new Date().toISOString();
  return {
    deployment_id: 1,
    job_id: "waiting",
    status: "RUNNING",
    stage: "INITIALIZING",
    trigger_name: "api",
    source: "git",
    output: "branch",
    output_path: "model/cubes/transform",
    branch_name: "sync/waiting",
    attempts: 1,
    leased_until: new Date(Date.now() + 60_000).toISOString(),
    started_at: at,
    updated_at: at,
    phases: "[]",
  };
}

/** Returns the calls of a test. `given` returns its service and remote, which start later. */
export function syncCalls(given: () => { service: ModelService; remote: TestRemote }) {
  const set = (more: object = {}) =>
    given().service.done("PUT", integration, {
      repoUrl: given().remote.path,
      branch: "main",
      ...more,
    });
  const start = (body: object = {}) => given().service.done("POST", base, body);
  const status = (id: unknown) => given().service.done("GET", `${base}/${String(id)}`);
  const history = async (query = "") =>
    (await given().service.done("GET", `${base}${query}`))["items"] as Answer["body"][];
  const log = async (id: unknown) =>
    (await given().service.done("GET", `${base}/${String(id)}/logs`))["items"] as Answer["body"][];
  /** Returns the status of a sync when it has ended. */
  async function ended(id: unknown): Promise<Answer["body"]> {
    const isEnded = async () =>
      ["COMPLETED", "FAILED"].includes(String((await status(id))["status"]));
    await expect.poll(isEnded, { timeout: 60_000, interval: 20 }).toBe(true);
    return status(id);
  }
  return { set, start, status, history, log, ended };
}
