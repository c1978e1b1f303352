// Decides whose approvals count for a stage, and who the caller is.
import { actingName, currentUser } from "../lifecycle/credential.ts";
import { createCachedReader } from "../lifecycle/reader.ts";
import { Failure } from "../core/errors.ts";
import { firstNames } from "../core/text/first-names.ts";
import type { Session } from "../reconciler/sessions.ts";
import type { Stage } from "./pipeline.ts";
import { type ActorOptions, type Approval, type Who, whoOf } from "./record.ts";

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

/** Who acts, and of which groups the server says that they are a member; undefined if it was not asked. */
export interface Caller extends Who {
  readonly groups: readonly string[] | undefined;
}

/**
 * Returns who acts: `by` if the caller vouches for it, or else who acts with the credential; `by` without a login, or if the server
 * does not say who that is. Fails with `usage` if the server says it and the caller claims a name with `--by`.
 */
export async function callerOf(
  session: Pick<Session, "client"> | undefined,
  { by, claimedBy, vouchedBy, groups: known }: ActorOptions,
): Promise<Caller> {
  if (vouchedBy !== undefined) return { by, vouchedBy, groups: known };
  const user = session && (await currentUser(createCachedReader(session.client.reader, {})));
  const name = user && actingName(user);
  if (user === undefined || name === undefined) return { by, groups: [] };
  const groups = name === user.email ? user.groups : [];
  if (claimedBy === undefined) return { by: name, vouchedBy: "server", groups };
  throw new Failure("usage", `the server knows who acts: ${name}`, { remedy: "Leave out --by." });
}

/** Returns the caller with the groups that are approvers of a stage. Fails with `forbidden` for someone whose approvals do not count. */
export function callerAsApprover(caller: Caller, stage: Stage): Approver {
  const named = stage.approvers?.groups ?? [];
  const groups = caller.groups?.filter((one) => named.includes(one)) ?? [];
  const approver = { ...whoOf(caller), ...(groups.length > 0 && { groups }) };
  if (mayApprove(stage, approver)) return approver;
  const { vouchedBy, by } = approver;
  const who = vouchedBy === undefined ? "a user whom the server does not name" : by;
  const isUnknown = caller.groups === undefined && named.length > 0;
  const unknown = isUnknown ? " by name, and the controller does not know their groups" : "";
  throw new Failure("forbidden", `${who} is no approver of ${stage.name}${unknown}`, {
    remedy: `Ask one of its approvers: ${approversText(stage)}.`,
  });
}

/** Names the approvers of a stage, as far as there is room. */
export function approversText({ approvers }: Pick<Stage, "approvers">): string {
  const { users = [], groups = [] } = approvers ?? {};
  return firstNames([...users, ...groups.map((one) => `the group ${one}`)]);
}
