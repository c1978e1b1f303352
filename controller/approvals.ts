// Held plans, which wait for a decision about their deletes and replacements, and the decisions: files in the state folder.
import { rmSync } from "node:fs";
import path from "node:path";
import { type Static, Type } from "typebox";
import { Failure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { declaredValidator } from "../core/schema/validate.ts";
import { digest } from "../reconciler/sessions.ts";
import type { Change } from "../reconciler/index.ts";
import { readStateFile, writeForController, writeStateFile } from "./state-files.ts";

const heldPlanSchema = Type.Object({
  plan: Type.String(),
  deletes: Type.Integer(),
  changes: Type.Array(Type.String()),
});
const decisionSchema = Type.Object({
  verdict: Type.Enum(["approved", "rejected"]),
  plan: Type.String(),
  by: Type.String(),
  reason: Type.Optional(Type.String()),
  at: Type.String(),
});

for (const schema of [heldPlanSchema, decisionSchema]) declaredValidator(schema);

/** A plan that waits for a decision. */
export type HeldPlan = Static<typeof heldPlanSchema>;

/** The decision about a held plan. A later one replaces it. */
export type PlanDecision = Static<typeof decisionSchema>;

/** Returns a short id of the changes that need an approval. Any difference in them changes the id. */
export function heldPlanId(changes: readonly Change[]): string {
  const parts = changes.map(({ action, address, id, precondition, desired, cascadeCounts }) => {
    return { action, address, id, precondition, desired, cascadeCounts };
  });
  return digest(JSON.parse(JSON.stringify(parts)) as JsonValue).slice(0, 12);
}

/** Saves the held plan of a source. Undefined removes it, with the decision. */
export function saveHeldPlan(folder: string, waiting: HeldPlan | undefined): void {
  if (waiting !== undefined) return writeStateFile(heldPlanFile(folder), waiting);
  rmSync(heldPlanFile(folder), { force: true });
  rmSync(decisionFile(folder), { force: true });
}

/** Returns the held plan of a source. */
export function readHeldPlan(folder: string): HeldPlan | undefined {
  return readStateFile(heldPlanFile(folder), heldPlanSchema);
}

/** Returns the decision about this plan unless it has expired, or is in the future because the clock was set back. */
export function decisionOf(folder: string, plan: string, now: Date): PlanDecision | undefined {
  const decision = readStateFile(decisionFile(folder), decisionSchema);
  if (decision?.plan !== plan) return undefined;
  const age = now.getTime() - Date.parse(decision.at);
  const lifetime =
    decision.verdict === "approved" ? limits.controllerApprovalMs : limits.controllerRejectionMs;
  return Math.abs(age) <= lifetime ? decision : undefined;
}

/**
 * Approves or rejects the held plan of a source. Fails with `not_found` if there is none, with `stale` if it is another plan,
 * and with `forbidden` if the controller could not read the file.
 */
export function decideHeldPlan(folder: string, decision: PlanDecision): HeldPlan {
  const waiting = readHeldPlan(folder);
  if (waiting === undefined) {
    throw new Failure("not_found", "the source has no held plan", {
      remedy: "The plan may have been applied, or the controller uses another state folder.",
    });
  }
  if (waiting.plan !== decision.plan) {
    const now = `${waiting.plan} (${waiting.changes.join(", ")})`;
    throw new Failure("stale", `the source now holds another plan: ${now}`, {
      remedy: "Review that plan, and decide about it by its id.",
    });
  }
  writeForController(decisionFile(folder), decision);
  return waiting;
}

function heldPlanFile(folder: string): string {
  return path.join(folder, "held-plan.json");
}

function decisionFile(folder: string): string {
  return path.join(folder, "decision.json");
}
