// Liveness and readiness endpoints, without a credential and outside the API.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import type { Db } from "../store/schema.ts";
import { hasDeployment } from "../areas/deployments/deployment-url.ts";
import { inTransaction } from "../store/transaction.ts";
import type { RateLimiter } from "./rate-limit.ts";
import type { RequestAdmission } from "./request-admission.ts";
import { requestContextOf } from "./request-context.ts";

/** The lifecycle state of the server. */
export interface Health {
  /** Set when a stop is requested: not ready, but still serving. */
  draining: boolean;
  /** Set while stopping: rejects new requests. */
  stopping: boolean;
}

/** The inputs of the health checks. */
export interface HealthOptions {
  readonly stores: readonly Db[];
  readonly health: Health;
  /** Undefined if rate limits are off. */
  readonly limiter: RateLimiter | undefined;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/**
 * Adds `/livez`, which reports that the process answers, and `/readyz`, which returns 503 while the server stops or if
 * a store cannot be written. Both are public, so checks are shared by all requests within a second, and each address is
 * rate limited.
 */
export function addHealth(
  app: FastifyInstance,
  { stores, health, limiter, now, admission }: HealthOptions & { admission: RequestAdmission },
): void {
  const probe = coalesced(() => probeAll(stores), now);
  app.get("/livez", async () => ({ status: "live" }));
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    limiter?.count(request, reply);
  const requireReady = async (): Promise<void> => {
    if (health.draining) throw new Failure("unavailable", "the server is stopping");
    try {
      await probe();
    } catch (cause) {
      throw new Failure("unavailable", "the store cannot be written", { cause, retryAfter: 1 });
    }
  };
  app.get("/readyz", { onRequest }, async () => {
    await requireReady();
    return { status: "ready" };
  });
  addDeploymentHealth(app, admission, requireReady);
}

/** Adds the health checks of each deployment below its URL, with the response of the platform's data API. */
function addDeploymentHealth(
  app: FastifyInstance,
  admission: RequestAdmission,
  requireReady: () => Promise<void>,
): void {
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    admission.resolveAccount(request);
    admission.count(request, reply);
  };
  const requireDeployment = async (request: FastifyRequest): Promise<void> => {
    const { label = "" } = request.params as { label?: string };
    if (await hasDeployment(requestContextOf(request).db, label)) return;
    throw new Failure("not_found", "the account has no deployment with this URL");
  };
  const addCheck = (name: string, requireUp: () => Promise<void>): void => {
    app.route({
      method: "GET",
      url: `/deployments/:label/${name}`,
      onRequest,
      handler: async (request, reply) => {
        await requireDeployment(request);
        const isUp = await requireUp().then(
          () => true,
          () => false,
        );
        return reply.code(isUp ? 200 : 500).send({ health: isUp ? "HEALTH" : "DOWN" });
      },
    });
  };
  addCheck("livez", async () => undefined);
  addCheck("readyz", requireReady);
}

/** Shares `work` between callers: a call during a run, or soon after it, gets the result of that run. */
function coalesced(work: () => Promise<void>, now: () => number): () => Promise<void> {
  let last: Promise<void> | undefined;
  let ended: number | undefined;
  return () => {
    const age = ended === undefined ? 0 : now() - ended;
    if (last === undefined || age >= limits.probeMs) {
      ended = undefined;
      last = work().finally(() => {
        ended = now();
      });
    }
    return last;
  };
}

/** Makes a durable write: reading succeeds on a full disk, and on a database that a failover made read-only. */
async function probeWrite(tx: Db): Promise<void> {
  await tx
    .updateTable("account")
    .set((eb) => ({ name: eb.ref("name") }))
    .execute();
}

/** Throws if one of the stores cannot be written. Checks a few at a time and stops at the first failure. */
async function probeAll(stores: readonly Db[]): Promise<void> {
  const waiting = [...stores];
  const lane = async (): Promise<void> => {
    try {
      for (let db = waiting.pop(); db; db = waiting.pop()) await inTransaction(db, probeWrite);
    } catch (error) {
      waiting.length = 0;
      throw error;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: limits.probesAtOnce }, lane));
  const failed = ended.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
