// Decides whose approvals count for a stage, and who the caller is.
import { currentUser } from "../lifecycle/credential.ts";
import { createCachedReader } from "../lifecycle/reader.ts";
import { Failure } from "../core/errors.ts";
import type { Session } from "../reconciler/sessions.ts";
import type { Stage } from "./pipeline.ts";
import type { Approval } from "./record.ts";

/** Who approves, and who vouches for that. */
export type Approver = Pick<Approval, "by" | "vouchedBy" | "groups">;

/** Returns whether an approval counts. Where a stage names its approvers, only those for whom someone vouches do. */
export function mayApprove({ approvers }: Pick<Stage, "approvers">, approver: Approver): boolean {
  if (approvers === undefined) return true;
  const { by, vouchedBy, groups = [] } = approver;
  if (vouchedBy === undefined) return false;
  // Git names an author as `Name <address>`.
  const address = vouchedBy === "git" ? (/<([^<>]*)>$/u.exec(by)?.[1] ?? "") : by;
  const isUser = approvers.users.some((one) => one.toLowerCase() === address.toLowerCase());
  return isUser || approvers.groups.some((one) => groups.includes(one));
}

/**
 * Returns who approves: `by` if the caller vouches for it, or else the user of the credential; the claimed name if the server does
 * not say who that is. Fails with `usage` if the server says it and the caller claims a name with `--by`, and with `forbidden` for
 * someone whose approvals do not count.
 */
export async function callerAsApprover(
  { client }: Pick<Session, "client">,
  stage: Stage,
  {
    by,
    claimedBy,
    vouchedBy,
  }: {
    readonly by: string;
    readonly claimedBy?: string | undefined;
    readonly vouchedBy?: "controller" | undefined;
  },
): Promise<Approver> {
  if (vouchedBy !== undefined) return requireApprover(stage, { by, vouchedBy });
  const user = await currentUser(createCachedReader(client.reader, {}));
  if (user !== undefined && claimedBy !== undefined) {
    const message = `the server knows who approves: ${user.email}`;
    throw new Failure("usage", message, { remedy: "Leave out --by." });
  }
  const groups = (user?.groups ?? []).filter((one) => stage.approvers?.groups.includes(one));
  const approver: Approver =
    user === undefined
      ? { by: claimedBy ?? by }
      : { by: user.email, vouchedBy: "server", ...(groups.length > 0 && { groups }) };
  return requireApprover(stage, approver);
}

function requireApprover(stage: Stage, approver: Approver): Approver {
  if (mayApprove(stage, approver)) return approver;
  const { vouchedBy, by } = approver;
  const who = vouchedBy === undefined ? "a user whom the server does not name" : by;
  throw new Failure("forbidden", `${who} is no approver of ${stage.name}`, {
    remedy: `Ask one of its approvers: ${approversText(stage)}.`,
  });
}

function approversText({ approvers }: Stage): string {
  const { users = [], groups = [] } = approvers ?? {};
  return [...users, ...groups.map((one) => `the group ${one}`)].join(", ");
}
