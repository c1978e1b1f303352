// Reads and writes held plans, which wait for an approval of their deletes and replacements, and the approvals: files in the
// state folder.
import { chownSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { type Static, Type } from "typebox";
import { Failure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { declaredValidator, validator } from "../core/schema/validate.ts";
import { isPermissionError, systemErrorText } from "../core/system/system-error.ts";
import { makePrivateFolder, readIfExists, writeAtomically } from "../files/atomic-files.ts";
import { digest } from "../reconciler/sessions.ts";
import type { Change } from "../reconciler/index.ts";

const heldPlanSchema = Type.Object({
  plan: Type.String(),
  deletes: Type.Integer(),
  changes: Type.Array(Type.String()),
});
const approvalSchema = Type.Object({
  plan: Type.String(),
  by: Type.String(),
  reason: Type.Optional(Type.String()),
  at: Type.String(),
});

for (const schema of [heldPlanSchema, approvalSchema]) declaredValidator(schema);

/** A plan that waits for an approval. */
export type HeldPlan = Static<typeof heldPlanSchema>;

/** The approval of a held plan. */
export type PlanApproval = Static<typeof approvalSchema>;

/** Returns a short id of the changes that need an approval. Any difference in them changes the id. */
export function heldPlanId(changes: readonly Change[]): string {
  const parts = changes.map(({ action, address, id, precondition, desired, cascadeCounts }) => {
    return { action, address, id, precondition, desired, cascadeCounts };
  });
  return digest(JSON.parse(JSON.stringify(parts)) as JsonValue).slice(0, 12);
}

/** Saves the held plan of a source. Undefined removes it, with its approval. */
export function saveHeldPlan(folder: string, waiting: HeldPlan | undefined): void {
  if (waiting !== undefined) return write(heldPlanFile(folder), waiting);
  rmSync(heldPlanFile(folder), { force: true });
  rmSync(approvalFile(folder), { force: true });
}

/** Returns the held plan of a source. */
export function readHeldPlan(folder: string): HeldPlan | undefined {
  return read(heldPlanFile(folder), heldPlanSchema);
}

/** Returns the approval of this plan unless it is older than a day, or in the future because the clock was set back. */
export function approvalOf(folder: string, plan: string, now: Date): PlanApproval | undefined {
  const found = read(approvalFile(folder), approvalSchema);
  if (found?.plan !== plan) return undefined;
  const age = now.getTime() - Date.parse(found.at);
  return Math.abs(age) <= limits.controllerApprovalMs ? found : undefined;
}

/**
 * Approves the held plan of a source. Fails with `not_found` if there is none, with `stale` if it is another plan, and with
 * `forbidden` if the controller could not read the file.
 */
export function approveHeldPlan(folder: string, approved: PlanApproval): HeldPlan {
  const waiting = readHeldPlan(folder);
  if (waiting === undefined) {
    throw new Failure("not_found", "the source has no held plan", {
      remedy: "The plan may have been applied, or the controller uses another state folder.",
    });
  }
  if (waiting.plan !== approved.plan) {
    const now = `${waiting.plan} (${waiting.changes.join(", ")})`;
    throw new Failure("stale", `the source now holds another plan: ${now}`, {
      remedy: "Review that plan, and approve it by its id.",
    });
  }
  write(approvalFile(folder), approved, (file) => giveToOwner(file, folder));
  return waiting;
}

/** Gives the file to the owner of the folder: the controller may run as another user and has to read it. */
function giveToOwner(file: string, folder: string): void {
  const { uid, gid } = statSync(folder);
  if (statSync(file).uid === uid) return;
  try {
    chownSync(file, uid, gid);
  } catch (cause) {
    throw new Failure("forbidden", "the controller could not read the approval of another user", {
      cause,
      remedy: `Approve as the user that the controller runs as, the owner of ${folder}.`,
    });
  }
}

function heldPlanFile(folder: string): string {
  return path.join(folder, "held-plan.json");
}

function approvalFile(folder: string): string {
  return path.join(folder, "approval.json");
}

function write(
  file: string,
  value: HeldPlan | PlanApproval,
  beforeRename?: (temporary: string) => void,
): void {
  makePrivateFolder(path.dirname(file));
  writeAtomically(file, [JSON.stringify(value)], { ...(beforeRename && { beforeRename }) });
}

/**
 * Reads a file. Invalid content counts as a missing file: the next reconciliation writes it again. Fails with
 * `forbidden` or `unavailable` if the file exists and cannot be read.
 */
function read<T extends typeof heldPlanSchema | typeof approvalSchema>(
  file: string,
  form: T,
): Static<T> | undefined {
  const value = parseJson(readText(file) ?? "null");
  return validator(form)(value).length === 0 ? (value as Static<T>) : undefined;
}

function readText(file: string): string | undefined {
  try {
    return readIfExists(file);
  } catch (cause) {
    throw new Failure(
      isPermissionError(cause) ? "forbidden" : "unavailable",
      `${file} cannot be read: ${systemErrorText(cause)}`,
      {
        cause,
        remedy: "Make the user that the controller runs as the owner of the file and its folder.",
      },
    );
  }
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
