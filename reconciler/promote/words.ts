// What people say of a stage: approve, hold, release. Each is one step of the record, also while a promotion runs.
import { hasErrors } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import { actorOf, type PipelineOptions, termsFor } from "./terms.ts";
import { candidateOf } from "./candidate.ts";
import type { Basis } from "./basis.ts";
import { withdrawn } from "./decide.ts";
import { loadStack } from "../manifest/load.ts";
import { type OpenOptions, openStores } from "../inventory/open.ts";
import { type Change, changeRecord, recordStore } from "./keeper.ts";
import { pipelineIn, plainVersion, refused, stageOf } from "./named.ts";
import { stageRecord } from "./record.ts";
import { type Verdict, withSession } from "../session.ts";
import { approved, held, released, type Said } from "./transitions.ts";
import { lookAt } from "./world.ts";

/** What {@link approve}, {@link hold} and {@link release} name. */
export interface StageWord extends PipelineOptions {
  readonly stage: string;
  /** Why, for whoever asks. */
  readonly reason?: string | undefined;
}

/** The same for what asks no server. */
export type RecordedWord = Omit<StageWord, "connection" | "may"> & Pick<OpenOptions, "connection">;

/** Lets a version into a stage; its candidate where none is named. Answers the version. */
export async function approve(
  options: StageWord & { readonly version?: string | undefined },
): Promise<Verdict<{ readonly version: string }>> {
  return withSession<{ version: string }>(options, async (session, diagnostics) => {
    const pipeline = pipelineIn(session, options);
    const stage = stageOf(pipeline, options.stage);
    const world = await lookAt(session, pipeline, options.signal);
    const named = options.version === undefined ? undefined : plainVersion(options.version);
    const terms = termsFor(session, options);
    let version = "";
    await changeRecord(
      await recordStore(session),
      { pipeline: pipeline.name, purpose: "approve" },
      (record) => {
        const basis: Basis = { pipeline, world, record, terms };
        const found = named ?? candidateOf(stage, basis).version;
        if (found === undefined) throw refused(`nothing is there to be approved for ${stage.name}`);
        const [gone] = withdrawn({ stage, basis }, found);
        if (gone !== undefined) throw refused(gone.said);
        version = found;
        return approved(record, { ...saidBy(options, session.desired.stack), version });
      },
    );
    return { ok: true, version, diagnostics };
  });
}

/**
 * Keeps every version out of a stage until it is released: candidates, and what is coming in right now, whose run sees it before
 * its next batch. Asks a server only where that keeps the inventory. Fails with `usage` without a reason.
 */
export async function hold(
  options: RecordedWord & { readonly reason: string },
): Promise<Verdict<object>> {
  const reason = options.reason.trim();
  if (reason === "")
    throw new Failure("usage", "a hold needs a reason, for whoever it keeps waiting");
  return recording(options, "hold", (said) => (now) => held(now, { ...said, reason }));
}

/** Lets versions into a stage again. Asks a server only where that keeps the inventory. */
export async function release(options: RecordedWord): Promise<Verdict<object>> {
  return recording(options, "release", (said) => (now) => {
    if (stageRecord(now, said.stage).hold !== undefined) return released(now, said);
    throw new Failure("not_found", `nobody holds ${said.stage}`);
  });
}

async function recording(
  options: RecordedWord,
  purpose: string,
  change: (said: Said) => Change,
): Promise<Verdict<object>> {
  const { desired, diagnostics } = await loadStack(options);
  if (desired === undefined || hasErrors(diagnostics)) return { ok: false, diagnostics };
  const pipeline = pipelineIn({ desired }, options);
  const { name: stage } = stageOf(pipeline, options.stage);
  await using stores = openStores(desired.stack, options);
  const said = saidBy({ ...options, stage }, desired.stack);
  await changeRecord(await recordStore(stores), { pipeline: pipeline.name, purpose }, change(said));
  return { ok: true, diagnostics };
}

function saidBy(
  options: Pick<StageWord, "stage" | "reason" | "by" | "now">,
  stack: Parameters<typeof actorOf>[1],
): Said {
  const { stage, reason } = options;
  return { ...actorOf(options, stack), stage, reason };
}
