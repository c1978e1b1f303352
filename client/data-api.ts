// Queries the data API of a deployment: finds the environment, obtains a token for it, and follows `Continue wait`.
import { setTimeout as sleep } from "node:timers/promises";
import { buildStatus } from "../api/data-model.ts";
import {
  dryRunQuery,
  dryRunQueryByPost,
  getModelMeta,
  loadQuery,
  loadQueryByPost,
  sqlOfQuery,
  sqlOfQueryByPost,
} from "../api/data-plane.ts";
import { deploymentToken, getDeployment } from "../api/deployments.ts";
import { Failure } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { Secret } from "../core/secret.ts";
import { queryText } from "./request-url.ts";
import type { Client, ReadOnlyClient } from "./types.ts";

/** The environment to query. */
export interface EnvironmentName {
  readonly deploymentId: number;
  /** Undefined: the open dev-mode branch of the credential, otherwise production. */
  readonly branchName?: string | undefined;
  /** Production, also while the credential has an open dev-mode branch. */
  readonly isProduction?: boolean;
}

/** How long to wait for a query, and the signal that stops the wait. */
export interface QueryWait {
  /** Default: `limits.queryWaitMs`. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The data API of one environment. */
export interface DataApi {
  /** Returns the result of a query. Fails with `timeout` if it is not ready in time. */
  load(query: JsonObject, wait?: QueryWait): Promise<JsonObject>;
  /** Returns the statement of a query with its values, without running it. */
  sql(query: JsonObject): Promise<JsonObject>;
  /** Returns a query with its defaults, without running it. */
  dryRun(query: JsonObject): Promise<JsonObject>;
  /** Returns the cubes and views. */
  meta(options?: { readonly onlyViews?: boolean | undefined }): Promise<JsonObject>;
}

/** Runs `work` with the data API of an environment. Fails with `not_found` for a branch that no environment serves. */
export async function withDataApi<T>(
  client: Client,
  name: EnvironmentName,
  work: (api: DataApi) => Promise<T>,
): Promise<T> {
  const { url, basePath } = await addressOf(client.reader, name);
  const { svcApiToken } = await client.call(deploymentToken, {
    params: { deploymentId: name.deploymentId },
    body: { expiresIn: limits.queryTokenSeconds },
  });
  const environment = client.at({
    url,
    basePath,
    credential: new Secret(svcApiToken),
    scheme: "bare",
  });
  try {
    return await work(dataApiOf(environment.reader));
  } finally {
    await environment.close();
  }
}

/**
 * Returns the address of an environment: the address of the deployment, and below it the branch unless production
 * serves it.
 */
async function addressOf(
  reader: ReadOnlyClient,
  { deploymentId, branchName, isProduction = false }: EnvironmentName,
): Promise<{ readonly url: string; readonly basePath: string }> {
  const params = { deploymentId };
  const query = branchName === undefined ? {} : { branchName };
  const [{ deploymentUrl }, status] = await Promise.all([
    reader.call(getDeployment, { params }),
    isProduction ? undefined : reader.call(buildStatus, { params, query }),
  ]);
  const address = deploymentUrl === undefined ? null : URL.parse(deploymentUrl);
  if (address === null) {
    throw new Failure("not_offered", `deployment ${deploymentId} has no address of a data API`);
  }
  const root = address.pathname.replace(/\/+$/u, "");
  if (status === undefined || status.mode === "production")
    return { url: address.origin, basePath: root };
  if (status.buildJobId === undefined) {
    const reason = status.errorText === undefined ? "" : `: ${status.errorText}`;
    throw new Failure(
      "not_found",
      `no environment serves the branch ${status.branchName}${reason}`,
      {
        remedy: "Enable its staging environment, or enter dev mode on it.",
      },
    );
  }
  const branch = encodeURIComponent(status.branchName);
  return { url: address.origin, basePath: `${root}/dev-mode/${branch}` };
}

const loads = { get: loadQuery, post: loadQueryByPost };
const sqls = { get: sqlOfQuery, post: sqlOfQueryByPost };
const dryRuns = { get: dryRunQuery, post: dryRunQueryByPost };

function dataApiOf(reader: ReadOnlyClient): DataApi {
  return {
    load: (query, wait = {}) => loadResult(reader, query, wait),
    sql: (query) => send(reader, sqls, { query }),
    dryRun: (query) => send(reader, dryRuns, { query }),
    meta: async ({ onlyViews = false } = {}) =>
      (await reader.call(getModelMeta, {
        query: onlyViews ? { onlyViews: "true" } : {},
      })) as JsonObject,
  };
}

/** The operations of one verb: with the query in the URL, and in the body. */
interface QueryOperations {
  readonly get: typeof loadQuery | typeof sqlOfQuery;
  readonly post: typeof loadQueryByPost | typeof sqlOfQueryByPost;
}

/** Sends a query, in the URL unless it is long. */
async function send(
  reader: ReadOnlyClient,
  { get, post }: QueryOperations,
  { query, signal }: { readonly query: JsonObject; readonly signal?: AbortSignal | undefined },
): Promise<JsonObject> {
  const inUrl = { query: JSON.stringify(query) };
  const isShort = queryText(inUrl).length < limits.queryUrlLength;
  const answer = isShort
    ? await reader.call(get, { query: inUrl }, { signal })
    : await reader.call(post, { body: { query } }, { signal });
  return answer as JsonObject;
}

/** Sends a query until the answer has its data. The server drops queries that are not sent again. */
async function loadResult(
  reader: ReadOnlyClient,
  query: JsonObject,
  { timeoutMs = limits.queryWaitMs, signal }: QueryWait,
): Promise<JsonObject> {
  const until = performance.now() + timeoutMs;
  let pause: number = limits.queryPollFirstMs;
  for (;;) {
    const from = performance.now();
    const answer = await send(reader, loads, { query, signal });
    const { error } = answer;
    if (typeof error !== "string") return answer;
    if (error !== "Continue wait") {
      throw new Failure("unexpected_answer", `the data API answered with the error ${error}`);
    }
    if (performance.now() >= until) {
      const seconds = Math.round(timeoutMs / 1000);
      throw new Failure("timeout", `the query did not end within ${seconds} seconds`);
    }
    // A server that holds the request expects the next one without a pause.
    const isHeld = performance.now() - from > limits.queryPollMaxMs / 2;
    pause = isHeld ? limits.queryPollFirstMs : Math.min(pause * 2, limits.queryPollMaxMs);
    await sleep(pause, undefined, { signal }).catch(() => {
      throw new Failure("aborted", "the wait for the query was stopped");
    });
  }
}
