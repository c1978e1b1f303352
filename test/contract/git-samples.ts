// One call of each operation on Git remotes that succeeds; `sample-requests.ts` contains them.
import { createRemote } from "../support/git-remotes.ts";
import type { TestService } from "../support/test-service.ts";
import type { PrepareSample } from "./sample.ts";

const base = "/build/api/v1/deployments/1/git";

/** A repository with one file. */
function remote(): string {
  const made = createRemote();
  made.commit({ "model/cubes/orders.yml": "cubes: []\n" });
  return made.path;
}

async function connect(service: TestService): Promise<void> {
  const body = { remoteUrl: remote(), webhookSecret: "s3cret", replaceFiles: true };
  const { status, text } = await service.send("POST", `${base}/connect`, { body });
  if (status !== 200) throw new Error(`preparing ${base}: ${status} ${text}`);
}

/** By operation id. */
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
      deployProjectRoot: "",
      username: null,
      webhookSecret: "s3cret",
      replaceFiles: true,
    },
  }),
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
};
