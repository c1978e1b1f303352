// Who last changed objects on the server, from its audit log, as notes on a plan.
import { auditedObject } from "../../api/audited-object.ts";
import { listAuditLogs } from "../../api/audit-logs.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { isFailure } from "../../core/errors.ts";
import { type Kind, kindsByName } from "../../core/kind.ts";
import { limits } from "../../core/limits.ts";
import type { AnswerOf } from "../../core/operation.ts";
import type { Inventory, LiveState, Plan } from "../model/index.ts";
import type { PlannedSession, Session } from "./session.ts";

/** An object as the audit log names it. */
interface ObjectName {
  readonly objectType: string;
  readonly objectId: string;
}

/** The plan, and the recorded and live state behind it. */
type PlannedObjects = Pick<PlannedSession, "plan" | "inventory" | "live">;

/** Returns the addresses of objects that changed on the server since the last apply. */
export function changedOnServer({ changes }: Plan): readonly string[] {
  return changes.flatMap(({ address, action, direction }) =>
    action !== "none" && direction !== "pending" ? [address] : [],
  );
}

/** Adds a note about who last changed each of the objects, as far as the server tells; the first ones of many. */
export async function withLastChanges(
  session: Session,
  planned: PlannedObjects,
  addresses: readonly string[],
): Promise<Plan> {
  const { plan } = planned;
  if (!session.apiDiscovery.has(listAuditLogs)) return plan;
  const notes: Diagnostic[] = [];
  for (const address of addresses.slice(0, limits.lastChangesShown)) {
    const name = nameOf(session, planned, address);
    if (name === undefined) continue;
    try {
      const query = { ...name, first: 1 };
      const { items } = await session.client.page(listAuditLogs, { query });
      notes.push(...items.map((item) => noteOn(address, item)));
    } catch (error) {
      if (!isFailure(error)) throw error;
      const summary = `who changed the objects is not shown: ${error.message}`;
      notes.push({ code: "last-change", severity: "info", summary });
      break;
    }
  }
  return { ...plan, diagnostics: [...plan.diagnostics, ...notes] };
}

function noteOn(address: string, entry: AnswerOf<typeof listAuditLogs>): Diagnostic {
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

/** Returns the name of an object in the audit log; undefined if nothing identifies it. */
function nameOf(
  session: Session,
  planned: PlannedObjects,
  address: string,
): ObjectName | undefined {
  const change = planned.plan.changes.find((one) => one.address === address);
  const entry = planned.inventory.entries[address];
  const desired = session.desired.objects.find((one) => one.address === address);
  const kind = kindsByName(session.kinds).get(
    change?.kind ?? entry?.kind ?? desired?.kind.name ?? "",
  );
  if (kind === undefined) return undefined;
  const key = change?.key ?? desired?.key ?? entry?.key ?? "";
  return objectName(kind, planned.live, { key, entry });
}

function objectName(
  kind: Kind,
  live: LiveState,
  { key, entry }: { key: string; entry: Inventory["entries"][string] | undefined },
): ObjectName | undefined {
  const observed = live.get(kind.name)?.byKey.get(key);
  for (const binding of [...kind.bindings.update, ...kind.bindings.delete]) {
    const { operation } = binding;
    if (!operation.path.endsWith("}")) continue;
    const { type: objectType, idParameter = "" } = auditedObject(operation, false);
    const id = observed?.id ?? entry?.id;
    if (id !== undefined) return { objectType, objectId: id };
    if (observed === undefined) continue;
    const subject = { spec: observed.spec, live: observed, changed: new Set<string>() };
    const value = binding.input([subject], undefined).params?.[idParameter];
    if (value !== undefined) return { objectType, objectId: String(value) };
  }
  return undefined;
}
