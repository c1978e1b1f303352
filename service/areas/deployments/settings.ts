// Deployment settings: convert them to the API form and update them.
import type { Static } from "typebox";
import type {
  CustomerStorage,
  DeploymentSettings,
  updateDeployment,
} from "../../../api/deployments.ts";
import { Failure } from "../../../core/errors.ts";
import { isObject, type JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { switchDeployBranch } from "../data-model/branches.ts";
import { findConnection, requestPull } from "../../git/connections.ts";
import { toFlag, fromJson, toJson, toShortJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import type { AccountOrigin } from "../../accounts/hosts.ts";
import { type Catalogue, releaseOf } from "../../accounts/version-catalogue.ts";
import { readDeployment } from "../../store/deployments.ts";
import { creationStep, deploymentNameConflict, refuseUnknownRegion } from "./deployments.ts";
import { fieldError } from "../shared/field-error.ts";
import { assignedHost, deploymentUrl, findByDomain } from "../../accounts/deployment-url.ts";
import { nextRelease, recordVersionRun } from "./versions.ts";

type Settings = Static<typeof DeploymentSettings>;
type SettingsUpdate = RequestOf<typeof updateDeployment>["body"];

/** The inputs of a deployment's settings in addition to its row. */
export interface SettingsContext {
  readonly catalogue: Catalogue;
  readonly origin: AccountOrigin;
}

/** Returns all settings of a deployment, with the effective version and channel. */
export function showSettings(
  row: Row<"deployments">,
  { catalogue, origin }: SettingsContext,
): Settings {
  const { channel, version, hold } = releaseOf(row, catalogue);
  return {
    id: row.id,
    name: row.name,
    template: row.template as Settings["template"],
    cloudProvider: row.cloud_provider as Settings["cloudProvider"],
    creationStep: creationStep(row),
    deploymentUrl: deploymentUrl(origin, row),
    releaseChannel: channel,
    deployBranchName: row.deploy_branch_name,
    deployBranchReadOnly: row.deploy_branch_read_only === 1,
    deployBranchMergeAllowed: row.deploy_branch_merge_allowed === 1,
    deployProjectRoot: row.deploy_project_root,
    isSvcSqlEnabled: false,
    isSupportPreAggregations: true,
    region: row.region,
    targetPlatform: row.target_platform,
    isManaged: row.is_managed === 1,
    releaseChannelVersion: `${catalogue.image}:v${version}`,
    releaseChannelVersionHold: hold,
    svcImageVersion: `v${version}`,
    launchpadTabs: fromJson(row.launchpad_tabs) as string[],
    templateVariables: fromJson(row.template_variables) as Settings["templateVariables"] & {},
    ...omitNullish({
      creationMethod: row.creation_method as Settings["creationMethod"] | null,
      deployMode: row.deploy_mode as Settings["deployMode"] | null,
      customDomain: row.custom_domain,
      autoDomain: assignedHost(origin, row),
      defaultLaunchpadViewGroup: row.default_launchpad_view_group,
      cspsConfig:
        row.csps_config === null
          ? null
          : (fromJson(row.csps_config) as Static<typeof CustomerStorage>),
    }),
  };
}

/** A change of settings. */
export interface SettingsChange {
  readonly update: SettingsUpdate;
  readonly now: Date;
  /** Returns whether a host belongs to an account, or is below one that does. */
  readonly isAccountHost: (host: string) => boolean;
}

/**
 * Updates the settings that are set and keeps the others. An empty string clears an optional text. Throws `not_found`,
 * `conflict` if the name is taken, and `invalid` for an unknown region or an unavailable version.
 */
export async function changeSettings(
  db: Db,
  id: number,
  { update, now, isAccountHost, ...context }: SettingsContext & SettingsChange,
): Promise<Settings> {
  const { catalogue } = context;
  const row = await readDeployment(db, id);
  if (Object.values(update).every((value) => value == null)) return showSettings(row, context);
  if (update.name != null && update.name !== row.name) await refuseTakenName(db, update.name);
  if (update.region != null) await refuseUnknownRegion(db, update.region);
  if (update.customDomain != null && update.customDomain !== "") {
    await refuseTakenDomain(db, id, { domain: update.customDomain, isAccountHost, ...context });
  }
  await refuseConnected(db, row, update);
  const release = await nextRelease(db, releaseOf(row, catalogue), { update, catalogue });
  const changed = await db
    .updateTable("deployments")
    .set({
      ...plainColumns(update),
      ...structuredColumns(update, row),
      release_channel: release.channel,
      version: release.version,
      version_hold: toFlag(release.hold),
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordVersionRun(db, release);
  await rebuild(db, { before: row, after: changed }, { catalogue, now });
  // Pushes that did not change production while it had what was uploaded.
  if (row.deploy_mode === "cli" && changed.deploy_mode === "git") await requestPull(db, id);
  return showSettings(changed, context);
}

/** Throws `conflict` if a custom domain already leads elsewhere. */
async function refuseTakenDomain(
  db: Db,
  id: number,
  {
    domain,
    isAccountHost,
    origin,
  }: Pick<SettingsChange, "isAccountHost"> & Pick<SettingsContext, "origin"> & { domain: string },
): Promise<void> {
  const isOwn = domain === new URL(origin.url).hostname;
  const other = await findByDomain(db, domain);
  if (!isOwn && !isAccountHost(domain) && (other === undefined || other.id === id)) return;
  const owner = other === undefined ? "an account" : `the deployment ${other.name}`;
  throw fieldError("customDomain", [
    "conflict",
    `${domain} is already the host of ${owner}; choose another domain`,
  ]);
}

/** Builds production again if the deploy branch or the platform version changed. */
async function rebuild(
  db: Db,
  rows: { before: Row<"deployments">; after: Row<"deployments"> },
  on: { catalogue: Catalogue; now: Date },
): Promise<void> {
  const { before, after } = rows;
  if (before.deploy_branch_name === after.deploy_branch_name && before.version === after.version)
    return;
  await switchDeployBranch(db, rows, on);
}

/** Throws `conflict` for another branch or folder if the deployment has a Git connection, which determines both. */
async function refuseConnected(
  db: Db,
  row: Row<"deployments">,
  { deployBranchName, deployProjectRoot }: SettingsUpdate,
): Promise<void> {
  const changed = [
    ["deployBranchName", deployBranchName, row.deploy_branch_name],
    ["deployProjectRoot", deployProjectRoot, row.deploy_project_root],
  ].find(([, value, stored]) => value != null && value !== stored);
  if (changed === undefined) return;
  if ((await findConnection(db, row.id)) === undefined) return;
  const member = changed[0] ?? "";
  throw fieldError(member, [
    "conflict",
    `${member} belongs to the Git connection of the deployment; connect again with another one`,
  ]);
}

async function refuseTakenName(db: Db, name: string): Promise<void> {
  const other = await db
    .selectFrom("deployments")
    .select("id")
    .where("name", "=", name)
    .executeTakeFirst();
  if (other) throw deploymentNameConflict(name);
}

/** Returns the columns for the plain values that are set. */
function plainColumns(update: SettingsUpdate) {
  return omitNullish({
    name: update.name,
    region: update.region,
    cloud_provider: update.cloudProvider,
    creation_method: update.creationMethod,
    deploy_mode: update.deployMode,
    template: update.template,
    deploy_branch_name: update.deployBranchName,
    deploy_branch_read_only: optionalFlag(update.deployBranchReadOnly),
    deploy_branch_merge_allowed: optionalFlag(update.deployBranchMergeAllowed),
    deploy_project_root: update.deployProjectRoot,
  });
}

function structuredColumns(update: SettingsUpdate, row: Row<"deployments">) {
  const { customDomain, defaultLaunchpadViewGroup, launchpadTabs, templateVariables } = update;
  return {
    ...(customDomain != null && { custom_domain: emptyToNull(customDomain) }),
    ...(defaultLaunchpadViewGroup != null && {
      default_launchpad_view_group: emptyToNull(defaultLaunchpadViewGroup),
    }),
    ...(launchpadTabs != null && { launchpad_tabs: toJson(launchpadTabs) }),
    ...(templateVariables != null && {
      template_variables: toShortJson(
        mergeTemplateVariables(fromJson(row.template_variables), templateVariables),
        {
          name: "templateVariables",
          most: limits.templateVariablesBytes,
        },
      ),
    }),
    ...(update.cspsConfig != null && { csps_config: toJson(omitNullish(update.cspsConfig)) }),
  };
}

/** Merges key by key: `null` removes a key, and absent keys stay. */
function mergeTemplateVariables(stored: unknown, update: JsonObject): JsonObject {
  const all = new Map([
    ...Object.entries(isObject(stored) ? stored : {}),
    ...Object.entries(update),
  ]);
  const kept = [...all]
    .filter(([, value]) => value !== null)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (kept.length > limits.templateVariables) {
    throw new Failure(
      "invalid",
      `a deployment can have at most ${limits.templateVariables} template variables; this update results in ${kept.length}`,
    );
  }
  return Object.fromEntries(kept);
}

function optionalFlag(value: boolean | null | undefined): number | null {
  return value == null ? null : toFlag(value);
}

function emptyToNull(text: string): string | null {
  return text === "" ? null : text;
}
