// Plans, and explains one object: the sources of its fields, its change, and what blocks that.
import { Failure } from "../core/errors.ts";
import { didYouMean } from "../core/text/naming.ts";
import type { Inventory, Plan } from "./model/index.ts";
import { planSession } from "./plan.ts";
import { withLastChanges, withSecretsWritten } from "./verbs/last-changes.ts";
import { explainObject, type ObjectExplanation } from "./verbs/object-explanation.ts";
import {
  type ObjectLocations,
  objectLocations,
  openSession,
  type Session,
  type VerbOptions,
  type VerbResult,
} from "./verbs/session.ts";

/** The object. */
export interface WhyOptions extends VerbOptions {
  /** `Kind/name`. */
  readonly address: string;
}

/**
 * Plans, and explains one object. Writes nothing. Fails with `not_found` if neither a document nor the
 * inventory contains the address.
 */
export async function why(
  options: WhyOptions,
): Promise<VerbResult<{ explanation: ObjectExplanation; plan: Plan } & ObjectLocations>> {
  const opened = await openSession(options);
  if (!opened.ok) return opened;
  await using session = opened.session;
  assertAddressKnown(options.address, session, await session.store.read());
  const result = await planSession(session, options);
  if (!result.ok) return result;
  const addresses = [options.address];
  const dated = { ...result, plan: await withSecretsWritten(session, result, addresses) };
  const planned = { ...result, plan: await withLastChanges(session, dated, addresses) };
  const now = (options.now ?? (() => new Date()))();
  const explanation = explainObject(options.address, { ...planned, session, now });
  const { desired, diagnostics } = session;
  return { ok: true, explanation, plan: planned.plan, diagnostics, ...objectLocations(desired) };
}

function assertAddressKnown(address: string, { desired }: Session, { entries }: Inventory): void {
  const known = [
    ...desired.objects.map((desiredObject) => desiredObject.address),
    ...Object.keys(entries),
  ];
  if (known.includes(address)) return;
  throw new Failure(
    "not_found",
    `stack ${desired.stack.name} neither declares nor owns ${address}`,
    { remedy: didYouMean(address, known) ?? "An address is Kind/name, as plans show it." },
  );
}
