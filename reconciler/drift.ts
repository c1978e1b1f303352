// Reports the differences between the manifests and the server, who made them, and live objects that no document declares.
import type { Plan } from "./model/index.ts";
import { compareSession } from "./plan.ts";
import { changedOnServer, withLastChanges, withSecretsWritten } from "./verbs/last-changes.ts";
import { unknownBaselineErrors } from "./verbs/missing-inventory.ts";
import { withLastingWarnings } from "./verbs/preflight.ts";
import {
  callsOf,
  type ObjectLocations,
  objectLocations,
  openSession,
  type PlannedSession,
  type Session,
  type VerbOptions,
  type VerbResult,
} from "./verbs/session.ts";
import { findUnmanaged, type Unmanaged } from "./verbs/unmanaged.ts";

/** Result of {@link drift}. */
export interface Drift {
  readonly plan: Plan;
  /** Undeclared objects; undefined if not requested. */
  readonly unmanaged: readonly Unmanaged[] | undefined;
}

/** Options of {@link drift}. */
export interface DriftOptions extends VerbOptions {
  /** Set to report undeclared live objects too. */
  readonly unmanaged?: boolean | undefined;
}

/** Returns the differences between manifests and server, with the lasting warnings that a plan has. Writes nothing. */
export async function drift(options: DriftOptions): Promise<VerbResult<Drift & ObjectLocations>> {
  const opened = await openSession(options);
  if (!opened.ok) return opened;
  await using session = opened.session;
  const compared = await compareSession(session, options);
  if (!compared.ok) return compared;
  const warned = await withLastingWarnings(compared.plan, session, options.signal);
  const unknown = unknownBaselineErrors(session, { ...compared, ...warned });
  const reported = { ...warned, diagnostics: [...unknown, ...warned.diagnostics] };
  const authored = await withAuthors(session, { ...compared, plan: reported });

  const { diagnostics } = session;
  const locations = objectLocations(session.desired);
  if (options.unmanaged !== true)
    return { ok: true, plan: authored, unmanaged: undefined, diagnostics, ...locations };
  const { signal } = options;
  const unmanaged = await findUnmanaged(session, { ...compared, signal });
  const readCalls = callsOf(session);
  return {
    ok: true,
    plan: { ...authored, cost: { ...authored.cost, readCalls } },
    unmanaged: unmanaged.objects,
    diagnostics: [...diagnostics, ...unmanaged.diagnostics],
    ...locations,
  };
}

/** Adds who changed the objects on the server, also where the change cannot be seen. */
async function withAuthors(session: Session, planned: PlannedSession): Promise<Plan> {
  const changed = new Set(changedOnServer(planned.plan));
  const plan = await withLastChanges(session, planned, [...changed]);
  const targets = plan.targets ?? session.desired.objects.map(({ address }) => address);
  const others = targets.filter((address) => !changed.has(address));
  return withSecretsWritten(session, { ...planned, plan }, others);
}
