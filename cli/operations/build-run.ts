// Runs operations that start builds: with `--wait`, until the build has ended.
import { buildStatus } from "../../api/data-model.ts";
import { getDeploymentSettings } from "../../api/deployments.ts";
import type { Client } from "../../client/types.ts";
import { Failure } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Operation } from "../../core/operation/operation.ts";
import { defaultBuildTimeout, waitTimeout } from "../shared/wait/wait-timeout.ts";
import type { ExtraInput, Outcome, RunContext } from "./command.ts";

/** The options of commands that can wait for a build. */
export const buildWaitOptions: readonly ExtraInput[] = [
  { syntax: "--wait", doc: "wait until the build ends; exits with 1 unless it succeeded" },
  {
    syntax: "--timeout <seconds>",
    doc: `longest wait (default: ${defaultBuildTimeout})`,
    parse: waitTimeout,
  },
];

/**
 * Returns the options and the run of a command whose operation starts a build. `branch` is the branch
 * of the request that is built; without it, the deploy branch is.
 */
export function waitsForBuild(
  operation: Operation,
  branch?: (request: RunContext["request"]) => string | undefined,
) {
  return {
    extraOptions: buildWaitOptions,
    run: async (context: RunContext): Promise<Outcome> => {
      const { callOperation } = await import("./call-operation.ts");
      const { client, request, extra } = context;
      const call = async (): Promise<JsonObject> => {
        const { answer } = await callOperation(client, operation, { ...request, limit: undefined });
        return isObject(answer) ? answer : { result: answer };
      };
      if (extra.options["wait"] !== true) return { answer: await call() };
      const given = request.params["deploymentId"];
      const target = async (deploymentId: number): Promise<BranchTarget> => ({
        deploymentId,
        branchName:
          branch === undefined ? await deployBranch(client, deploymentId) : branch(request),
      });
      const before =
        given === undefined ? undefined : await newestBuild(client, await target(Number(given)));
      const answer = await call();
      try {
        const built = await target(Number(given ?? answer["id"]));
        const isNew = (await newestBuild(client, built)) !== before;
        const wait = { ...built, isNew, isStarted: true };
        const { answer: build, ...end } = await waitOutcome(context, wait);
        return { ...end, answer: { ...answer, build } };
      } catch (error) {
        // The result of the operation, such as a new ID, must not be lost with the wait.
        if (!(error instanceof Failure)) throw error;
        return { answer, isFailed: true, failure: `the request succeeded, but ${error.message}` };
      }
    },
  };
}

/** A branch of a deployment; the open dev-mode branch, otherwise the deploy branch, if it has no name. */
interface BranchTarget {
  readonly deploymentId: number;
  readonly branchName: string | undefined;
}

/** The branch whose build is waited for. */
interface WaitTarget extends BranchTarget {
  /** Whether the command started the build that the server names. */
  readonly isNew: boolean;
  /** Whether the command has done something else that succeeded, also if no environment serves the branch. */
  readonly isStarted: boolean;
}

/** Waits for the build of a branch: the outcome has its status, and the reason if it is not built. */
export async function waitOutcome(
  { client, signal, extra, output }: RunContext,
  { isStarted, ...target }: WaitTarget,
): Promise<Outcome> {
  const { buildFailureText, isUnserved, waitForBuild } =
    await import("../shared/wait/build-wait.ts");
  const { statusLineFor } = await import("../shared/output/status-line.ts");
  const status = await waitForBuild(client, {
    ...target,
    timeoutMs: Number(extra.options["timeout"] ?? defaultBuildTimeout) * 1000,
    signal,
    statusLine: statusLineFor(output),
    graceMs: limits.buildGraceMs,
  });
  const answer = { ...status };
  const failure = buildFailureText(status);
  if (failure === undefined) return { answer };
  if (!isStarted || !isUnserved(status)) return { answer, isFailed: true, failure };
  output.info(() => failure);
  return { answer };
}

async function deployBranch(client: Client, deploymentId: number): Promise<string> {
  const settings = await client.reader.call(getDeploymentSettings, { params: { deploymentId } });
  return settings.deployBranchName;
}

/** Returns the ID of the newest build of a branch. */
async function newestBuild(
  client: Client,
  { deploymentId, branchName }: BranchTarget,
): Promise<string | undefined> {
  const query = branchName === undefined ? {} : { branchName };
  const status = await client.reader.call(buildStatus, { params: { deploymentId }, query });
  return status.buildJobId;
}
