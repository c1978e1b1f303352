// Deployment: an analytics deployment with its settings and platform version.
import {
  createDeployment,
  deleteDeployment,
  getDeployment,
  getDeployments,
  getDeploymentSettings,
  listDeploymentVersions,
  releaseChannels,
  updateDeployment,
} from "../api/deployments.ts";
import { listRegions } from "../api/regions.ts";
import { defineKind, defineObserve, type Reader } from "../core/kind/kind.ts";
import type { FieldChoices } from "../core/kind/server-checks.ts";
import { isObject } from "../core/json.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { idOf, definedMembers } from "./codec.ts";
import { checks } from "./deployment.checks.ts";
import { detail, settingChanges, releaseChange } from "./deployment.codec.ts";
import { example, gitExample, simpleExample } from "./deployment.example.ts";
import { type Spec, spec, status } from "./deployment.schema.ts";

const creatable = [
  "name",
  "region",
  "cloudProvider",
  "targetPlatform",
  "isManaged",
  "creationMethod",
  "deployMode",
] as const;

/** Every deployment lists the versions of the account; without a deployment, they are unknown. */
const versionsFor: FieldChoices<Reader>["list"] = async (reader, { id, spec: { release } }) => {
  const channel = isObject(release) ? release["channel"] : undefined;
  const deploymentId =
    id === undefined ? (await reader.all(getDeployments, {}))[0]?.id : Number(id);
  if (deploymentId === undefined) return undefined;
  const listed = await reader.all(listDeploymentVersions, { params: { deploymentId } });
  // Every channel has a version, so a deployment with an empty list was just deleted.
  if (listed.length === 0) return undefined;
  return listed
    .filter(({ releaseChannel }) => channel === undefined || releaseChannel === channel)
    .map(({ version }) => version);
};

/** The Deployment resource type. Deployments are listed in one call; settings are read per deployment. */
export const deployment = defineKind(
  {
    name: "Deployment",
    plural: "deployments",
    doc: "An analytics deployment: its region, the source of its data model, and its platform version. Deleting it deletes everything in it.",
    shape: "item",
    key: ["name"],
    scope: [],
    cascades: true,
    renameEffect: ({ customDomain }) =>
      typeof customDomain === "string"
        ? undefined
        : "its URL has the name, so that clients of the former URL no longer find it",
    releases: {
      candidates: "versions",
      versionAt: "/release/version",
      channelAt: "/release/channel",
      channels: releaseChannels,
      needs: [listDeploymentVersions],
      versions: async (reader, { id }) => {
        const params = { deploymentId: Number(id) };
        const listed = await reader.all(listDeploymentVersions, { params });
        return listed.map(({ version, releaseChannel, isLatestInChannel }) => ({
          version,
          channel: releaseChannel,
          isNewestInChannel: isLatestInChannel,
        }));
      },
      running: ({ spec: { release } }) => (isObject(release) ? release["version"] : undefined),
      url: async (_, { status: { deploymentUrl } }) =>
        typeof deploymentUrl === "string" ? deploymentUrl : undefined,
      checks,
    },
    choices: [
      {
        path: "/region",
        needs: [listRegions],
        list: async (reader) => (await reader.all(listRegions, {})).map(({ name }) => name),
      },
      {
        path: "/release/version",
        needs: [getDeployments, listDeploymentVersions],
        list: versionsFor,
      },
    ],
    spec,
    status,
    examples: [example, simpleExample, gitExample],
  },
  (bind) => ({
    observe: defineObserve<Spec>({
      cost: "perObject",
      needs: [getDeployments, getDeploymentSettings],
      read: async (reader) => (await reader.all(getDeployments, {})).map(toObserved),
      byId: {
        needs: [getDeployment],
        read: async (reader, deploymentId) => {
          const item = await reader.one(getDeployment, { params: { deploymentId } });
          return item && toObserved(item);
        },
      },
      detail,
    }),
    create: [
      bind.perObject(
        createDeployment,
        ({ spec: { name, region, creationMethod, deployMode, ...settings } }) => ({
          body: {
            name,
            region,
            cloudProvider: settings.cloudProvider ?? "svccloud",
            targetPlatform: settings.targetPlatform ?? "aws",
            isManaged: settings.isManaged ?? true,
            creationStep: "project" as const,
            ...definedMembers({ creationMethod, deployMode }),
          },
        }),
        { covers: creatable, refusesExisting: true },
      ),
    ],
    update: [
      bind.perObject(updateDeployment, (subject) => ({
        params: { deploymentId: idOf(subject) },
        body: { ...settingChanges(subject), ...releaseChange(subject) },
      })),
    ],
    delete: [
      bind.perObject(deleteDeployment, (subject) => ({ params: { deploymentId: idOf(subject) } })),
    ],
  }),
);

function toObserved({ id, name, deploymentUrl, creationStep }: AnswerOf<typeof getDeployments>) {
  return {
    id: String(id),
    spec: { name },
    status: definedMembers({ id, deploymentUrl, creationStep }),
  };
}
