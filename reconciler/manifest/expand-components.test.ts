// Documents of components: the documents that they expand to, with the places and the errors in the component's document.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { components, kinds } from "../../resources/index.ts";
import { noGrants } from "../operator/grants.ts";
import { memberName } from "./expand-components.ts";
import { loadStack, type LoadOptions } from "./load.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "components-"));
});
afterEach(() => rm(folder, { recursive: true }));

const workbook = `---
apiVersion: svc/v1
kind: Workbook
metadata: { name: week }
spec: { deployment: { external: production }, slug: sales-week, name: Week }
`;

/** Loads a stack with one component, whose document starts at line 5. */
async function load(
  text: string,
  { stack = "", ...options }: Partial<LoadOptions> & { stack?: string } = {},
) {
  const head = `apiVersion: svc/v1\nkind: Stack\nmetadata: { name: demo }\nspec: { ${stack} }\n---\n`;
  await writeFile(path.join(folder, "stack.yaml"), `${head}${text}${workbook}`);
  const scope = { variables: {}, grants: noGrants, env: {}, kinds, components };
  return loadStack({ paths: [], cwd: folder, ...scope, ...options });
}

async function messages(text: string, options: Parameters<typeof load>[1] = {}) {
  const { desired, diagnostics } = await load(text, options);
  expect(desired).toBeUndefined();
  return diagnostics.map(
    ({ place, code, summary }) => `${place?.line}:${place?.column} ${code} ${summary}`,
  );
}

const customer = `apiVersion: svc/v1
kind: EmbedTenantSetup
metadata:
  name: acme
  labels: { team: "\${team}" }
  lifecycle: { protect: true }
spec:
  tenant: { name: acme-stores, displayName: "\${title}" }
  groups:
    directors: {}
    Store managers: { description: Own store. }
  attributes: { store: { type: string } }
  users: "\${users}"
  access:
    week: { deployment: { external: production } }
    other-book: { deployment: { external: production } }
  notification:
    deployment: { external: production }
    workbook: week
    schedule: 0 7 * * 1
  recipients:
    jane-4711:
      tenantGroups: ["\${group}", { external: guests }]
      tenantUserAttributes: [{ name: store, value: Berlin }]
`;

const variables = {
  team: "sales",
  title: "Acme ${literal}",
  group: "Store managers",
  users: { "jane-4711": { tenantGroups: ["directors"] } },
};

it("declare the objects of their parts, with references, variables, labels and rules", async () => {
  const { desired, diagnostics } = await load(customer, { variables, stack: "variables: {}" });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const objects = desired?.objects ?? [];
  const managers = memberName("acme", "Store managers");
  expect(managers).toMatch(/^acme-Store-managers-[0-9a-f]{8}$/u);
  expect(objects.map(({ address, spec, place }) => [address, spec, place.line])).toEqual([
    ["EmbedTenant/acme", { name: "acme-stores", displayName: "Acme ${literal}" }, 13],
    ["EmbedGroup/acme-directors", { embedTenant: "acme-stores", name: "directors" }, 15],
    [
      `EmbedGroup/${managers}`,
      { embedTenant: "acme-stores", name: "Store managers", description: "Own store." },
      16,
    ],
    [
      "EmbedUserAttribute/acme-store",
      { embedTenant: "acme-stores", name: "store", type: "string" },
      17,
    ],
    [
      "EmbedUser/acme-jane-4711",
      { embedTenant: "acme-stores", externalId: "jane-4711", tenantGroups: ["directors"] },
      18,
    ],
    [
      "DashboardEmbedAccess/acme-week",
      { deployment: "production", workbook: "sales-week", embedTenant: "acme-stores" },
      20,
    ],
    [
      "DashboardEmbedAccess/acme-other-book",
      { deployment: "production", workbook: "other-book", embedTenant: "acme-stores" },
      21,
    ],
    [
      "Notification/acme",
      expect.objectContaining({ workbook: "sales-week", schedule: "0 7 * * 1" }),
      23,
    ],
    [
      "NotificationEmbedRecipient/acme-jane-4711",
      expect.objectContaining({
        embedTenant: "acme-stores",
        deployment: "production",
        tenantGroups: ["Store managers", "guests"],
        tenantUserAttributes: [{ name: "store", value: "Berlin" }],
      }),
      27,
    ],
    ["Workbook/week", expect.anything(), 31],
  ]);
  const [tenant] = objects;
  expect(tenant).toMatchObject({
    labels: { team: "sales" },
    rules: { protect: true },
    modifiedBy: "component",
  });
  expect(tenant?.locate?.("/spec/displayName")).toMatchObject({ line: 13, column: 45 });
});

it("report every error at its place, and none twice", async () => {
  const text = `apiVersion: svc/v1
kind: EmbedTenantSetup
metadata: { name: acme, lifecycle: { manage: [update], ignore: [] } }
spec:
  tenant: { name: acme, color: red }
  group: {}
  groups:
    directors: { name: Directors }
    managers:
    "\${name}": {}
  users:
    jane-4711: { tenantGroups: [director] }
    tom-1: "\${tom}"
  recipients:
    jane-4711: { email: jane }
`;
  expect(await messages(text)).toEqual([
    "8:46 out-of-bounds manage must include observe",
    '8:56 unknown-field "metadata.lifecycle.ignore" is not a known field',
    '10:19 out-of-bounds "spec.tenant.name" must have at least 5 characters: "acme"',
    '10:25 unknown-field "spec.tenant.color" is not a known field',
    '11:3 unknown-field "spec.group" is not a known field',
    '13:18 unknown-field "spec.groups.directors.name" is set by the component: the key of the map is its value',
    '14:5 wrong-type "spec.groups.managers" must be an object',
    '15:5 variable-syntax the key "${name}" cannot contain a substitution',
    '18:12 variable-unset the variable "tom" has no value',
    '19:3 missing-field "spec.recipients" requires "spec.notification"',
  ]);
});

const head = "apiVersion: svc/v1\nkind: EmbedTenantSetup\nmetadata: { name: acme }\n";

it("must have their required parts, and references that exist", async () => {
  expect(await messages(`${head}spec: {}\n`)).toEqual([
    '9:1 missing-field "spec.tenant" is required',
  ]);
  expect(await messages(`${head}spec: []\n`)).toEqual([
    '9:7 wrong-type "spec" must be an object, not a list: []',
  ]);
  const users = "users: { jane: { tenantGroups: [director] } }";
  const named = `${head}spec: { tenant: { name: acme-stores }, groups: { directors: {} }, ${users} }\n`;
  expect(await messages(named)).toEqual([
    '9:99 reference-unknown the stack has no EmbedGroup named "director"',
  ]);
});

it("are what overlays change", async () => {
  const patch = "{ spec: { tenant: { displayName: Acme }, groups: { directors: null } } }";
  const stack = `overlays: [{ target: { kind: EmbedTenantSetup }, patch: ${patch} }]`;
  const text = `${head}spec: { tenant: { name: acme-stores }, groups: { directors: {} } }\n`;
  const { desired } = await load(text, { stack });
  expect(desired?.objects.map(({ address, spec }) => [address, spec])).toEqual([
    ["EmbedTenant/acme", { name: "acme-stores", displayName: "Acme" }],
    ["Workbook/week", expect.anything()],
  ]);
});
