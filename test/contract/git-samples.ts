// One call of each operation on Git remotes that succeeds; `sample-requests.ts` contains them.
import { createGithubRepository, githubInstallation } from "../support/github-server.ts";
import { createRemote } from "../support/git-remotes.ts";
import type { TestService } from "../support/test-service.ts";
import type { PrepareSample } from "./sample.ts";

const base = "/build/api/v1/deployments/1/git";

/** Creates a repository with one file. */
function remote(): string {
  const pushed = createRemote();
  pushed.commit({ "model/cubes/orders.yml": "cubes: []\n" });
  return pushed.path;
}

async function connect(service: TestService): Promise<void> {
  const body = { remoteUrl: remote(), webhookSecret: "s3cret", replaceFiles: true };
  const { status, text } = await service.send("POST", `${base}/connect`, { body });
  if (status !== 200) throw new Error(`preparing ${base}: ${status} ${text}`);
}

/** Samples by operation id. */
export const gitSamples: Readonly<Record<string, PrepareSample>> = {
  getGitConnection: async (service) => {
    await connect(service);
    return { path: base };
  },
  connectGit: async () => ({
    path: `${base}/connect`,
    body: {
      remoteUrl: remote(),
      branch: "main",
      commit: null,
      deployProjectRoot: "",
      username: null,
      webhookSecret: "s3cret",
      replaceFiles: true,
    },
  }),
  listGitCommits: async (service) => {
    await connect(service);
    return { path: `${base}/commits?first=1` };
  },
  disconnectGit: async (service) => {
    await connect(service);
    return { path: base };
  },
  receiveGitWebhook: async (service) => {
    await connect(service);
    return {
      path: `${base}/webhook`,
      body: { ref: "refs/heads/main" },
      headers: { "x-gitlab-token": "s3cret" },
    };
  },
  getGithubStatus: async () => ({ path: "/api/v1/github/status" }),
  listGithubInstallations: async () => ({ path: "/api/v1/github/installations?first=1" }),
  listGithubRepositories: async () => {
    repository();
    return { path: `/api/v1/github/installations/${githubInstallation.id}/repositories?first=1` };
  },
  listGithubBranches: async () => ({
    path: `/api/v1/github/repositories/acme/${repository()}/branches?installationId=${githubInstallation.id}`,
  }),
  connectGithub: async () => ({
    path: "/build/api/v1/deployments/1/github/connect",
    body: {
      installationId: githubInstallation.id,
      name: repository(),
      branch: "main",
      deployBranchName: null,
      isNewRepo: false,
      replaceFiles: true,
    },
  }),
};

let repositories = 0;

/** Returns the name of a new repository at GitHub. */
function repository(): string {
  const name = `shop-${++repositories}`;
  createGithubRepository(name).commit({ "model/cubes/orders.yml": "cubes: []\n" });
  return name;
}
