// Between a Deployment's wish and the wire: reading its settings, and what an update sends of them.
import type { Static } from "typebox";
import { type DeploymentSettings, getDeploymentSettings } from "../api/deployments.ts";
import type { Reader, ObservedObject, ObjectWrite } from "../core/kind.ts";
import { definedMembers } from "./codec.ts";
import { type Spec, spec } from "./deployment.schema.ts";

/** Settings cost a call an object, so they are read only where a setting is asked about. */
export async function detail(
  reader: Reader,
  sight: ObservedObject<Spec>,
  interest: ReadonlySet<string>,
): Promise<ObservedObject<Spec> | undefined> {
  if ([...interest].every((name) => name === "name")) return sight;
  const params = { deploymentId: Number(sight.id) };
  const settings = await reader.one(getDeploymentSettings, { params });
  return settings && withSettings(sight, settings);
}

function withSettings(
  sight: ObservedObject<Spec>,
  settings: Static<typeof DeploymentSettings>,
): ObservedObject<Spec> {
  const { releaseChannel: channel, releaseChannelVersion, releaseChannelVersionHold } = settings;
  const version = releaseChannelVersion?.split(":v").at(-1);
  const hold = releaseChannelVersionHold ?? false;
  const names = Object.keys(spec.properties).filter((name) => name !== "release");
  const plain = Object.entries(settings).filter(([name]) => names.includes(name));
  return {
    ...sight,
    spec: definedMembers({
      ...Object.fromEntries(plain),
      release: definedMembers({ channel, version, hold }),
    }),
    status: definedMembers({ ...sight.status, version, releaseChannel: channel }),
  };
}

/** What is to change, but for the version; an empty text clears. */
export function settingChanges({ spec: wish, live, changed }: ObjectWrite<Spec>) {
  const { customDomain, defaultLaunchpadViewGroup, templateVariables, cspsConfig } = wish;
  const same = ["name", "region", "cloudProvider", "creationMethod", "deployMode", "template"];
  const more = Object.keys(wish).filter((name) =>
    /^deploy(Branch|Project)|^launchpadTabs$/.test(name),
  );
  const plain = [...same, ...more].filter((name) => changed.has(name));
  return {
    ...Object.fromEntries(plain.map((name) => [name, wish[name as keyof Spec]])),
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

/** The API merges key by key; what is no longer wished for is named as null. */
function replacedVariables(live: Spec["templateVariables"], wish: Spec["templateVariables"]) {
  const gone = Object.keys(live ?? {}).map((name): [string, null] => [name, null]);
  return { ...Object.fromEntries(gone), ...wish };
}

/**
 * A channel alone moves to its newest version, so it is named only where it changes. A version that is wished for goes along
 * with every update, for an update without one may upgrade a deployment that is not held.
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
