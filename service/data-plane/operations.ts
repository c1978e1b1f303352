// The operations of an environment and their handlers. Each names its operation, which says whether it needs a token.
import {
  environmentOpenapi,
  getEnvironmentLiveness,
  getEnvironmentReadiness,
  getEnvironmentSpec,
} from "../../api/data-plane.ts";
import { Failure } from "../../core/errors.ts";
import type { Operation } from "../../core/operation.ts";
import type { AccountOrigin } from "../accounts/hosts.ts";
import { servedBuild } from "../areas/data-model/builds.ts";
import { hashOfTree } from "../areas/data-model/trees.ts";
import { environmentUrl } from "../areas/deployments/deployment-url.ts";
import type { Db } from "../store/schema.ts";
import type { Environment } from "./environment.ts";

/** One request to an environment. */
export interface EnvironmentCall extends Environment {
  readonly db: Db;
  /** The origin of the account. */
  readonly origin: AccountOrigin;
  /** The branch in the path; undefined for production. */
  readonly branchName: string | undefined;
  /** Throws if the server cannot serve now. */
  readonly requireReady: () => Promise<void>;
}

/** A response. */
export interface EnvironmentAnswer {
  readonly status: number;
  readonly body: object;
}

/** An operation of an environment with its handler. */
export interface EnvironmentHandler {
  readonly operation: Operation;
  readonly run: (call: EnvironmentCall) => Promise<EnvironmentAnswer>;
}

const up: EnvironmentAnswer = { status: 200, body: { health: "HEALTH" } };
const down: EnvironmentAnswer = { status: 500, body: { health: "DOWN" } };

/** All handlers. */
export const environmentHandlers: readonly EnvironmentHandler[] = [
  // The environment was found, so it is active.
  { operation: getEnvironmentLiveness, run: async () => up },
  {
    operation: getEnvironmentReadiness,
    run: async ({ db, branch, requireReady }) => {
      const isReady = await requireReady().then(
        () => true,
        () => false,
      );
      return isReady && (await servedBuild(db, branch.id)) !== undefined ? up : down;
    },
  },
  {
    operation: getEnvironmentSpec,
    run: async ({ db, deployment, branch, branchName, origin }) => {
      const build = await servedBuild(db, branch.id);
      if (!build) {
        throw new Failure("unavailable", "the environment serves no build yet", { retryAfter: 5 });
      }
      const body = environmentOpenapi({
        url: environmentUrl(origin, deployment, branchName),
        version: build.version,
        buildJobId: String(build.id),
        filesHash: await hashOfTree(db, build.tree_id),
        builtAt: build.updated_at,
      });
      return { status: 200, body };
    },
  },
];
