// Plans that wait for somebody to approve what they delete and replace, and the approvals: files in the controller's own folder.
import { chownSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { type Static, Type } from "typebox";
import { Failure } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { validator } from "../../core/validate.ts";
import { codeOf, makeFolder, readIfThere, syncFolder, writeWhole } from "../inventory/durable.ts";
import type { Change } from "../model.ts";
import { digest } from "../planning/digest.ts";

const waitingForm = Type.Object({
  plan: Type.String(),
  deletes: Type.Integer(),
  changes: Type.Array(Type.String()),
});
const approvedForm = Type.Object({
  plan: Type.String(),
  by: Type.String(),
  reason: Type.Optional(Type.String()),
  at: Type.String(),
});

/** What waits for an approval. */
export type Waiting = Static<typeof waitingForm>;

/** What somebody approved. */
export type Approved = Static<typeof approvedForm>;

/** A short name of the changes of a plan that wait: another as soon as any of it is another, or has changed. */
export function waitingId(changes: readonly Change[]): string {
  const parts = changes.map(({ action, address, id, precondition, desired, takesAlong }) => {
    return { action, address, id, precondition, desired, takesAlong };
  });
  return digest(JSON.parse(JSON.stringify(parts)) as JsonValue).slice(0, 12);
}

/** Remembers what a source waits for; undefined where it waits no more, and then approvals are over as well. */
export function keepWaiting(folder: string, waiting: Waiting | undefined): void {
  if (waiting !== undefined) return write(waitingIn(folder), waiting);
  rmSync(waitingIn(folder), { force: true });
  rmSync(approvedIn(folder), { force: true });
}

/** Who approved just this, if anybody did in the last day. */
export function approvalOf(folder: string, plan: string, now: Date): Approved | undefined {
  const found = read(approvedIn(folder), approvedForm);
  if (found?.plan !== plan) return undefined;
  const age = now.getTime() - Date.parse(found.at);
  return age <= limits.controllerApprovalMs ? found : undefined;
}

/**
 * Approves what a source waits for. Fails with `not_found` where it waits for nothing, with `stale` where for another plan, and with
 * `forbidden` where the controller could not read it.
 */
export function approveIn(folder: string, approved: Approved): Waiting {
  const waiting = read(waitingIn(folder), waitingForm);
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
  const fresh = `${approvedIn(folder)}.fresh`;
  write(fresh, approved);
  giveToOwner(fresh, folder);
  renameSync(fresh, approvedIn(folder));
  syncFolder(approvedIn(folder));
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

function waitingIn(folder: string): string {
  return path.join(folder, "waiting.json");
}

function approvedIn(folder: string): string {
  return path.join(folder, "approved.json");
}

function write(file: string, value: Waiting | Approved): void {
  makeFolder(file);
  writeWhole(file, [JSON.stringify(value)], () => undefined);
}

/**
 * What is torn or of another version counts as not there: the next round writes it anew, and an approval is asked for again. Fails with
 * `forbidden` or `unavailable` where there is something that cannot be read.
 */
function read<T extends typeof waitingForm | typeof approvedForm>(
  file: string,
  form: T,
): Static<T> | undefined {
  const value = parsed(textOf(file) ?? "null");
  return validator(form)(value).length === 0 ? (value as Static<T>) : undefined;
}

function textOf(file: string): string | undefined {
  try {
    return readIfThere(file);
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

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
