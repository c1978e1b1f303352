// Requires permissions that only a handler can check, because it finds the object first.
import {
  authorize,
  type Refusal,
  describeRefusal,
  type Rights,
  type Targets,
} from "../../core/operation/authorize.ts";
import { Failure } from "../../core/errors.ts";
import type { PermissionAction } from "../../core/operation/permission-actions.ts";

/** Throws `forbidden` if the principal may not perform the action on an object. */
export function requirePermission(
  rights: Rights,
  action: PermissionAction,
  targets: Targets,
): void {
  refuse(authorize(rights, action, targets));
}

/** Throws `forbidden`, naming the missing permission, for a refusal. */
export function refuse(refusal: Refusal | undefined): void {
  if (refusal === undefined) return;
  const { problem, usable } = describeRefusal(refusal);
  const details = { permission: refusal.action };
  throw new Failure("forbidden", `${problem}; use ${usable}`, { details });
}
