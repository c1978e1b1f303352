// Finds changes that would end the credential that the run uses, or take rights from it.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { parseKey } from "../../core/kind/identity.ts";
import { type Kind, type Reader, kindsByName } from "../../core/kind/kind.ts";
import type { CredentialRole, RunCredential } from "../../core/kind/run-credential.ts";
import { currentUser } from "../../lifecycle/credential.ts";
import type { Change, PlannedField } from "../model/change.ts";

/** The parts of a change that decide what it does to a credential. */
export interface CredentialChange extends Pick<
  Change,
  "action" | "address" | "kind" | "key" | "from" | "id"
> {
  readonly fields: readonly Pick<PlannedField, "field" | "before" | "after">[];
}

/**
 * Returns the errors of changes that end the credential of the run: svc could not finish the run, release its lock or
 * record what it did. Asks the server only if the plan changes such an object.
 */
export async function ownCredentialErrors(
  written: readonly CredentialChange[],
  { kinds, reader }: { readonly kinds: readonly Kind[]; readonly reader: Pick<Reader, "one"> },
): Promise<readonly Diagnostic[]> {
  const byName = kindsByName(kinds);
  const suspects = written.flatMap((change) => {
    const kind = byName.get(change.kind);
    const effect = kind?.credentialRole && effectOf(change, kind.credentialRole);
    return kind === undefined || effect === undefined ? [] : [{ change, kind, effect }];
  });
  if (suspects.length === 0) return [];
  const me = await currentUser(reader);
  if (me === undefined) return [];
  const { type, name } = me.credential ?? {};
  const credential: RunCredential = { userId: String(me.id), type, name };
  return suspects.flatMap(({ change, kind, effect }) => {
    const key = parseKey(kind, change.from?.key ?? change.key) ?? {};
    const isOwn = kind.credentialRole?.isOf(credential, { id: change.id, key }) === true;
    return isOwn ? [ownCredentialError(change, effect)] : [];
  });
}

/** Returns what a change does to a credential, as the rest of a sentence; undefined if it leaves the rights. */
function effectOf({ action, fields }: CredentialChange, role: CredentialRole): string | undefined {
  if (action === "delete" || action === "replace") return `${action}s ${role.what}`;
  if (action === "create") return undefined;
  const taken = fields.filter((field) => role.takesRights(field)).map(({ field }) => field);
  return taken.length === 0 ? undefined : `takes rights from ${role.what}: ${taken.join(", ")}`;
}

function ownCredentialError({ address, action }: CredentialChange, effect: string): Diagnostic {
  const keep =
    action === "delete"
      ? `or keep ${address}: declare it again, or name it in a Removed document`
      : "or declare the live values";
  return {
    code: "own-credential",
    severity: "error",
    address,
    summary: `the plan ${effect}`,
    remedy: `Run svc with another credential, ${keep}. \`svc whoami\` shows the credential.`,
  };
}
