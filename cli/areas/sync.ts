// `svc sync`: the commands on syncs of transformation projects.
import {
  cancelSync,
  deleteTransformIntegration,
  getSyncResult,
  getSyncStatus,
  getTransformIntegration,
  listSyncFiles,
  listSyncLogs,
  listSyncs,
  setTransformIntegration,
  startSync,
} from "../../api/transform-sync.ts";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import {
  type Area,
  command,
  type ExtraInput,
  type Outcome,
  type RunContext,
} from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";
import { waitTimeout } from "../shared/wait/wait-timeout.ts";

const lookups = { deploymentId: deploymentLookup };

const waitOptions: readonly ExtraInput[] = [
  { syntax: "--wait", doc: "wait until the sync ends; exits with 1 unless it completed" },
  {
    syntax: "--timeout <seconds>",
    doc: `longest wait (default: ${limits.syncWaitSeconds})`,
    parse: waitTimeout,
  },
];

/** Commands that generate model files from the manifest of a transformation project, on a new shared branch. */
export const sync: Area = {
  name: "sync",
  description:
    "Generate model files from the manifest of a transformation project, on a new shared branch.",
  groups: { integration: "the transformation project that a deployment is connected to" },
  commands: [
    command("start", startSync, {
      lookups,
      flags: {
        branchName: { doc: "name of the new branch (default: a unique one with the ref)" },
        output: {
          name: "into",
          doc: "where the files go (default: branch); files keeps them for an hour",
        },
        manifest: false,
      },
      description:
        "Start a sync. Reads the manifest from the integration's repository at --ref, or from the file of --manifest. Prints the ID of the sync, and with --wait its outcome, also if it failed.",
      extraOptions: [
        { syntax: "--manifest <file>", doc: "file with the manifest; sends --source manifest" },
        ...waitOptions,
      ],
      complete: manifestBody,
      run: startAndWait,
    }),
    command("status", getSyncStatus, { lookups, extraOptions: waitOptions, run: showStatus }),
    command("result", getSyncResult, { lookups }),
    command("logs", listSyncLogs, {
      lookups,
      isWhole: true,
      columns: {
        TIME: "timestamp",
        LEVEL: "level",
        PHASE: "phase",
        MS: "durationMs",
        MESSAGE: "message",
      },
    }),
    command("history", listSyncs, {
      lookups,
      columns: {
        ID: "syncJobId",
        STATUS: "status",
        TRIGGER: "trigger",
        REF: "gitRef",
        BRANCH: "branchName",
        STARTED: "startedAt",
        MS: "durationMs",
        ERROR: "errorMessage",
      },
    }),
    command("cancel", cancelSync, { lookups, confirm: false }),
    command("files", listSyncFiles, { lookups, columns: { PATH: "path" } }),
    command("integration get", getTransformIntegration, { lookups }),
    command("integration set", setTransformIntegration, { lookups, arguments: ["repoUrl"] }),
    command("integration delete", deleteTransformIntegration, { lookups }),
  ],
};

/** Reads the manifest of `--manifest`. Refuses an empty ref before anything is sent. */
async function manifestBody({ options }: RunContext["extra"]) {
  if (options["ref"] === "") {
    throw new Failure("usage", "the ref must not be empty", {
      remedy: "Omit --ref for the branch of the integration.",
    });
  }
  const { manifest: file } = options;
  if (typeof file !== "string") return {};
  const { readBody } = await import("../shared/options/request-body.ts");
  const manifest = await readBody(`@${file}`, {});
  return { body: { source: "manifest", manifest } };
}

/**
 * Starts a sync. With `--wait`, the answer is a document, which is also returned if the sync, or the wait for it,
 * failed.
 */
async function startAndWait({
  client,
  signal,
  request,
  extra,
  output: { info },
}: RunContext): Promise<Outcome> {
  const deploymentId = Number(request.params["deploymentId"]);
  const { body = {} } = request;
  const started = await client.call(startSync, { params: { deploymentId }, body });
  if (extra.options["wait"] !== true) return { answer: { ...started } };
  const { waitForSync } = await import("../shared/wait/sync-wait.ts");
  const { syncJobId } = started;
  const ref = typeof body["ref"] === "string" ? body["ref"] : undefined;
  const timeoutMs = timeoutOf(extra);
  const outcome = await waitForSync(client, { deploymentId, syncJobId, timeoutMs, signal, info });
  const { gitRef } = outcome.answer;
  const refVerified = ref === undefined || typeof gitRef !== "string" ? null : gitRef === ref;
  return {
    answer: { ...started, ...outcome.answer, refVerified },
    isFailed: outcome.isFailed || refVerified === false,
  };
}

async function showStatus({
  client,
  signal,
  request,
  extra,
  output: { info },
}: RunContext): Promise<Outcome> {
  const deploymentId = Number(request.params["deploymentId"]);
  const syncJobId = String(request.params["syncJobId"]);
  if (extra.options["wait"] !== true) {
    const params = { deploymentId, syncJobId };
    return { answer: { ...(await client.reader.call(getSyncStatus, { params })) } };
  }
  const { waitForSync } = await import("../shared/wait/sync-wait.ts");
  const timeoutMs = timeoutOf(extra);
  return waitForSync(client, { deploymentId, syncJobId, timeoutMs, signal, info });
}

function timeoutOf({ options }: RunContext["extra"]): number {
  return Number(options["timeout"] ?? limits.syncWaitSeconds) * 1000;
}
