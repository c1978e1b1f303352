// Converts deployments between specs and requests: reads settings and builds updates.
import type { Static } from "typebox";
import { type DeploymentSettings, getDeploymentSettings } from "../api/deployments.ts";
import type { Reader, ObservedObject, ObjectWrite } from "../core/kind/kind.ts";
import { definedMembers } from "./codec.ts";
import { type Spec, spec } from "./deployment.schema.ts";

/** Reads the settings of one deployment, if `interest` contains a field other than the name. */
export async function detail(
  reader: Reader,
  observed: ObservedObject<Spec>,
  interest: ReadonlySet<string>,
): Promise<ObservedObject<Spec> | undefined> {
  if ([...interest].every((name) => name === "name")) return observed;
  const params = { deploymentId: Number(observed.id) };
  const settings = await reader.one(getDeploymentSettings, { params });
  return settings && withSettings(observed, settings);
}

function withSettings(
  observed: ObservedObject<Spec>,
  settings: Static<typeof DeploymentSettings>,
): ObservedObject<Spec> {
  const { releaseChannel: channel, releaseChannelVersion, releaseChannelVersionHold } = settings;
  const version = releaseChannelVersion?.split(":v").at(-1);
  const hold = releaseChannelVersionHold ?? false;
  const names = Object.keys(spec.properties).filter((name) => name !== "release");
  const plain = Object.entries(settings).filter(([name]) => names.includes(name));
  return {
    ...observed,
    spec: definedMembers({
      ...Object.fromEntries(plain),
      release: definedMembers({ channel, version, hold }),
    }),
    status: definedMembers({ ...observed.status, version, releaseChannel: channel }),
  };
}

/** Returns the changed settings except the release. An empty string clears a setting. */
export function settingChanges({ spec: desired, live, changed }: ObjectWrite<Spec>) {
  const { customDomain, defaultLaunchpadViewGroup, templateVariables, cspsConfig } = desired;
  const same = ["name", "region", "cloudProvider", "creationMethod", "deployMode", "template"];
  const more = Object.keys(desired).filter((name) =>
    /^deploy(Branch|Project)|^launchpadTabs$/.test(name),
  );
  const plain = [...same, ...more].filter((name) => changed.has(name));
  return {
    ...Object.fromEntries(plain.map((name) => [name, desired[name as keyof Spec]])),
    ...(changed.has("customDomain") && { customDomain: customDomain ?? "" }),
    ...(changed.has("defaultLaunchpadViewGroup") && {
      defaultLaunchpadViewGroup: defaultLaunchpadViewGroup ?? "",
    }),
    ...(changed.has("templateVariables") && {
      templateVariables: replacedVariables(live?.spec.templateVariables, templateVariables),
    }),
    ...(changed.has("cspsConfig") &&
      cspsConfig && { cspsConfig: { ...live?.spec.cspsConfig, ...cspsConfig } }),
  };
}

/** Returns an update that replaces the variables: the API merges by key, so removed variables are sent as `null`. */
function replacedVariables(live: Spec["templateVariables"], desired: Spec["templateVariables"]) {
  const removals = Object.keys(live ?? {}).map((name): [string, null] => [name, null]);
  return { ...Object.fromEntries(removals), ...desired };
}

/**
 * Returns the release members of an update. A channel without a version upgrades the deployment, so it is sent only if it
 * changes. A declared version is sent with every update, because an update without it can upgrade the deployment.
 */
export function releaseChange({ spec: { release }, live, changed }: ObjectWrite<Spec>) {
  const { channel, version, hold } = release ?? {};
  if (!changed.has("release") && version === undefined) return {};
  const moves = version !== undefined || channel !== live?.spec.release?.channel;
  return {
    ...(channel !== undefined && moves && { releaseChannel: channel }),
    ...(version !== undefined && { releaseChannelVersion: version }),
    ...(hold !== undefined && { releaseChannelVersionHold: hold }),
  };
}
