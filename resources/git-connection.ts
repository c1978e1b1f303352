// GitConnection: the connection of a deployment's data model to a Git remote.
import { getDeployments } from "../api/deployments.ts";
import { buildStatus } from "../api/data-model.ts";
import { connectGit, disconnectGit, getGitConnection, listGitCommits } from "../api/git.ts";
import { defineKind, defineObserve, type ReleaseCheck } from "../core/kind/kind.ts";
import { definedMembers, deploymentIdOf, deploymentIds } from "./codec.ts";
import { checkBuild, validate } from "./deployment.checks.ts";
import { spec, status as statusSchema } from "./git-connection.schema.ts";
import { declaredOrEmpty } from "./git-remote.schema.ts";

/** Fields that the service keeps if a request omits them. */
const kept = ["token", "privateKey", "webhookSecret", "knownHosts"] as const;

/** Production has the commit, and its newest build succeeded. */
const build: ReleaseCheck = {
  needs: [getGitConnection, buildStatus],
  async run(reader, id, commit) {
    const deploymentId = Number(id);
    const found = await reader.one(getGitConnection, { params: { deploymentId } });
    const head = found?.branches.find(({ name }) => name === found.branch)?.commit;
    if (found === undefined || head !== commit) {
      return { passed: false, message: `is at ${head ?? "no commit"} of the Git remote` };
    }
    const built = await checkBuild(reader, deploymentId, found.branch);
    return built?.passed === true ? { ...built, message: `built from ${commit}` } : built;
  },
};

/** The GitConnection resource type. A write reads the remote first, and changes nothing if that fails. */
export const gitConnection = defineKind(
  {
    name: "GitConnection",
    plural: "git-connections",
    doc: "The connection of a deployment to a Git remote. Its creation replaces the files of the deploy branch by those of the remote and builds them; an empty repository gets the files of the deploy branch instead. Commits are pushed from then on. Deleting it keeps all branches and files. The files belong to the repository, so do not declare a DataModel for the deployment.",
    shape: "entry",
    key: ["deployment"],
    scope: ["deployment"],
    sharesFields: {
      kind: "Deployment",
      key: ["deployment"],
      fields: { branch: "deployBranchName", deployProjectRoot: "deployProjectRoot" },
    },
    releases: {
      candidates: "commits",
      versionAt: "/commit",
      channelAt: "/branch",
      listedBy: ["remoteUrl", "branch"],
      channels: [],
      needs: [listGitCommits],
      versions: async (reader, { id }) => {
        const params = { deploymentId: Number(id) };
        const listed = await reader.all(listGitCommits, { params });
        return listed.map(({ commit, branch, isNewest, subject }) => ({
          version: commit,
          channel: branch,
          isNewestInChannel: isNewest,
          title: subject,
        }));
      },
      running: ({ status: { headCommit } }) => headCommit,
      url: async (reader, { id }) => {
        const all = await reader.all(getDeployments, {});
        return all.find((one) => String(one.id) === id)?.deploymentUrl;
      },
      checks: { build, validate },
    },
    spec,
    status: statusSchema,
    examples: [
      {
        title: "A repository over HTTPS",
        name: "warehouse",
        spec: {
          deployment: "warehouse",
          remoteUrl: "https://git.example.com/models/warehouse.git",
          branch: "main",
          deployProjectRoot: "analytics",
          username: "deploy",
          token: "a-token-of-the-git-host",
          webhookSecret: "a-secret-for-webhooks",
        },
        variations: {
          remoteUrl: "https://git.example.com/models/lake.git",
          branch: "release",
          deployProjectRoot: "reporting",
          commit: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
          username: "sync",
          token: "another-token",
          webhookSecret: "another-secret",
        },
      },
    ],
  },
  (bind) => {
    const connect = bind.perObject(
      connectGit,
      (subject, ids) => {
        const { spec: desired, live, changed } = subject;
        const { deployment, remoteUrl, commit, username, replaceFiles } = desired;
        // Another remote may lack the branch; the service then takes its default branch.
        const branch = desired.branch ?? (changed.has("remoteUrl") ? undefined : live?.spec.branch);
        const deployProjectRoot = desired.deployProjectRoot ?? live?.spec.deployProjectRoot;
        return {
          params: { deploymentId: deploymentIdOf(ids, deployment) },
          body: {
            remoteUrl,
            ...definedMembers({ branch, deployProjectRoot, username, replaceFiles }),
            // The service keeps the pin if a request omits it.
            commit: commit ?? null,
            ...declaredOrEmpty(subject, kept),
          },
        };
      },
      { prerequisite: deploymentIds },
    );
    return {
      observe: defineObserve({
        cost: "perObject",
        needs: [getDeployments, getGitConnection],
        read: async (reader, { deployment = "" }) => {
          const deploymentId = (await deploymentIds.read(reader)).get(deployment);
          if (deploymentId === undefined) return [];
          const found = await reader.one(getGitConnection, { params: { deploymentId } });
          if (found === undefined) return [];
          const { remoteUrl, branch, deployProjectRoot, commit, username, knownHosts } = found;
          const { hasCredential, hasWebhookSecret, installationId, status, branches } = found;
          const remote = { remoteUrl, branch, deployProjectRoot, commit, username, knownHosts };
          const headCommit = branches.find(({ name }) => name === branch)?.commit;
          return [
            {
              id: String(deploymentId),
              spec: definedMembers({ deployment, ...remote }),
              status: {
                deploymentId,
                hasCredential,
                hasWebhookSecret,
                ...definedMembers({ installationId, headCommit }),
                status,
              },
            },
          ];
        },
      }),
      create: [connect],
      update: [connect],
      delete: [
        bind.perObject(disconnectGit, ({ live }) => ({
          params: { deploymentId: Number(live?.status["deploymentId"]) },
        })),
      ],
    };
  },
);
