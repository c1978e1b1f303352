// Plans that wait for somebody to approve what they delete and replace, and the approvals: files in the controller's own folder.
import { chownSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { type Static, Type } from "typebox";
import { Failure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { validator } from "../core/validate.ts";
import {
  codeOf,
  makeFolder,
  readIfExists,
  syncFolder,
  writeAtomically,
} from "../reconciler/operator/atomic-write.ts";
import type { Change } from "../reconciler/model/index.ts";
import { digest } from "../reconciler/engine/digest.ts";

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

/** What waits for an approval. */
export type HeldPlan = Static<typeof heldPlanSchema>;

/** What somebody approved. */
export type PlanApproval = Static<typeof approvalSchema>;

/** A short name of the changes of a plan that wait: another as soon as any of it is another, or has changed. */
export function heldPlanId(changes: readonly Change[]): string {
  const parts = changes.map(
    ({ action, address, id, precondition, desired, cascadeCounts: takesAlong }) => {
      return { action, address, id, precondition, desired, takesAlong };
    },
  );
  return digest(JSON.parse(JSON.stringify(parts)) as JsonValue).slice(0, 12);
}

/** Remembers what a source waits for; undefined where it waits no more, and then approvals are over as well. */
export function saveHeldPlan(folder: string, waiting: HeldPlan | undefined): void {
  if (waiting !== undefined) return write(heldPlanFile(folder), waiting);
  rmSync(heldPlanFile(folder), { force: true });
  rmSync(approvalFile(folder), { force: true });
}

/** Who approved just this, if anybody did in the last day. */
export function approvalOf(folder: string, plan: string, now: Date): PlanApproval | undefined {
  const found = read(approvalFile(folder), approvalSchema);
  if (found?.plan !== plan) return undefined;
  const age = now.getTime() - Date.parse(found.at);
  return age <= limits.controllerApprovalMs ? found : undefined;
}

/**
 * Approves what a source waits for. Fails with `not_found` where it waits for nothing, with `stale` where for another plan, and with
 * `forbidden` where the controller could not read it.
 */
export function approveHeldPlan(folder: string, approved: PlanApproval): HeldPlan {
  const waiting = read(heldPlanFile(folder), heldPlanSchema);
  if (waiting === undefined) {
    throw new Failure("not_found", "the source waits for no approval", {
      remedy: "it may be over, or the controller has another state folder",
    });
  }
  if (waiting.plan !== approved.plan) {
    const now = `${waiting.plan} (${waiting.changes.join(", ")})`;
    throw new Failure("stale", `the source waits for another plan by now: ${now}`, {
      remedy: "look at that one, and approve it by its name",
    });
  }
  const fresh = `${approvalFile(folder)}.fresh`;
  write(fresh, approved);
  giveToOwner(fresh, folder);
  renameSync(fresh, approvalFile(folder));
  syncFolder(approvalFile(folder));
  return waiting;
}

/** Whoever approves may be another user than the controller, to whom the folder belongs, and who has to read the file. */
function giveToOwner(file: string, folder: string): void {
  const { uid, gid } = statSync(folder);
  if (statSync(file).uid === uid) return;
  try {
    chownSync(file, uid, gid);
  } catch (cause) {
    rmSync(file, { force: true });
    throw new Failure("forbidden", "the controller could not read the approval of another user", {
      cause,
      remedy: `approve as the user that the controller runs as, who owns ${folder}`,
    });
  }
}

function heldPlanFile(folder: string): string {
  return path.join(folder, "held-plan.json");
}

function approvalFile(folder: string): string {
  return path.join(folder, "approval.json");
}

function write(file: string, value: HeldPlan | PlanApproval): void {
  makeFolder(file);
  writeAtomically(file, [JSON.stringify(value)], () => undefined);
}

/**
 * What is torn or of another version counts as not there: the next round writes it anew, and an approval is asked for again. Fails with
 * `forbidden` or `unavailable` where there is something that cannot be read.
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
    const code = codeOf(cause);
    const isKept = ["EACCES", "EPERM"].includes(code);
    throw new Failure(isKept ? "forbidden" : "unavailable", `${file} cannot be read: ${code}`, {
      cause,
      remedy:
        "give it and its folder to the user that the controller runs as, and work as that user",
    });
  }
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
