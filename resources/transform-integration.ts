// TransformIntegration: the transformation project that model files of a deployment are generated from.
import { Type } from "typebox";
import { getDeployments } from "../api/deployments.ts";
import { Id } from "../api/schemas.ts";
import {
  deleteTransformIntegration,
  getTransformIntegration,
  setTransformIntegration,
} from "../api/transform-sync.ts";
import { defineKind, defineObserve } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { gitRefNamePattern } from "../core/text/text-patterns.ts";
import { field } from "../core/schema/traits.ts";
import { definedMembers, deploymentField, deploymentIdOf, deploymentIds } from "./codec.ts";
import {
  declaredOrEmpty,
  remoteCredential,
  remoteUrlField,
  webhookSecretField,
} from "./git-remote.schema.ts";
import { statusSchema } from "./status-schema.ts";

const maxLength = limits.modelPathLength;
// The server stores the default path in place of an empty one.
const pathWith = (value: string) => Type.String({ minLength: 1, maxLength, default: value });

/** The TransformIntegration resource type. A write replaces all settings; `svc sync start` reads the repository. */
export const transformIntegration = defineKind(
  {
    name: "TransformIntegration",
    plural: "transform-integrations",
    doc: "The Git repository of the transformation project that model files of a deployment are generated from. A write does not start a sync; a push does if a webhook of the Git provider reports it. Deleting it keeps generated files and the history of syncs.",
    shape: "entry",
    key: ["deployment"],
    scope: ["deployment"],
    spec: Type.Object({
      deployment: deploymentField,
      repoUrl: remoteUrlField,
      branch: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 255, pattern: gitRefNamePattern }), {
          doc: "Branch or tag that syncs read by default. Defaults to the default branch of the remote.",
          whenOmitted: "clear",
        }),
      ),
      projectRoot: Type.Optional(
        field(Type.String({ maxLength, default: "" }), {
          doc: "Folder of the project in the repository. Empty for the whole repository.",
          whenOmitted: "default",
        }),
      ),
      manifestPath: Type.Optional(
        field(pathWith("target/manifest.json"), {
          doc: "Path of the manifest in the project.",
          whenOmitted: "default",
        }),
      ),
      outputPath: Type.Optional(
        field(pathWith("model/cubes/transform"), {
          doc: "Folder of the generated files, below `model` or `schema`. A sync replaces everything in it.",
          whenOmitted: "default",
        }),
      ),
      ...remoteCredential,
      webhookSecret: webhookSecretField,
    }),
    status: statusSchema({
      deploymentId: Id,
      hasCredential: field(Type.Boolean(), { doc: "Whether a token or private key is stored." }),
      hasWebhookSecret: Type.Optional(
        field(Type.Boolean(), { doc: "Whether webhooks start syncs." }),
      ),
    }),
    examples: [
      {
        title: "A project in a folder of a repository",
        name: "warehouse",
        spec: {
          deployment: "production",
          repoUrl: "https://git.example.com/warehouse.git",
          branch: "main",
          projectRoot: "transform",
          token: "a-token-of-the-git-host",
          webhookSecret: "a-secret-for-webhooks",
        },
        variations: {
          repoUrl: "https://git.example.com/lake.git",
          branch: "release",
          projectRoot: "project",
          manifestPath: "build/manifest.json",
          outputPath: "model/generated",
          username: "sync",
          token: "another-token",
          webhookSecret: "another-secret",
        },
      },
    ],
  },
  (bind) => {
    const set = bind.perObject(
      setTransformIntegration,
      (subject, ids) => {
        const { deployment, ...members } = subject.spec;
        const { token: _token, privateKey: _key, webhookSecret: _secret, ...settings } = members;
        return {
          params: { deploymentId: deploymentIdOf(ids, deployment) },
          body: {
            repoUrl: settings.repoUrl,
            ...definedMembers(settings),
            ...declaredOrEmpty(subject, ["token", "privateKey", "webhookSecret"]),
          },
        };
      },
      { prerequisite: deploymentIds },
    );
    return {
      observe: defineObserve({
        cost: "perObject",
        needs: [getDeployments, getTransformIntegration],
        read: async (reader, { deployment = "" }) => {
          const deploymentId = (await deploymentIds.read(reader)).get(deployment);
          if (deploymentId === undefined) return [];
          const params = { deploymentId };
          const found = await reader.one(getTransformIntegration, { params });
          if (found === undefined) return [];
          const { deploymentId: _id, hasCredential, hasWebhookSecret, ...settings } = found;
          const status = { deploymentId, hasCredential, ...definedMembers({ hasWebhookSecret }) };
          return [{ id: String(deploymentId), spec: { deployment, ...settings }, status }];
        },
      }),
      create: [set],
      update: [set],
      delete: [
        bind.perObject(deleteTransformIntegration, ({ live }) => ({
          params: { deploymentId: Number(live?.status["deploymentId"]) },
        })),
      ],
    };
  },
);
