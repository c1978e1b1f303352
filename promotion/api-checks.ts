// Queries the API for the objects of a stage. These checks need no grant because they use the promotion's connection.
import { Failure } from "../core/errors.ts";
import type { Operation, RequestShape } from "../core/operation/operation.ts";
import type { ReleaseCheckName } from "../core/kind/releases.ts";
import { createCachedReader } from "../lifecycle/reader.ts";
import type { Session } from "../reconciler/sessions.ts";
import type { AskApi } from "./checks.ts";
import { runQueryCheck } from "./query-check.ts";
import { releasesOf } from "./snapshot.ts";

/** Creates the function that answers API checks through a session. Each call reads the live state again. */
export function createApiChecks(session: Session, signal: AbortSignal | undefined): AskApi {
  const kinds = new Map(session.desired.objects.map(({ address, kind }) => [address, kind]));
  return async (apiCheck, { address, id }, { version, timeoutMs }) => {
    const kind = kinds.get(address);
    if (kind === undefined || id === undefined) {
      return { passed: false, message: "does not exist" };
    }
    const ask = async (name: ReleaseCheckName) => {
      const check = releasesOf(kind).checks[name];
      requireOffered(session, name, check.needs);
      return check.run(createCachedReader(session.client.reader, { signal }), id, version);
    };
    if (apiCheck.of === "api") return ask(apiCheck.name);
    // Until production has a build of the version, it answers with the build of the version before.
    const built = await ask("build");
    if (built?.passed !== true) return built;
    const { client } = session;
    return runQueryCheck(client, apiCheck.query, { deploymentId: Number(id), timeoutMs, signal });
  };
}

/** Throws `not_offered` if the server lacks an operation of a check. */
function requireOffered(
  session: Session,
  name: ReleaseCheckName,
  needs: readonly Operation<RequestShape, unknown, "read">[],
): void {
  const missing = needs.filter((operation) => !session.apiDiscovery.has(operation));
  if (missing.length === 0) return;
  throw new Failure("not_offered", `this server cannot answer the check ${name}`, {
    details: { operations: missing.map((operation) => operation.id) },
    remedy: "Remove the check from the pipeline, or use a server that offers the operations.",
  });
}
