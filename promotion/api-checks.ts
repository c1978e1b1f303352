// Asks the API about the objects of a stage, for checks that need no grant: they use the connection of the promotion.
import { Failure } from "../core/errors.ts";
import { createCachedReader } from "../lifecycle/reader.ts";
import type { Session } from "../reconciler/sessions.ts";
import type { AskApi } from "./checks.ts";
import { releasesOf } from "./snapshot.ts";

/** Returns how a session answers the checks. Each question reads the live state again. */
export function createApiChecks(session: Session, signal: AbortSignal | undefined): AskApi {
  const kinds = new Map(session.desired.objects.map(({ address, kind }) => [address, kind]));
  return async (name, { address, id }, version) => {
    const kind = kinds.get(address);
    if (kind === undefined || id === undefined) {
      return { passed: false, message: "does not exist" };
    }
    const check = releasesOf(kind).checks[name];
    const missing = check.needs.filter((operation) => !session.apiDiscovery.has(operation));
    if (missing.length > 0) {
      throw new Failure("not_offered", `this server cannot answer the check ${name}`, {
        details: { operations: missing.map((operation) => operation.id) },
        remedy: "remove the check from the pipeline, or use a server that offers the operations",
      });
    }
    return check.run(createCachedReader(session.client.reader, { signal }), id, version);
  };
}
