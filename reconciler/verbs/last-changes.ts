// Adds notes to a plan about who last changed objects on the server, from its audit log.
import { listAuditLogs } from "../../api/audit-logs.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { isFailure } from "../../core/errors.ts";
import { fieldsOf, isSensitive } from "../../core/kind/fields.ts";
import { hiddenValue } from "../../core/spec/hide-secrets.ts";
import { parseKey } from "../../core/kind/identity.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import type { AnswerOf } from "../../core/operation/operation.ts";
import { shellQuote } from "../../core/text/shell-quote.ts";
import { unreadableFields } from "../engine/unreadable-fields.ts";
import type { DesiredObject, Entry, Plan } from "../model/index.ts";
import { type AuditSource, auditSourceOf } from "./audit-source.ts";
import type { PlannedSession, Session } from "./session.ts";

/** An object as the audit log names it. */
interface ObjectName {
  readonly objectType: string;
  /** Undefined if there is one object of the type in the account. */
  readonly objectId?: string;
  /** The deployment in which the ID is unique; undefined for the account. */
  readonly deploymentId?: number;
}

type AuditEntry = AnswerOf<typeof listAuditLogs>;

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
  return withNotes(session, planned, {
    addresses,
    isWanted: () => true,
    noteOf: noteOn,
  });
}

/**
 * Adds a warning for each of the objects with a secret that the API does not return, if the server recorded that it was
 * written more than a minute after the last apply of the object; only the first ones of many. Their live values cannot be compared.
 */
export async function withSecretsWritten(
  session: Session,
  planned: PlannedObjects,
  addresses: readonly string[],
): Promise<Plan> {
  const { entries } = planned.inventory;
  const hidden = new Map(
    session.desired.objects.flatMap((desired): [string, UnreadableSecrets][] => {
      const { address } = desired;
      const entry = Object.hasOwn(entries, address) ? entries[address] : undefined;
      const fields = unreadableSecrets(desired);
      return entry === undefined || fields.length === 0 ? [] : [[address, { fields, entry }]];
    }),
  );
  return withNotes(session, planned, {
    addresses: addresses.filter((address) => hidden.has(address)),
    isWanted: writesSecret,
    noteOf: (address, last) => {
      const note = hidden.get(address);
      return note && secretWrittenNote(address, last, note);
    },
    unreadNote: secretsNotCheckedNote,
  });
}

function secretsNotCheckedNote(count: number): Diagnostic {
  return {
    code: "not-verifiable",
    severity: "info",
    summary: `the audit log was read for the secrets of ${limits.lastChangesShown} objects, and not for those of ${count} more`,
    remedy: "`svc why` reads it for one object.",
  };
}

/** The secrets of an object that the API does not return, and its last apply. */
interface UnreadableSecrets {
  readonly fields: readonly string[];
  readonly entry: Pick<Entry, "appliedAt">;
}

function unreadableSecrets({ kind, spec }: DesiredObject): readonly string[] {
  const unreadable = new Set(unreadableFields(kind, spec));
  return fieldsOf(kind)
    .filter(({ name, traits }) => unreadable.has(name) && isSensitive(traits))
    .map(({ name }) => name);
}

/** Returns whether an entry shows that a secret was written. */
function writesSecret({ before, after }: AuditEntry): boolean {
  return [before, after].some((values) => Object.values(values ?? {}).includes(hiddenValue));
}

function secretWrittenNote(
  address: string,
  last: AuditEntry,
  { fields, entry: { appliedAt } }: UnreadableSecrets,
): Diagnostic | undefined {
  // Two machines took the times: the write of the apply itself can seem to be later.
  const laterMs = Date.parse(last.createdAt) - Date.parse(appliedAt);
  if (laterMs <= limits.lastChangesClockSkewMs) return undefined;
  return {
    code: "not-verifiable",
    severity: "warning",
    summary: `${fields.join(", ")} cannot be verified, and the object was changed after the last apply at ${appliedAt}: ${callText(last)}`,
    remedy: `Check the value; apply writes it again after a change of the value in the manifest, or with --replace ${shellQuote(address)}, which deletes the object and creates it again.`,
    address,
  };
}

/** The notes to add: about which objects, from the newest matching entry of each. */
interface NotesWanted {
  readonly addresses: readonly string[];
  readonly isWanted: (entry: AuditEntry) => boolean;
  readonly noteOf: (address: string, entry: AuditEntry) => Diagnostic | undefined;
  /** Returns the note for objects that are too many to read the audit log for; none by default. */
  readonly unreadNote?: (count: number) => Diagnostic;
}

/** Adds a note for each of the objects; one that says so if the audit log cannot be read. */
async function withNotes(
  session: Session,
  planned: PlannedObjects,
  { addresses, isWanted, noteOf, unreadNote }: NotesWanted,
): Promise<Plan> {
  const { plan } = planned;
  const isRefused = plan.diagnostics.some(
    ({ code, address }) => code === "last-change" && address === undefined,
  );
  if (isRefused || !session.apiDiscovery.has(listAuditLogs)) return plan;
  const notes: Diagnostic[] = [];
  for (const address of addresses.slice(0, limits.lastChangesShown)) {
    try {
      const last = await lastEntry(session, planned, { address, isWanted });
      const note = last && noteOf(address, last);
      if (note !== undefined) notes.push(note);
    } catch (error) {
      if (!isFailure(error)) throw error;
      const summary = `who changed the objects is not shown: ${error.message}`;
      notes.push({ code: "last-change", severity: "info", summary });
      return withDiagnostics(plan, notes);
    }
  }
  const unread = addresses.length - limits.lastChangesShown;
  if (unread > 0 && unreadNote !== undefined) notes.push(unreadNote(unread));
  return withDiagnostics(plan, notes);
}

function withDiagnostics(plan: Plan, added: readonly Diagnostic[]): Plan {
  return { ...plan, diagnostics: [...plan.diagnostics, ...added] };
}

function noteOn(address: string, entry: AuditEntry): Diagnostic {
  const summary = `last changed ${callText(entry)}`;
  return { code: "last-change", severity: "info", summary, address };
}

/** Returns who made a call, when, and which. */
function callText(entry: AuditEntry): string {
  const { userEmail, username, apiKeyName, credential, createdAt, eventName } = entry;
  const who = userEmail ?? username ?? "the service";
  const key = apiKeyName ?? credential;
  const how = key === "" ? "" : ` with ${apiKeyName === undefined ? "" : "the API key "}${key}`;
  return `by ${who}${how} at ${createdAt}: ${eventName}`;
}

/** Returns the newest matching entry about a change of an object; undefined if there is none, or nothing identifies the object. */
async function lastEntry(
  session: Session,
  planned: PlannedObjects,
  { address, isWanted }: Pick<NotesWanted, "isWanted"> & { readonly address: string },
): Promise<AuditEntry | undefined> {
  const change = planned.plan.changes.find((item) => item.address === address);
  const entry = planned.inventory.entries[address];
  const desired = session.desired.objects.find((object) => object.address === address);
  const kind = kindsByName(session.kinds).get(
    change?.kind ?? entry?.kind ?? desired?.kind.name ?? "",
  );
  if (kind === undefined) return undefined;
  const key = change?.from?.key ?? entry?.key ?? change?.key ?? desired?.key ?? "";
  const observed = planned.live.get(kind.name)?.byKey.get(key);
  const name = objectName(kind, auditSourceOf(kind), {
    key,
    id: observed?.id ?? entry?.id,
    live: planned.live,
  });
  if (name === undefined) return undefined;
  const newest = await newestChange(session, name, isWanted);
  // A cascading delete writes no entry for the object: its newest entry is older and is not a delete.
  return observed === undefined && newest !== undefined && !isDelete(kind, newest)
    ? undefined
    : newest;
}

/**
 * Returns whether a call can have deleted the object: nothing is shown of it afterwards, or it is the operation for that. A call
 * for several objects, which comes second, may also change them.
 */
function isDelete({ bindings }: Kind, { after = {}, eventName }: AuditEntry): boolean {
  const isEmpty = Object.keys(after).length === 0;
  return isEmpty || bindings.delete[0]?.operation.id === eventName;
}

/** Returns the newest matching entry about a change of an object; undefined if none of those that are read is one. */
async function newestChange(
  { client, apiDiscovery }: Session,
  { deploymentId, ...name }: ObjectName,
  isWanted: (entry: AuditEntry) => boolean,
): Promise<AuditEntry | undefined> {
  const first = limits.lastChangesPerPage;
  // An older server lists the calls that changed nothing too.
  const changed = apiDiscovery.takesQuery(listAuditLogs, "changed") && { changed: true };
  const query = { ...name, ...changed };
  let after: string | undefined;
  for (let page = 0; page < limits.lastChangesPages; page++) {
    const place = after === undefined ? { first } : { first, after };
    const { items, pageInfo } = await client.page(listAuditLogs, { query: { ...query, ...place } });
    const entry = items.find(
      (item) =>
        !isUnchanged(item) &&
        isWanted(item) &&
        // The server finds an ID in any case.
        (name.objectId === undefined || item.objectIds.includes(name.objectId)) &&
        (deploymentId === undefined || item.deploymentId === deploymentId),
    );
    after = pageInfo.hasNextPage ? pageInfo.endCursor : undefined;
    if (entry !== undefined || after === undefined) return entry;
  }
  return undefined;
}

/** Returns whether an entry is about a call that did not change the object, such as a token for it. */
function isUnchanged({ before, after }: AuditEntry): boolean {
  return [before, after].every(
    (values) => values !== undefined && Object.keys(values).length === 0,
  );
}

/** Returns the query for the entries about an object; undefined if its ID is not known. */
function objectName(
  kind: Kind,
  { objectType, names }: AuditSource,
  { key, id, live }: { readonly key: string; readonly id: string | undefined } & LiveObjects,
): ObjectName | undefined {
  if (names === "nothing") return { objectType };
  if (names === "id" && id !== undefined) return { objectType, objectId: id };
  const fields = parseKey(kind, key) ?? {};
  const { deployment } = fields;
  const deploymentId = typeof deployment === "string" ? idOf(deployment, live) : undefined;
  if (names === "id") {
    // An object that a deployment has once has the ID of the deployment.
    const isOnly = kind.key.length === 1 && deploymentId !== undefined;
    return isOnly ? { objectType, objectId: String(deploymentId) } : undefined;
  }
  const name = kind.key
    .filter((field) => !kind.scope.includes(field))
    .map((field) => fields[field]);
  const [objectId] = name;
  if (typeof objectId !== "string") return undefined;
  if (!kind.scope.includes("deployment")) return { objectType, objectId };
  return deploymentId === undefined ? undefined : { objectType, objectId, deploymentId };
}

type LiveObjects = Pick<PlannedSession, "live">;

/** Returns the ID of a deployment, which the objects in it have too; undefined if the run read none of them. */
function idOf(deployment: string, live: LiveObjects["live"]): number | undefined {
  for (const { byKey } of live.values()) {
    for (const { spec, status } of byKey.values()) {
      const id = status["deploymentId"];
      if (spec["deployment"] === deployment && typeof id === "number") return id;
    }
  }
  return undefined;
}
