// Area github: the installations of the server's GitHub App, and the connection to one of their repositories.
import {
  connectGithub,
  getGithubStatus,
  listGithubBranches,
  listGithubInstallations,
  listGithubRepositories,
} from "../../../api/github.ts";
import { Failure, isFailure } from "../../../core/errors.ts";
import type { Github, GithubRepository, RepositoryName } from "../../git/github.ts";
import { parseRemoteUrl, repositoryOf } from "../../git/remote-url.ts";
import { requirePermission } from "../../security/require-permission.ts";
import { readDeployment } from "../../store/deployments.ts";
import { showDeployment } from "../deployments/deployments.ts";
import { prepareConnection, storeConnection } from "../git/connect.ts";
import { findConnection } from "../../git/connections.ts";
import { afterConnecting } from "../git/index.ts";
import {
  type Call,
  handle,
  handleList,
  handlePrepared,
  omitNullish,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { inMemorySource, pageOf } from "../shared/pagination.ts";

/** The handlers of this area. */
export const github: readonly OperationHandler[] = [
  handle(getGithubStatus, async ({ github: app }) => {
    if (app === undefined) return { connected: false };
    const installations = await app.installations();
    const [newest] = installations.toSorted((a, b) => b.id - a.id);
    return {
      connected: newest !== undefined,
      linkUrl: await app.installUrl(),
      ...omitNullish({ settingsUrl: newest?.settingsUrl }),
    };
  }),
  handleList(listGithubInstallations, async (call) => {
    const installations = await requireGithub(call).installations();
    return pageOf(call, newestFirst(installations), ({ id, login, avatarUrl }) => ({
      installationId: String(id),
      id: String(id),
      login,
      ...omitNullish({ avatarUrl }),
    }));
  }),
  handleList(listGithubRepositories, async (call) => {
    const repositories = await requireGithub(call).repositories(call.params.installationId);
    return pageOf(call, newestFirst(repositories), ({ id, name, htmlUrl }) => ({
      id,
      name,
      htmlUrl,
    }));
  }),
  handleList(listGithubBranches, async (call) => {
    const { owner, repo: name } = call.params;
    const of = { owner, name, installationId: call.query.installationId };
    const app = requireGithub(call);
    const { defaultBranch } = await app.repository(of);
    const names = await app.branches(of);
    // Pages order rows by falling id.
    const rows = names.map((branch, index) => ({ id: names.length - index, branch }));
    return pageOf(call, inMemorySource(rows), ({ branch }) => ({
      name: branch,
      isDefault: branch === defaultBranch,
    }));
  }),
  handlePrepared(connectGithub, {
    prepare: async (call) => {
      const { installationId, isNewRepo, private: isPrivate, ...input } = call.body;
      await readDeployment(call.db, call.params.deploymentId);
      const app = requireGithub(call);
      const before = await findConnection(call.db, call.params.deploymentId);
      // An installation can reach repositories other than the deployment's.
      const requireAccount = () => requirePermission(call.principal, "SchemaUpdate", []);
      if (before?.installation_id !== installationId) requireAccount();
      const { login, isOrganization } = await app.installation(installationId);
      const of = { installationId, owner: login, name: input.name };
      const creates = isNewRepo === true ? { isOrganization, isPrivate: isPrivate ?? true } : null;
      const { cloneUrl } = await findRepository(app, of, { creates, requireAccount });
      if (before?.remote_url !== parseRemoteUrl(cloneUrl).url) requireAccount();
      return prepareConnection(call, {
        ...input,
        branch: input.deployBranchName ?? input.branch ?? null,
        remoteUrl: cloneUrl,
        installationId,
        installationToken: await app.token(installationId, repositoryOf(cloneUrl)),
      });
    },
    run: (call, prepared) => storeConnection(call, prepared, call.body.replaceFiles === true),
    finish: async (_, call) => {
      const { deploymentId } = call.params;
      await afterConnecting(call, deploymentId);
      return showDeployment(await readDeployment(call.db, deploymentId), call.origin());
    },
  }),
];

/** Returns the GitHub App. Throws `conflict` if the operator did not configure one. */
function requireGithub({ github: app }: Pick<Call, "github">): Github {
  if (app !== undefined) return app;
  throw new Failure(
    "conflict",
    "this server has no GitHub App; ask the operator to start it with --github-app-id and --github-app-key, or connect with a token",
  );
}

/** Pages order rows by falling id: an id is a number that GitHub never reuses. */
function newestFirst<Row extends { readonly id: number }>(rows: readonly Row[]) {
  return inMemorySource(rows.toSorted((a, b) => b.id - a.id));
}

interface NewRepository {
  readonly creates: { readonly isOrganization: boolean; readonly isPrivate: boolean } | null;
  /** Throws `forbidden` if the caller may not use every repository of the installation. */
  readonly requireAccount: () => void;
}

/** Returns a repository. With `creates`, creates a missing one, which a repeated request finds. */
async function findRepository(
  app: Github,
  of: RepositoryName,
  { creates, requireAccount }: NewRepository,
): Promise<GithubRepository> {
  try {
    return await app.repository(of);
  } catch (error) {
    if (!isFailure(error, "not_found")) throw error;
    requireAccount();
    if (creates === null) throw error;
    if (creates.isOrganization) return app.createRepository(of, creates.isPrivate);
    throw new Failure(
      "conflict",
      `${of.owner} is not an organization, so the App cannot create a repository; create it at GitHub`,
      { cause: error },
    );
  }
}
