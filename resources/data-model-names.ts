// Finds groups, roles and user attributes that access policies of a data model name, and dashboards that its links lead to,
// and that do not exist.
import { listUserAttributes } from "../api/user-attributes.ts";
import { listEmbedTenants, listEmbedTenantUserAttributes } from "../api/embed-tenants.ts";
import { listWorkbooks } from "../api/workbooks.ts";
import { listRoles } from "../api/roles.ts";
import { listUserGroups } from "../api/user-groups.ts";
import { outerNames, type OuterName } from "../core/data-model/outer-names.ts";
import { type ErrorCode, Failure } from "../core/errors.ts";
import type { Reader } from "../core/kind/kind.ts";
import type {
  DeclaredObject,
  LastingFindings,
  UncheckedPart,
  ValueError,
} from "../core/kind/server-checks.ts";
import { textOf } from "./field-text.ts";
import { deploymentIds } from "./codec.ts";
import { builtInRoles } from "../core/operation/permission-actions.ts";
import { joinPointer } from "../core/pointer.ts";
import { didYouMean, quoted, sentences } from "../core/text/naming.ts";

/** Most embed tenants whose attributes are read. With more, a name may be theirs. */
const mostTenants = 10;

/** Reasons why the names of an account are not known. */
const unknown: ReadonlySet<ErrorCode> = new Set(["forbidden", "not_offered", "unavailable"]);

type What = OuterName["what"];

/** The names that exist of one type. */
interface NameSource {
  /** The resource types that create such names. */
  readonly kinds: readonly string[];
  /** The field that has the name, if it has another one, in the objects of the deployment. */
  readonly field?: "slug";
  readonly list: (reader: Reader, deployment: string) => Promise<readonly string[]>;
  /** Lists the names in an embed tenant. */
  readonly listOfTenant?: (reader: Reader, tenant: string) => Promise<readonly string[]>;
}

const sources: Readonly<Record<What, NameSource>> = {
  group: {
    // A group of an embed tenant has a name with the prefix `system:`.
    kinds: ["UserGroup"],
    list: async (reader) => namesOf(await reader.all(listUserGroups, {})),
  },
  role: {
    kinds: ["Role"],
    list: async (reader) => {
      // Administrators have this role, too.
      const ofServer = [...Object.keys(builtInRoles), "admin"];
      return [...ofServer, ...namesOf(await reader.all(listRoles, {}))];
    },
  },
  "user attribute": {
    kinds: ["UserAttribute", "EmbedUserAttribute"],
    list: async (reader) => namesOf(await reader.all(listUserAttributes, {})),
    listOfTenant: async (reader, embedTenantName) =>
      namesOf(await reader.all(listEmbedTenantUserAttributes, { params: { embedTenantName } })),
  },
  dashboard: {
    kinds: ["Workbook"],
    field: "slug",
    list: async (reader, deployment) => {
      const deploymentId = (await deploymentIds.read(reader)).get(deployment);
      if (deploymentId === undefined) return [];
      const workbooks = await reader.all(listWorkbooks, { params: { deploymentId } });
      // A link names either.
      return workbooks.flatMap(({ slug, publishedDashboard }) =>
        [slug, publishedDashboard?.publicId].filter((one) => one != null),
      );
    },
  },
};

/** Where names stand, and which objects are meant, for people. */
const wheres: Readonly<Record<What, string>> = {
  group: "an access policy names the group",
  role: "an access policy names the role",
  "user attribute": "an access policy names the user attribute",
  dashboard: "a link leads to the dashboard",
};

type PlacedName = OuterName & { readonly path: string };

/** Returns a warning for each name in the policies and links of these files that neither the account nor the stack has. */
export async function nameFindings(
  reader: Reader,
  files: Readonly<Record<string, string>>,
  declared: DeclaredObject,
): Promise<LastingFindings> {
  const named = Object.entries(files).flatMap(([path, text]) =>
    outerNames(path, text).map((one): PlacedName => ({ ...one, path })),
  );
  // A name with this prefix belongs to the server.
  const checked = named.filter(({ name }) => name !== "*" && !name.startsWith("system:"));
  const deployment = textOf(declared.spec["deployment"]);
  const warnings: ValueError[] = [];
  const unchecked: UncheckedPart[] = [];
  for (const [what, names] of Map.groupBy(checked, (one) => one.what)) {
    try {
      const known = new Set<string>();
      const { kinds, field, list } = sources[what];
      const own = kinds.map((kind) =>
        field === undefined
          ? declared.textsOf(kind, "name")
          : declared.textsOf(kind, field, { field: "deployment", value: deployment }),
      );
      const isMissing = ({ name }: OuterName) =>
        !known.has(name) && !own.some((texts) => texts.has(name));
      if (!names.some(isMissing)) continue;
      for (const name of await list(reader, deployment)) known.add(name);
      if (!names.some(isMissing)) continue;
      for (const name of await tenantNames(reader, what)) known.add(name);
      const missing = names.filter(isMissing);
      const all = missing.length === 0 ? [] : [...own, known].flatMap((texts) => [...texts]);
      warnings.push(...missing.map((one) => missingName(one, all)));
    } catch (error) {
      if (!(error instanceof Failure && unknown.has(error.code))) throw error;
      unchecked.push({
        what:
          what === "dashboard"
            ? "the dashboards of its links"
            : `the ${what}s in the access policies`,
        why: error.message,
      });
    }
  }
  return { warnings: warnings.toSorted(byPlace), unchecked };
}

function byPlace(a: ValueError, b: ValueError): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

function missingName(
  { what, name, path, line, column }: PlacedName,
  known: readonly string[],
): ValueError {
  const fix = `Correct the name, declare the ${what}, or create it before users query the model.`;
  return {
    path: joinPointer(["files", path]),
    line,
    column,
    message: `${wheres[what]} ${name}, which does not exist`,
    remedy: sentences(didYouMean(name, known, quoted), fix),
  };
}

/** Returns the names of one type in all embed tenants. Throws `unavailable` if these are too many to read. */
async function tenantNames(reader: Reader, what: What): Promise<readonly string[]> {
  const { listOfTenant } = sources[what];
  if (listOfTenant === undefined) return [];
  const tenants = await reader.all(listEmbedTenants, {});
  if (tenants.length > mostTenants) {
    const why = `one of ${tenants.length} embed tenants may have them; a plan reads those of ${mostTenants}`;
    throw new Failure("unavailable", why);
  }
  const found: string[] = [];
  for (const { name } of tenants) found.push(...(await listOfTenant(reader, name)));
  return found;
}

function namesOf(items: readonly { readonly name: string }[]): readonly string[] {
  return items.map(({ name }) => name);
}
