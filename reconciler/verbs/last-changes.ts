// Who last changed objects on the server, from its audit log, as notes on a plan.
import { listAuditLogs } from "../../api/audit-logs.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { isFailure } from "../../core/errors.ts";
import { parseKey, readableKey } from "../../core/identity.ts";
import { type Kind, kindsByName, type ObservedObject } from "../../core/kind.ts";
import { limits } from "../../core/limits.ts";
import type { AnswerOf } from "../../core/operation.ts";
import type { Inventory, Plan } from "../model/index.ts";
import { type AuditSource, auditSourceOf } from "./audit-source.ts";
import type { PlannedSession, Session } from "./session.ts";

/** An object as the audit log names it. */
interface ObjectName {
  readonly objectType: string;
  /** Undefined if there is one object of the type in the account. */
  readonly objectId?: string;
}

/** An object whose name is unique in its deployment, or in the account if the deployment is undefined. */
interface PlacedName {
  readonly name: ObjectName;
  readonly deploymentId: number | undefined;
}

type AuditEntry = AnswerOf<typeof listAuditLogs>;

/** What is known about an object before the last change. */
interface KnownObject {
  /** Its natural key at the server. */
  readonly key: string;
  readonly observed: ObservedObject | undefined;
  readonly entry: Inventory["entries"][string] | undefined;
}

/** The plan, and the recorded and live state behind it. */
type PlannedObjects = Pick<PlannedSession, "plan" | "inventory" | "live">;

/** Returns the addresses of objects that changed on the server since the last apply. */
export function changedOnServer({ changes }: Plan): readonly string[] {
  return changes.flatMap(({ address, action, direction }) =>
    action !== "none" && direction !== "pending" ? [address] : [],
  );
}

/** Adds a note about who last changed each of the objects, as far as the server reports it; only the first ones of many. */
export async function withLastChanges(
  session: Session,
  planned: PlannedObjects,
  addresses: readonly string[],
): Promise<Plan> {
  const { plan } = planned;
  if (!session.apiDiscovery.has(listAuditLogs)) return plan;
  const notes: Diagnostic[] = [];
  for (const address of addresses.slice(0, limits.lastChangesShown)) {
    try {
      const last = await lastEntry(session, planned, address);
      if (last !== undefined) notes.push(noteOn(address, last));
    } catch (error) {
      if (!isFailure(error)) throw error;
      const summary = `who changed the objects is not shown: ${error.message}`;
      notes.push({ code: "last-change", severity: "info", summary });
      break;
    }
  }
  return { ...plan, diagnostics: [...plan.diagnostics, ...notes] };
}

function noteOn(address: string, entry: AuditEntry): Diagnostic {
  const { userEmail, username, apiKeyName, credential, createdAt, eventName } = entry;
  const who = userEmail ?? username ?? "the service";
  const key = apiKeyName ?? credential;
  const how = key === "" ? "" : ` with ${apiKeyName === undefined ? "" : "the API key "}${key}`;
  return {
    code: "last-change",
    severity: "info",
    summary: `last changed by ${who}${how} at ${createdAt}: ${eventName}`,
    address,
  };
}

/** Returns the newest entry about an object; undefined if there is none, or nothing identifies the object. */
async function lastEntry(
  session: Session,
  planned: PlannedObjects,
  address: string,
): Promise<AuditEntry | undefined> {
  const change = planned.plan.changes.find((one) => one.address === address);
  const entry = planned.inventory.entries[address];
  const desired = session.desired.objects.find((one) => one.address === address);
  const kind = kindsByName(session.kinds).get(
    change?.kind ?? entry?.kind ?? desired?.kind.name ?? "",
  );
  const source = kind && auditSourceOf(kind, session.kinds);
  if (kind === undefined || source === undefined) return undefined;
  const key = change?.from?.key ?? entry?.key ?? change?.key ?? desired?.key ?? "";
  const observed = planned.live.get(kind.name)?.byKey.get(key);
  const placed =
    nameInDeployment(kind, source, { key, live: planned.live }) ??
    withoutDeployment(objectName(source, { key, observed, entry }));
  if (placed === undefined) return undefined;
  const { name, deploymentId } = placed;
  const first = deploymentId === undefined ? 1 : limits.lastChangesRead;
  const found: AuditEntry[] = [];
  for (const eventName of source.eventNames ?? [undefined]) {
    const query = { ...name, ...(eventName !== undefined && { eventName }), first };
    found.push(...(await session.client.page(listAuditLogs, { query })).items);
  }
  return found
    .filter((one) => deploymentId === undefined || one.deploymentId === deploymentId)
    .toSorted((one, other) => other.id - one.id)[0];
}

function withoutDeployment(name: ObjectName | undefined): PlacedName | undefined {
  return name && { name, deploymentId: undefined };
}

/** Returns the name of an object that its deployment has once; undefined for other types, or an unknown deployment. */
function nameInDeployment(
  kind: Kind,
  { objectType, idParameter = "" }: AuditSource,
  { key, live }: { readonly key: string } & Pick<PlannedSession, "live">,
): PlacedName | undefined {
  if (!kind.key.includes(idParameter) || !kind.scope.includes("deployment")) return undefined;
  const fields = parseKey(kind, key);
  const objectId = fields?.[idParameter];
  // Another object of the deployment tells its ID where this one is gone.
  const beside = [...(live.get(kind.name)?.byKey.values() ?? [])].find(
    ({ spec }) => spec["deployment"] === fields?.["deployment"],
  );
  const deploymentId = beside?.status["deploymentId"];
  if (typeof objectId !== "string" || typeof deploymentId !== "number") return undefined;
  return { name: { objectType, objectId }, deploymentId };
}

/** Returns the query for the entries about an object; undefined if its ID is not known. */
function objectName(
  { objectType, idParameter, eventNames }: AuditSource,
  { key, observed, entry }: KnownObject,
): ObjectName | undefined {
  if (idParameter === undefined) return { objectType };
  const parentId = observed?.status[idParameter];
  const ownId = /^id$|Id$/u.test(idParameter) ? (observed?.id ?? entry?.id) : readableKey(key);
  const id = eventNames === undefined ? ownId : parentId;
  const isText = typeof id === "string" || typeof id === "number";
  return isText ? { objectType, objectId: `${id}` } : undefined;
}
