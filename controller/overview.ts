// The state of each source as people see it: from its last reconciliation and from the documents of the state.
import type { HeldInfo, SourceOverview } from "./api-types.ts";
import { decisionDocument, decisionOf, heldPlanDocument, readHeldPlan } from "./held-plans.ts";
import type { ControllerConfig, Source } from "./config.ts";
import { suspensionIn } from "./controller-options.ts";
import { diagnosticText, type ReconciliationEvent } from "./events.ts";
import {
  healthOf,
  historyDocument,
  isReconciliation,
  type LastReconciliation,
  lastOf,
  readHistory,
} from "./history.ts";
import { orderOf } from "./order.ts";
import { roundDocument, roundOf } from "./rounds.ts";
import { withSavedSources } from "./pattern-sources.ts";
import { type Documents, documentsOf, loadedStore } from "./state-store.ts";
import { suspensionDocument } from "./suspensions.ts";

/** Returns the states of sources. What operators decided counts before the controller has reconciled them again. */
export async function overviewsOf(
  config: ControllerConfig,
  sources: readonly Source[],
  {
    findLast,
    now,
  }: {
    readonly findLast: (source: Source) => Promise<LastReconciliation | undefined>;
    readonly now: Date;
  },
): Promise<readonly SourceOverview[]> {
  const patterns = new Set(sources.flatMap(({ pattern }) => pattern ?? []));
  const read = [...sources, ...[...patterns].map((name) => ({ name }))];
  const types = [suspensionDocument, heldPlanDocument, decisionDocument, roundDocument];
  const loaded = { ...config, store: await loadedStore(config.store, read, types) };
  const order = orderOf(config.sources);
  return Promise.all(
    sources.map(async (source) => ({
      ...(await overviewOf(loaded, source, { last: await findLast(source), now })),
      order: order.get(source.name),
    })),
  );
}

async function overviewOf(
  config: ControllerConfig,
  source: Source,
  { last, now }: { readonly last: LastReconciliation | undefined; readonly now: Date },
): Promise<Omit<SourceOverview, "order">> {
  const { name, stack, mode, pattern } = source;
  const suspension = await suspensionIn(config, source, now);
  const { event, since } = last ?? {};
  const health = event === undefined ? "unknown" : healthOf(event);
  return {
    name,
    stack,
    mode,
    from: originOf(source),
    health: suspension === undefined ? health : "suspended",
    pattern,
    result: event?.result,
    commit: last?.commit,
    since,
    time: event?.time,
    next: event?.next,
    opens: event?.opens,
    drift: event?.drift,
    failure: event && failureOf(event),
    running: await roundOf(documentsOf(config, source), now),
    suspension,
    held: await heldOf(documentsOf(config, source), now),
  };
}

/** Returns where the manifests of a source are. */
export function originOf({ git, folder }: Source): SourceOverview["from"] {
  return git === undefined ? { folder } : { url: git.url, ref: git.ref, path: git.path };
}

/** Returns the state of each source from the saved state alone, whether a controller runs or not. */
export async function savedOverviews(
  configured: ControllerConfig,
  now: Date,
): Promise<readonly SourceOverview[]> {
  const config = await withSavedSources(configured);
  const { sources } = config;
  const store = await loadedStore(config.store, sources, [historyDocument]);
  return overviewsOf(config, sources, {
    findLast: async (source) =>
      lastOf((await readHistory(documentsOf({ store }, source))).filter(isReconciliation)),
    now,
  });
}

/** Returns why a source fails or waits: of manifests with errors, the first. */
function failureOf({ failure, result, diagnostics = [] }: ReconciliationEvent) {
  const error = diagnostics.find(({ severity }) => severity === "error");
  if (failure !== undefined || result !== "invalid" || error === undefined) return failure;
  const { code, remedy } = error;
  return { code, message: diagnosticText(error), remedy };
}

async function heldOf(documents: Documents, now: Date): Promise<HeldInfo | undefined> {
  const held = await readHeldPlan(documents);
  if (held === undefined) return undefined;
  const { plan, deletes, changes, others } = held;
  const decision = await decisionOf(documents, plan, now);
  if (decision === undefined) return { plan, deletes, changes, others };
  const { verdict, by, reason, at } = decision;
  return { plan, deletes, changes, others, decision: { verdict, by, reason, at } };
}
