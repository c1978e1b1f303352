// Finds groups and user attributes that access policies of a data model name and that do not exist.
import { listUserAttributes } from "../api/user-attributes.ts";
import {
  listEmbedTenantGroups,
  listEmbedTenants,
  listEmbedTenantUserAttributes,
} from "../api/embed-tenants.ts";
import { listUserGroups } from "../api/user-groups.ts";
import { policyNames, type PolicyName } from "../core/data-model/model-policies.ts";
import { type ErrorCode, Failure } from "../core/errors.ts";
import type { Reader } from "../core/kind/kind.ts";
import type { CheckedWrite, ValueError } from "../core/kind/server-checks.ts";
import { joinPointer } from "../core/pointer.ts";
import { closestMatch } from "../core/text/naming.ts";

/** Most embed tenants whose groups and attributes are read. With more, a name may be theirs. */
const mostTenants = 10;

/** Reasons why the names of an account are not known. */
const unknown: ReadonlySet<ErrorCode> = new Set(["forbidden", "not_offered", "unavailable"]);

type KnownNames = Readonly<Record<PolicyName["what"], Set<string>>>;

/** Returns a warning for each group and attribute in these files that neither the account nor the plan has. */
export async function policyWarnings(
  reader: Reader,
  files: ReadonlyMap<string, string>,
  write: CheckedWrite,
): Promise<readonly ValueError[]> {
  const named = [...files].flatMap(([path, text]) =>
    policyNames(path, text).map((one) => ({ ...one, path })),
  );
  // A name with this prefix belongs to the server.
  const checked = named.filter(({ name }) => name !== "*" && !name.startsWith("system:"));
  if (checked.length === 0) return [];
  try {
    const known = await knownNames(reader, write);
    const isMissing = ({ what, name }: PolicyName) => !known[what].has(name);
    if (!checked.some(isMissing) || !(await addTenantNames(reader, known))) return [];
    return checked.filter(isMissing).map((one) => missingName(one, known[one.what]));
  } catch (error) {
    if (error instanceof Failure && unknown.has(error.code)) return [];
    throw error;
  }
}

function missingName(
  { what, name, path, line, column }: PolicyName & { readonly path: string },
  known: ReadonlySet<string>,
): ValueError {
  const closest = closestMatch(name, known);
  const hint = closest === undefined ? "" : `. Did you mean ${closest}?`;
  return {
    path: joinPointer(["files", path]),
    line,
    column,
    message: `an access policy names the ${what} ${name}, which does not exist${hint}`,
    remedy: `Correct the name, declare the ${what}, or create it before users query the model.`,
  };
}

async function knownNames(reader: Reader, { plannedOf }: CheckedWrite): Promise<KnownNames> {
  const groups = await reader.all(listUserGroups, {});
  const attributes = await reader.all(listUserAttributes, {});
  const planned = (...kinds: readonly string[]) =>
    kinds.flatMap(plannedOf).flatMap(({ name }) => (typeof name === "string" ? [name] : []));
  return {
    group: new Set([...namesOf(groups), ...planned("UserGroup", "EmbedGroup")]),
    "user attribute": new Set([
      ...namesOf(attributes),
      ...planned("UserAttribute", "EmbedUserAttribute"),
    ]),
  };
}

/** Adds the names in all embed tenants. Returns false if these are too many to read. */
async function addTenantNames(reader: Reader, known: KnownNames): Promise<boolean> {
  const tenants = await reader.all(listEmbedTenants, {});
  if (tenants.length > mostTenants) return false;
  for (const { name: embedTenantName } of tenants) {
    const request = { params: { embedTenantName } };
    for (const name of namesOf(await reader.all(listEmbedTenantGroups, request)))
      known.group.add(name);
    for (const name of namesOf(await reader.all(listEmbedTenantUserAttributes, request)))
      known["user attribute"].add(name);
  }
  return true;
}

function namesOf(items: readonly { readonly name: string }[]): readonly string[] {
  return items.map(({ name }) => name);
}
