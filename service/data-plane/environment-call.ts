// The types that the handlers of an environment receive and return.
import type { JsonObject } from "../../core/json.ts";
import type { Operation } from "../../core/operation/operation.ts";
import type { AccountOrigin } from "../accounts/hosts.ts";
import type { ViewLog } from "../areas/shared/view-log.ts";
import type { ModelCompiler } from "../model/compiler.ts";
import type { Principal } from "../security/principal.ts";
import type { Sealer } from "../security/seal.ts";
import type { Db } from "../store/schema.ts";
import type { Environment } from "./environment.ts";
import type { QueryService } from "./query-service.ts";

/** One request to an environment. */
export interface EnvironmentCall extends Environment {
  readonly db: Db;
  /** The origin of the account. */
  readonly origin: AccountOrigin;
  /** The branch in the path; undefined for production. */
  readonly branchName: string | undefined;
  /** Throws if the server cannot serve now. */
  readonly requireReady: () => Promise<void>;
  /** Identifies the account in this process. */
  readonly accountId: string;
  /** Null if the operation needs no token. */
  readonly principal: Principal | null;
  readonly queries: QueryService;
  /** Counts queries for dashboards and reports. */
  readonly views: ViewLog;
  readonly compiler: ModelCompiler;
  readonly sealer: Sealer;
  readonly now: () => Date;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** The body of a POST request, or the query of the URL. */
  readonly input: JsonObject;
}

/** A response. */
export interface EnvironmentAnswer {
  readonly status: number;
  readonly body: object;
  /** The reason of the failure, for the logs of the deployment (default: the `error` of the body). */
  readonly reason?: string | undefined;
}

/** An operation of an environment with its handler. */
export interface EnvironmentHandler {
  readonly operation: Operation;
  /** The scope that a token with scopes needs; undefined if every token may call the operation. */
  readonly scope?: "data" | "sql" | "meta";
  readonly run: (call: EnvironmentCall) => Promise<EnvironmentAnswer>;
}
