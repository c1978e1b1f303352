// TransformIntegration: the transformation project that model files of a deployment are generated from.
import { Type } from "typebox";
import { getDeployments } from "../api/deployments.ts";
import { Id } from "../api/schemas.ts";
import {
  deleteTransformIntegration,
  getTransformIntegration,
  setTransformIntegration,
} from "../api/transform-sync.ts";
import { defineKind, defineObserve } from "../core/kind.ts";
import { limits } from "../core/limits.ts";
import { field } from "../core/traits.ts";
import { definedMembers, deploymentField, deploymentIdOf, deploymentIds } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

const pathWith = (value: string) =>
  Type.String({ maxLength: limits.modelPathLength, default: value });
const secret = (doc: string) =>
  Type.Optional(
    field(Type.String({ minLength: 1, maxLength: 16_384 }), {
      doc,
      sensitive: true,
      writeOnly: true,
    }),
  );

/** The TransformIntegration resource type. A write replaces all settings; `svc sync start` reads the repository. */
export const transformIntegration = defineKind(
  {
    name: "TransformIntegration",
    plural: "transform-integrations",
    doc: "The Git repository of the transformation project that model files of a deployment are generated from. A write does not start a sync. Deleting it keeps generated files and the history of syncs.",
    shape: "entry",
    key: ["deployment"],
    scope: ["deployment"],
    spec: Type.Object({
      deployment: deploymentField,
      repoUrl: field(Type.String({ minLength: 1, maxLength: 2048 }), {
        doc: "URL of the Git remote: `https://host/path`, `ssh://user@host/path`, `user@host:path`, or a folder on the server.",
      }),
      branch: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 255 }), {
          doc: "Branch or tag that syncs read by default. Defaults to the default branch of the remote.",
          whenOmitted: "clear",
        }),
      ),
      projectRoot: Type.Optional(
        field(pathWith(""), {
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
      username: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 255 }), {
          doc: "User name for the token. Defaults to `x-access-token`.",
          whenOmitted: "clear",
        }),
      ),
      knownHosts: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 16_384 }), {
          doc: "Host keys that SSH accepts, as `ssh-keyscan` prints them. Required for SSH.",
          whenOmitted: "clear",
        }),
      ),
      token: secret("Token or password for HTTPS."),
      privateKey: secret("Private key for SSH, without a passphrase."),
    }),
    status: statusSchema({
      deploymentId: Id,
      hasCredential: field(Type.Boolean(), { doc: "Whether a token or private key is stored." }),
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
        },
        variations: {
          repoUrl: "https://git.example.com/lake.git",
          branch: "release",
          projectRoot: "project",
          manifestPath: "build/manifest.json",
          outputPath: "model/generated",
          username: "sync",
          token: "another-token",
        },
      },
    ],
  },
  (bind) => {
    const set = bind.perObject(
      setTransformIntegration,
      ({ spec: { deployment, token, privateKey, ...settings }, changed }, ids) => ({
        params: { deploymentId: deploymentIdOf(ids, deployment) },
        body: {
          repoUrl: settings.repoUrl,
          ...definedMembers({
            ...settings,
            token: token ?? (changed.has("token") ? "" : undefined),
            privateKey: privateKey ?? (changed.has("privateKey") ? "" : undefined),
          }),
        },
      }),
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
          const { deploymentId: _id, hasCredential, ...settings } = found;
          const spec = { deployment, ...settings };
          return [{ id: undefined, spec, status: { deploymentId, hasCredential } }];
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
