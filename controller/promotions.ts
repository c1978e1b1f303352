// The pipelines of a source as its last reconciliation found them: a document of the state, which the API returns.
import { Type } from "typebox";
import { Failure, isFailure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { declaredValidator } from "../core/schema/validate.ts";
import { type PipelineView, viewPipelines } from "../promotion/index.ts";
import type { Stack, VerbOptions } from "../reconciler/index.ts";
import { openStores, type Session } from "../reconciler/sessions.ts";
import type { PipelineReport, RecordedPromotions } from "./api-types.ts";
import type { Source } from "./config.ts";
import { failureEvent } from "./events.ts";
import type { Documents } from "./state-store.ts";

const promotionsSchema = Type.Object({
  time: Type.String(),
  pipelines: Type.Array(Type.Object({})),
  morePipelines: Type.Optional(Type.Integer()),
  failure: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
});

declaredValidator(promotionsSchema);

const promotionsDocument = { name: "promotions", schema: promotionsSchema } as const;

/**
 * Reads the pipelines of a session, as `svc promote status` does. Undefined if the stack has none. A failure is part of the
 * result, so that it fails no reconciliation; that of a stop is thrown.
 */
export async function readPromotions(
  source: Source,
  session: Session,
  options: VerbOptions & { readonly now: () => Date },
): Promise<RecordedPromotions | undefined> {
  const time = options.now().toISOString();
  try {
    const by = `svc controller ${source.name}`;
    const all = (await viewPipelines(session, { ...options, by })).map(reportOf);
    if (all.length === 0) return undefined;
    await requireSharedRecord(source, session.desired.stack, options);
    const pipelines = withinBytes(all);
    const left = all.length - pipelines.length;
    return { time, pipelines, ...(left > 0 && { morePipelines: left }) };
  } catch (error) {
    if (!isFailure(error) || error.code === "aborted") throw error;
    return { time, pipelines: [], failure: failureEvent(error) };
  }
}

/** Fails with `refused` if the record of the pipelines is in a file of a checkout, which nobody else has. */
export async function requireSharedRecord(
  { git }: Source,
  stack: Stack,
  options: Pick<VerbOptions, "env" | "connection">,
): Promise<void> {
  if (git === undefined) return;
  await using stores = openStores(stack, options);
  if ((await stores.place()) !== "file") return;
  throw new Failure("refused", "the record of the pipelines is in a file of a checkout", {
    remedy: "Set inventory: service or postgres in the Stack, so that all share the record.",
  });
}

/** Saves the pipelines of a source; undefined removes them. */
export function savePromotions(
  documents: Documents,
  promotions: RecordedPromotions | undefined,
): Promise<void> {
  if (promotions === undefined) return documents.remove(promotionsDocument);
  return documents.write(promotionsDocument, promotions);
}

/** Returns the pipelines that the last reconciliation of a source has read. */
export async function savedPromotions(
  documents: Documents,
): Promise<RecordedPromotions | undefined> {
  return (await documents.read(promotionsDocument)) as RecordedPromotions | undefined;
}

function reportOf({ status, history, manualActions }: PipelineView): PipelineReport {
  return {
    ...status,
    history: history.slice(0, limits.controllerHistory),
    manualActions: manualActions.slice(0, limits.controllerHistory),
  };
}

/** Returns the first reports that there is room for. */
function withinBytes(reports: readonly PipelineReport[]): readonly PipelineReport[] {
  let room: number = limits.controllerPlanBytes;
  const end = reports.findIndex((report) => (room -= JSON.stringify(report).length) < 0);
  return end === -1 ? reports : reports.slice(0, end);
}
