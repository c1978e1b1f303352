// Git connections: their rows, their secrets, and how to reach their remotes.
import { Failure } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { Secret } from "../../core/secret.ts";
import type { Github } from "./github.ts";
import type { RemoteAccess } from "./remote.ts";
import { repositoryOf } from "./remote-url.ts";
import type { Sealer } from "../security/seal.ts";
import { gitSealContext } from "../security/sealed-columns.ts";
import { fromJson } from "../store/codec.ts";
import type { Db, Row } from "../store/schema.ts";

/** A connection in the store. */
export type ConnectionRow = Row<"git_connections">;

/** The columns of a connection that describe how to reach its remote. */
export type RemoteColumns = Pick<
  ConnectionRow,
  "remote_url" | "username" | "known_hosts" | "installation_id"
>;

/** The secrets of a connection. */
export interface GitSecrets {
  readonly token?: string;
  readonly privateKey?: string;
  readonly webhookSecret?: string;
}

/** Returns the connection of a deployment; undefined if it is not connected. */
export async function findConnection(
  db: Db,
  deploymentId: number,
): Promise<ConnectionRow | undefined> {
  return db
    .selectFrom("git_connections")
    .selectAll()
    .where("deployment_id", "=", deploymentId)
    .executeTakeFirst();
}

/** Identifies a connection to one remote. */
export type ConnectionKey = Pick<ConnectionRow, "id" | "remote_url">;

/**
 * Returns whether a connection is unchanged since it was read, and prevents other requests from changing it until the
 * end of the transaction.
 */
export async function lockConnection(tx: Db, { id, remote_url }: ConnectionKey): Promise<boolean> {
  const row = await tx
    .updateTable("git_connections")
    .set({ remote_url })
    .where("id", "=", id)
    .where("remote_url", "=", remote_url)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Asks for a synchronization of all branches of a deployment with its Git remote, if it has one. */
export async function requestPull(db: Db, deploymentId: number): Promise<void> {
  await db
    .updateTable("git_connections")
    .set((eb) => ({ pull_requested: eb("pull_requested", "+", 1), next_attempt_at: null }))
    .where("deployment_id", "=", deploymentId)
    .execute();
}

/** Returns the commit that the deploy branch of a deployment is pinned to; undefined if it is not. */
export async function pinnedCommit(db: Db, deploymentId: number): Promise<string | undefined> {
  return (await findConnection(db, deploymentId))?.pinned_commit ?? undefined;
}

/** Returns the connection of a deployment. Throws `not_found` if it is not connected. */
export async function readConnection(db: Db, deploymentId: number): Promise<ConnectionRow> {
  const row = await findConnection(db, deploymentId);
  if (row) return row;
  throw new Failure("not_found", `deployment ${deploymentId} is not connected to a Git remote`);
}

/** Decrypts the secrets of a connection. */
export function openSecrets(row: ConnectionRow, sealer: Sealer): GitSecrets {
  return openGitSecrets(row.sealed_secrets, gitSealContext(row), sealer);
}

/** Decrypts the secrets of a remote. `context` belongs to the column that has them. */
export function openGitSecrets(
  sealed: ConnectionRow["sealed_secrets"],
  context: string,
  sealer: Sealer,
): GitSecrets {
  const value = fromJson(sealer.open(sealed, context));
  return isObject(value) ? value : {};
}

/** Returns how to reach the remote of a connection. */
export async function accessOf(
  row: ConnectionRow,
  { sealer, github }: { sealer: Sealer; github: Github | undefined },
): Promise<RemoteAccess> {
  const { installation_id: id, remote_url } = row;
  const token = id === null ? undefined : await installationToken(github, id, remote_url);
  return remoteAccess(row, openSecrets(row, sealer), token);
}

/** Returns how to reach a remote. A token of an installation of the GitHub App replaces the stored one. */
export function remoteAccess(
  { remote_url, username, known_hosts }: RemoteColumns,
  { token, privateKey }: GitSecrets,
  installation?: Secret,
): RemoteAccess {
  return {
    url: remote_url,
    username: username ?? "x-access-token",
    token: installation ?? secretOf(token),
    privateKey: secretOf(privateKey),
    knownHosts: known_hosts ?? undefined,
  };
}

function secretOf(text: string | undefined): Secret | undefined {
  return text === undefined ? undefined : new Secret(text);
}

async function installationToken(
  github: Github | undefined,
  id: number,
  url: string,
): Promise<Secret> {
  if (github !== undefined) return github.token(id, repositoryOf(url));
  throw new Failure(
    "conflict",
    "this server has no GitHub App; ask the operator to start it with --github-app-id and --github-app-key",
  );
}

/**
 * Returns the folder of the data model in the repository, without slashes around it; empty for the whole repository.
 */
export function projectRoot(deployment: Pick<Row<"deployments">, "deploy_project_root">): string {
  return deployment.deploy_project_root.replace(/^\.?\/+|\/+$/g, "").replace(/^\.$/, "");
}
