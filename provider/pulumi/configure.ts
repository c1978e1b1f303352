// From the provider's configuration in a Pulumi program to a bridge: checked, told what is missing, and opened.
import { isDeepStrictEqual } from "node:util";
import type { JsonValue } from "../../core/json.ts";
import { closestMatch } from "../../core/naming.ts";
import { type Bridge } from "../bridge/bridge.ts";
import {
  type ProviderConfiguration,
  openBridge,
  type BridgeOptions,
  resolveSettings,
} from "../bridge/connect.ts";
import { isKnown } from "../bridge/unknown-values.ts";
import { settingNames, parseSetting, settingTypeError } from "./configuration-schema.ts";
import { InvalidConfigurationError } from "./grpc-errors.ts";
import type { PropertyError } from "./resources.ts";
import { isMap, unwrapSecrets, unwrapSecretsInMap, type PropertyMap } from "./property-values.ts";

/** What the engine itself keeps among the inputs of a provider. */
const engineInputNames = /^(?:version|pluginDownloadURL|parameterization|__.*)$/;

/** Everything that is wrong with a configuration as far as it is known; what the environment may still say is not missing. */
export function validateConfiguration(inputs: PropertyMap): readonly PropertyError[] {
  const { configuration: given, propertyErrors: complaints } = parseConfiguration(inputs);
  if (complaints.length > 0) return complaints;
  const settings = resolveSettings(given, process.env);
  if ("url" in settings) return [];
  return settings
    .filter(({ field }) => given[field] !== undefined)
    .map(({ field, summary, remedy }) => ({ path: field, reason: `${summary}; ${remedy}` }));
}

/**
 * The settings that differ. None of them replaces the provider, which would replace all of its resources: a server that
 * moved, or a new key, is still the same account to the program.
 */
export function changedSettings(olds: PropertyMap, news: PropertyMap): readonly string[] {
  const [before, after] = [unwrapSecretsInMap(olds), unwrapSecretsInMap(news)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

/** Opens the bridge that a configuration asks for. Fails with {@link InvalidConfigurationError}, or as the server answers. */
export async function openConfiguredBridge(
  inputs: PropertyMap,
  opening: BridgeOptions,
): Promise<Bridge> {
  const { configuration: given, propertyErrors: complaints } = parseConfiguration(inputs);
  if (complaints.length > 0) {
    throw new InvalidConfigurationError(
      complaints.map(({ path, reason }) => ({
        field: path as keyof ProviderConfiguration,
        summary: reason,
        remedy: "see the provider's documentation",
      })),
    );
  }
  const settings = resolveSettings(given, process.env);
  if ("url" in settings) return openBridge(settings, opening);
  throw new InvalidConfigurationError(settings);
}

interface ParsedConfiguration {
  readonly configuration: ProviderConfiguration;
  readonly propertyErrors: readonly PropertyError[];
}

function parseConfiguration(inputs: PropertyMap): ParsedConfiguration {
  const complaints: PropertyError[] = [];
  const found: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(inputs)) {
    if (engineInputNames.test(name)) continue;
    const field = settingNames.find((one) => one === name);
    const plain = unwrapSecrets(value);
    if (field === undefined) complaints.push({ path: name, reason: unknownSettingReason(name) });
    else if (isKnown(plain) && plain !== undefined && plain !== null && !isMap(value)) {
      const setting = parseSetting(field, plain) ?? null;
      const reason = settingTypeError(field, setting);
      if (reason === undefined) found.push([field, setting]);
      else complaints.push({ path: field, reason });
    }
  }
  return { configuration: Object.fromEntries(found), propertyErrors: complaints };
}

function unknownSettingReason(name: string): string {
  const meant = closestMatch(name, settingNames);
  const remedy =
    meant === undefined ? `There are ${settingNames.join(", ")}.` : `Did you mean ${meant}?`;
  return `is not a setting that there is. ${remedy}`;
}
