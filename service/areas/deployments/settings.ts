// Everything that is set on a deployment: showing it, and changing what an update names.
import type { Static } from "typebox";
import type {
  CustomerStorage,
  DeploymentSettings,
  updateDeployment,
} from "../../../api/deployments.ts";
import { Failure } from "../../../core/errors.ts";
import { isObject, type JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits.ts";
import type { RequestOf } from "../../../core/operation.ts";
import { omitNullish } from "../operation-handler.ts";
import { toFlag, fromJson, toJson, toShortJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import type { Catalogue } from "../../accounts/version-catalogue.ts";
import {
  deploymentUrlIn,
  creationStep,
  deploymentNameConflict,
  readDeployment,
  refuseUnknownRegion,
} from "./deployments.ts";
import { nextRelease, recordVersionRun, releaseOf } from "./versions.ts";

type Settings = Static<typeof DeploymentSettings>;
type SettingsUpdate = RequestOf<typeof updateDeployment>["body"];

/** All settings of a deployment, with the version and channel in effect. */
export function showSettings(row: Row<"deployments">, catalogue: Catalogue): Settings {
  const { channel, version, hold } = releaseOf(row, catalogue);
  return {
    id: row.id,
    name: row.name,
    template: row.template as Settings["template"],
    cloudProvider: row.cloud_provider as Settings["cloudProvider"],
    creationStep: creationStep(row),
    deploymentUrl: row.deployment_url,
    releaseChannel: channel,
    deployBranchName: row.deploy_branch_name,
    deployBranchReadOnly: row.deploy_branch_read_only === 1,
    deployBranchMergeAllowed: row.deploy_branch_merge_allowed === 1,
    deployProjectRoot: row.deploy_project_root,
    isSvcSqlEnabled: true,
    isSupportPreAggregations: true,
    region: row.region,
    targetPlatform: row.target_platform,
    isManaged: row.is_managed === 1,
    releaseChannelVersion: `${catalogue.image}:v${version}`,
    releaseChannelVersionHold: hold,
    svcImageVersion: `v${version}`,
    autoDomain: new URL(row.deployment_url).hostname,
    launchpadTabs: fromJson(row.launchpad_tabs) as string[],
    templateVariables: fromJson(row.template_variables) as Settings["templateVariables"] & {},
    ...omitNullish({
      creationMethod: row.creation_method as Settings["creationMethod"] | null,
      deployMode: row.deploy_mode as Settings["deployMode"] | null,
      customDomain: row.custom_domain,
      defaultLaunchpadViewGroup: row.default_launchpad_view_group,
      cspsConfig:
        row.csps_config === null
          ? null
          : (fromJson(row.csps_config) as Static<typeof CustomerStorage>),
    }),
  };
}

/**
 * Changes what the update names and keeps the rest; an empty text clears what can be without. `not_found`, `conflict` for a
 * name that is taken, `invalid` for an unknown region or a version off the list.
 */
export async function changeSettings(
  db: Db,
  id: number,
  { wish, catalogue, at }: { wish: SettingsUpdate; catalogue: Catalogue; at: string },
): Promise<Settings> {
  const row = await readDeployment(db, id);
  if (Object.values(wish).every((value) => value == null)) return showSettings(row, catalogue);
  if (wish.name != null && wish.name !== row.name) await refuseTakenName(db, wish.name);
  if (wish.region != null) await refuseUnknownRegion(db, wish.region);
  const release = await nextRelease(db, releaseOf(row, catalogue), { wish, catalogue });
  const changed = await db
    .updateTable("deployments")
    .set({
      ...plainColumns(wish),
      ...structuredColumns(wish, row),
      deployment_url: urlInRegion(row, wish.region ?? row.region),
      release_channel: release.channel,
      version: release.version,
      version_hold: toFlag(release.hold),
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordVersionRun(db, release, at);
  return showSettings(changed, catalogue);
}

async function refuseTakenName(db: Db, name: string): Promise<void> {
  const other = await db
    .selectFrom("deployments")
    .select("id")
    .where("name", "=", name)
    .executeTakeFirst();
  if (other) throw deploymentNameConflict(name);
}

/** The columns of plain values that are given. */
function plainColumns(wish: SettingsUpdate) {
  return omitNullish({
    name: wish.name,
    region: wish.region,
    cloud_provider: wish.cloudProvider,
    creation_method: wish.creationMethod,
    deploy_mode: wish.deployMode,
    template: wish.template,
    deploy_branch_name: wish.deployBranchName,
    deploy_branch_read_only: optionalFlag(wish.deployBranchReadOnly),
    deploy_branch_merge_allowed: optionalFlag(wish.deployBranchMergeAllowed),
    deploy_project_root: wish.deployProjectRoot,
  });
}

function structuredColumns(wish: SettingsUpdate, row: Row<"deployments">) {
  const { customDomain, defaultLaunchpadViewGroup, launchpadTabs, templateVariables } = wish;
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
    ...(wish.cspsConfig != null && { csps_config: toJson(omitNullish(wish.cspsConfig)) }),
  };
}

/** Key by key: `null` removes one, and what is not named stays. */
function mergeTemplateVariables(stored: unknown, wish: JsonObject): JsonObject {
  const all = new Map([...Object.entries(isObject(stored) ? stored : {}), ...Object.entries(wish)]);
  const kept = [...all]
    .filter(([, value]) => value !== null)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (kept.length > limits.templateVariables) {
    throw new Failure(
      "invalid",
      `a deployment has at most ${limits.templateVariables} template variables; these would be ${kept.length}`,
    );
  }
  return Object.fromEntries(kept);
}

/** The address keeps its first label, which somebody may have written down, and follows the region. */
function urlInRegion(row: Row<"deployments">, region: string): string {
  if (region === row.region) return row.deployment_url;
  return deploymentUrlIn(region, new URL(row.deployment_url).hostname.split(".")[0] ?? "");
}

function optionalFlag(value: boolean | null | undefined): number | null {
  return value == null ? null : toFlag(value);
}

function emptyToNull(text: string): string | null {
  return text === "" ? null : text;
}
