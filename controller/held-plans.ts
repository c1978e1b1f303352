// Held plans, which wait for a decision about their deletes and replacements, and the decisions: documents of the state.
import { type Static, Type } from "typebox";
import { Failure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { declaredValidator } from "../core/schema/validate.ts";
import { digest } from "../reconciler/sessions.ts";
import type { Plan } from "../reconciler/index.ts";
import type { Documents } from "./state-store.ts";

const heldPlanSchema = Type.Object({
  plan: Type.String(),
  deletes: Type.Integer(),
  changes: Type.Array(Type.String()),
  /** Number of the changes of the plan that are not in `changes`. */
  others: Type.Optional(Type.Integer()),
});
const decisionSchema = Type.Object({
  verdict: Type.Enum(["approved", "rejected"]),
  plan: Type.String(),
  by: Type.String(),
  reason: Type.Optional(Type.String()),
  at: Type.String(),
});

for (const schema of [heldPlanSchema, decisionSchema]) declaredValidator(schema);

export const heldPlanDocument = { name: "held-plan", schema: heldPlanSchema } as const;
export const decisionDocument = { name: "decision", schema: decisionSchema } as const;

/** A plan that waits for a decision. */
export type HeldPlan = Static<typeof heldPlanSchema>;

/** The decision about a held plan. A later one replaces it. */
export type PlanDecision = Static<typeof decisionSchema>;

/** Returns the id of a plan. Any difference in its changes changes the id. */
export function heldPlanId({ changes }: Plan): string {
  const made = changes.filter(({ action }) => action !== "none");
  // Whoever writes manifests could find two plans with one shorter id: one to show, and one to apply.
  return digest(JSON.parse(JSON.stringify(made)) as JsonValue).slice(0, 32);
}

/** Saves the held plan of a source. Undefined removes it, with the decision. */
export async function saveHeldPlan(
  documents: Documents,
  waiting: HeldPlan | undefined,
): Promise<void> {
  if (waiting !== undefined) return documents.write(heldPlanDocument, waiting);
  await documents.remove(heldPlanDocument);
  await documents.remove(decisionDocument);
}

/** Returns the held plan of a source. */
export function readHeldPlan(documents: Documents): Promise<HeldPlan | undefined> {
  return documents.read(heldPlanDocument);
}

/** Returns the decision about this plan unless it has expired, or is in the future because the clock was set back. */
export async function decisionOf(
  documents: Documents,
  plan: string,
  now: Date,
): Promise<PlanDecision | undefined> {
  const decision = await documents.read(decisionDocument);
  if (decision?.plan !== plan) return undefined;
  const age = now.getTime() - Date.parse(decision.at);
  const lifetime =
    decision.verdict === "approved" ? limits.controllerApprovalMs : limits.controllerRejectionMs;
  return Math.abs(age) <= lifetime ? decision : undefined;
}

/**
 * Approves or rejects the held plan of a source. Fails with `not_found` if there is none, with `stale` if it is another plan,
 * and with `forbidden` if the controller could not read the decision.
 */
export async function decideHeldPlan(
  documents: Documents,
  decision: PlanDecision,
): Promise<HeldPlan> {
  const waiting = await readHeldPlan(documents);
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
  await documents.write(decisionDocument, decision);
  return waiting;
}
