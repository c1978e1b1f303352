// WorkloadTrust: which OIDC tokens of CI systems are exchanged for tokens of the API.
import { getDeployments } from "../api/deployments.ts";
import { Id, Timestamp } from "../api/schemas.ts";
import { listUsers } from "../api/users.ts";
import {
  createWorkloadTrust,
  deleteWorkloadTrust,
  getWorkloadTrust,
  listWorkloadTrusts,
  updateWorkloadTrust,
} from "../api/workload-trusts.ts";
import { defineKind, defineObserve, type Reader } from "../core/kind/kind.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import {
  changedScope,
  idLookups,
  observedScope,
  scopeInput,
  takesRights,
} from "./api-key.codec.ts";
import { changedFields, definedMembers, deploymentIds, idOf } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";
import { type Spec, spec } from "./workload-trust.schema.ts";

/** The WorkloadTrust resource type. A change ends the tokens that were issued. */
export const workloadTrust = defineKind(
  {
    name: "WorkloadTrust",
    plural: "workload-trusts",
    doc: "Which OIDC tokens of CI systems are exchanged for short-lived tokens, and what those may do.",
    shape: "item",
    key: ["name"],
    scope: [],
    spec,
    status: statusSchema({ id: Id, createdAt: Timestamp }),
    credentialRole: {
      what: "the workload trust of the token that svc uses",
      isOf: ({ type, name = "" }, { key: { name: trust } }) =>
        type === "workload-token" && typeof trust === "string" && name.startsWith(`${trust} (`),
      takesRights: (change) =>
        takesRights(change) || ["issuer", "audience", "claims", "jwksUri"].includes(change.field),
    },
    examples: [
      {
        title: "The main branch of a repository on GitHub",
        name: "apply",
        spec: {
          name: "apply",
          issuer: "https://token.actions.githubusercontent.com",
          audience: "https://acme.example.com",
          claims: [
            { name: "repository_id", value: "4711" },
            { name: "ref", value: "refs/heads/main" },
          ],
          owner: "robot",
        },
        variations: {
          name: "release",
          issuer: "https://git.example.com",
          jwksUri: "https://git.example.com/keys",
          audience: "https://acme.example.com/release",
          claims: [{ name: "sub", value: "project_path:acme/shop:ref_type:branch:ref:main" }],
          isReusable: true,
          tokenSeconds: 300,
          owner: "jane",
          deployments: ["production"],
          permissions: ["ReadAll"],
          states: [{ name: "shop", access: "read" }],
          isDisabled: true,
        },
      },
    ],
  },
  (bind) => ({
    observe: defineObserve<Spec>({
      cost: "list",
      needs: [listWorkloadTrusts, listUsers, getDeployments],
      read: async (reader, _, interest) => {
        const seen = await observedTrust(reader, interest);
        return (await reader.all(listWorkloadTrusts, {})).map(seen);
      },
      byId: {
        needs: [getWorkloadTrust],
        read: async (reader, id, { interest }) => {
          const trust = await reader.one(getWorkloadTrust, { params: { id } });
          return trust && (await observedTrust(reader, interest))(trust);
        },
      },
    }),
    create: [
      bind.perObject(
        createWorkloadTrust,
        ({ spec: desired }, ids) => {
          const { owner: _owner, deployments: _deployments, ...members } = desired;
          return { body: { ...members, ...scopeInput(desired, ids) } };
        },
        { prerequisite: idLookups, refusesExisting: true },
      ),
    ],
    update: [
      bind.perObject(
        updateWorkloadTrust,
        (subject, deployments) => ({
          params: { id: idOf(subject) },
          body: {
            ...definedMembers(changedFields(subject, ["name", "issuer", "audience", "claims"])),
            ...changedFields(subject, ["jwksUri", "isReusable", "tokenSeconds"]),
            ...changedScope(subject, deployments),
          },
        }),
        { prerequisite: deploymentIds },
      ),
    ],
    delete: [bind.perObject(deleteWorkloadTrust, (subject) => ({ params: { id: idOf(subject) } }))],
  }),
);

async function observedTrust(reader: Reader, interest: ReadonlySet<string>) {
  const scopeOf = await observedScope(reader, interest);
  return (trust: AnswerOf<typeof listWorkloadTrusts>) => ({
    id: String(trust.id),
    spec: {
      ...definedMembers({
        name: trust.name,
        issuer: trust.issuer,
        jwksUri: trust.jwksUri,
        audience: trust.audience,
        claims: trust.claims,
        isReusable: trust.isReusable,
        tokenSeconds: trust.tokenSeconds,
      }),
      ...scopeOf(trust),
    },
    status: { id: trust.id, createdAt: trust.createdAt },
  });
}
