// The integrations of transformation projects: the location of a deployment's project, and its credential.
import type { setTransformIntegration } from "../../../api/transform-sync.ts";
import { Failure } from "../../../core/errors.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { parseRemoteUrl } from "../../git/remote-url.ts";
import type { RemoteAccess } from "../../git/remote.ts";
import type { Sealer } from "../../security/seal.ts";
import { transformSealContext } from "../../security/sealed-columns.ts";
import { toJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { normalizePath } from "../data-model/paths.ts";
import { fieldError } from "../shared/field-error.ts";
import { refuseUnusable, secretsOf } from "../git/connect.ts";
import {
  openGitSecrets,
  type GitSecrets,
  projectRoot,
  remoteAccess,
} from "../../git/connections.ts";
import { omitNullish } from "../shared/operation-handler.ts";

/** An integration in the store. */
export type IntegrationRow = Row<"transform_integrations">;

/** Returns the integration of a deployment; undefined if it has none. */
export async function findIntegration(
  db: Db,
  deploymentId: number,
): Promise<IntegrationRow | undefined> {
  return db
    .selectFrom("transform_integrations")
    .selectAll()
    .where("deployment_id", "=", deploymentId)
    .executeTakeFirst();
}

/** Returns the integration of a deployment. Throws `not_found` if it has none. */
export async function readIntegration(db: Db, deploymentId: number): Promise<IntegrationRow> {
  const row = await findIntegration(db, deploymentId);
  if (row) return row;
  throw new Failure(
    "not_found",
    `deployment ${deploymentId} has no integration of a transformation project`,
  );
}

/** Stores an integration. Secrets that the request omits are kept for the same host and port only. */
export async function storeIntegration(
  db: Db,
  sealer: Sealer,
  { deploymentId, input }: { deploymentId: number; input: IntegrationInput },
): Promise<IntegrationRow> {
  const before = await findIntegration(db, deploymentId);
  const { url, kind, host, port } = parseRemoteUrl(input.repoUrl);
  const stored = before && parseRemoteUrl(before.repo_url);
  const isSameHost = stored?.host === host && stored.port === port && stored.kind === kind;
  const secrets = secretsOf(input, before && isSameHost ? openSecrets(before, sealer) : {});
  refuseUnusable(kind, { input, secrets, knownHosts: input.knownHosts ?? "" });
  const row = {
    deployment_id: deploymentId,
    repo_url: url,
    branch: input.branch ?? null,
    project_root: folderOf(input.projectRoot ?? ""),
    manifest_path: normalizePath(input.manifestPath || "target/manifest.json"),
    output_path: outputPathOf(input),
    username: input.username || null,
    known_hosts: input.knownHosts || null,
    sealed_secrets: sealer.seal(
      toJson({ ...secrets }),
      transformSealContext({ deployment_id: deploymentId }),
    ),
  };
  return db
    .insertInto("transform_integrations")
    .values(row)
    .onConflict((on) => on.column("deployment_id").doUpdateSet(row))
    .returningAll()
    .executeTakeFirstOrThrow();
}

type IntegrationInput = RequestOf<typeof setTransformIntegration>["body"];

/** The folder of generated files if no integration names one. */
export const defaultOutputPath = "model/cubes/transform";

function outputPathOf({ outputPath }: IntegrationInput): string {
  const path = normalizePath(outputPath || defaultOutputPath);
  if (/^(?:model|schema)\/./u.test(path)) return path;
  throw fieldError("outputPath", ["invalid", "outputPath must be a folder below model or schema"]);
}

function folderOf(path: string): string {
  const root = projectRoot({ deploy_project_root: path });
  return root === "" ? "" : normalizePath(root);
}

function openSecrets(row: IntegrationRow, sealer: Sealer): GitSecrets {
  return openGitSecrets(row.sealed_secrets, transformSealContext(row), sealer);
}

/** Returns the secret that signs webhooks of an integration; undefined if it accepts no webhooks. */
export function webhookSecretOf(row: IntegrationRow, sealer: Sealer): string | undefined {
  return openSecrets(row, sealer).webhookSecret;
}

/** Returns the address and credential of an integration's repository. */
export function accessOf(row: IntegrationRow, sealer: Sealer): RemoteAccess {
  const { repo_url: remote_url, username, known_hosts } = row;
  const columns = { remote_url, username, known_hosts, installation_id: null };
  return remoteAccess(columns, openSecrets(row, sealer));
}

/** Returns an integration in the API form, without its secrets. */
export function showIntegration(row: IntegrationRow, sealer: Sealer) {
  const { token, privateKey, webhookSecret } = openSecrets(row, sealer);
  return {
    deploymentId: row.deployment_id,
    repoUrl: row.repo_url,
    projectRoot: row.project_root,
    manifestPath: row.manifest_path,
    outputPath: row.output_path,
    hasCredential: (token ?? privateKey) !== undefined,
    hasWebhookSecret: webhookSecret !== undefined,
    ...omitNullish({ branch: row.branch, username: row.username, knownHosts: row.known_hosts }),
  };
}
