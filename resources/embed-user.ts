// EmbedUser: an external user of an embed tenant.
import { generateSession } from "../api/embed.ts";
import {
  createEmbedUsers,
  deleteEmbedUser,
  listEmbedTenantGroups,
  listEmbedTenantGroupUsers,
  listEmbedUsers,
  provisionEmbedUser,
  provisionEmbedUsers,
} from "../api/embed-tenants.ts";
import {
  defineKind,
  defineObserve,
  type Reader,
  type ScopeKey,
  type ObservedObject,
} from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { bulkCreate } from "./bulk-create.codec.ts";
import { provisioner } from "../core/text/provisioner.ts";
import { firstDeployment, idOf, definedMembers } from "./codec.ts";
import { groupMemberships, outcome, provisionedState } from "./embed-user.codec.ts";
import { type Spec, spec, status } from "./embed-user.schema.ts";

const needs = [listEmbedUsers, listEmbedTenantGroups, listEmbedTenantGroupUsers];

/** The EmbedUser resource type. Memberships in tenant groups are read group by group if the list of users lacks them. */
export const embedUser = defineKind(
  {
    name: "EmbedUser",
    plural: "embed-users",
    recordedAs: "users",
    doc: "An external user of an embed tenant, identified by its ID in your own system. Declare it to assign groups and attributes before the user's first session.",
    shape: "item",
    key: ["embedTenant", "externalId"],
    scope: ["embedTenant"],
    spec,
    status,
    examples: [
      {
        title: "A store manager",
        name: "acme-jane",
        spec: {
          embedTenant: "acme",
          externalId: "jane-4711",
          email: "jane@acme.example",
          displayName: "Jane Doe",
          picture: "https://acme.example/people/jane.png",
          groups: ["analysts"],
          tenantGroups: ["acme-viewers"],
          userAttributes: [{ name: "region", value: "EMEA" }],
        },
        variations: {
          externalId: "jane-4712",
          email: "jane.doe@acme.example",
          displayName: "Jane D.",
          picture: "https://acme.example/people/jane-doe.png",
          groups: [],
          tenantGroups: [],
          userAttributes: [{ name: "region", value: "APAC" }],
        },
      },
      {
        title: "A visitor whose groups are declared apart",
        name: "acme-sam",
        spec: { embedTenant: "acme", externalId: "sam-0815" },
        variations: {},
      },
    ],
  },
  (bind) => {
    const covers = Object.keys(spec.properties).filter((name) => name !== "userAttributes");
    const createMany = bind.batched(
      createEmbedUsers,
      { ...bulkCreate("externalId", "embedTenant"), covers },
      (subjects) => ({
        params: { embedTenantName: subjects[0].spec.embedTenant },
        body: { users: subjects.map(provisionedState) },
      }),
    );
    const provisionMany = bind.batched(
      provisionEmbedUsers,
      { groupBy: ["embedTenant"], max: limits.bulkUsers, covers, outcome },
      (subjects) => ({
        params: { embedTenantName: subjects[0].spec.embedTenant },
        body: { users: subjects.map(provisionedState) },
      }),
    );
    const provision = bind.perObject(
      provisionEmbedUser,
      (subject) => ({
        params: { embedTenantName: subject.spec.embedTenant },
        body: provisionedState(subject),
      }),
      { covers },
    );
    const assign = bind.perObject(
      generateSession,
      ({ spec: { embedTenant, externalId, userAttributes = [] } }, deploymentId) => ({
        body: { deploymentId, embedTenantName: embedTenant, externalId, userAttributes },
      }),
      { prerequisite: firstDeployment, covers: ["userAttributes"] },
    );
    return {
      observe: defineObserve({ cost: "perParent", needs, read, items: listEmbedUsers }),
      create: [createMany, provisionMany, provision],
      update: [provisionMany, provision, assign],
      delete: [
        bind.perObject(deleteEmbedUser, (subject) => ({
          params: { embedTenantName: subject.spec.embedTenant, id: idOf(subject) },
        })),
      ],
    };
  },
);

async function read(
  reader: Reader,
  { embedTenant = "" }: ScopeKey,
  interest: ReadonlySet<string>,
): Promise<ObservedObject<Spec>[]> {
  const users = await reader.all(listEmbedUsers, { params: { embedTenantName: embedTenant } });
  const groups = interest.has("tenantGroups")
    ? await groupMemberships(reader, embedTenant, users)
    : undefined;
  return users
    .filter(({ externalId }) => externalId !== undefined && externalId !== provisioner)
    .map(({ id, username, externalId, email, firstName: displayName, createdAt, lastLogin }) => {
      const tenantGroups = groups && (groups.get(id) ?? []);
      return {
        id: String(id),
        spec: definedMembers({ embedTenant, externalId, email, displayName, tenantGroups }),
        status: definedMembers({ id, username, createdAt, lastLogin }),
      };
    });
}
