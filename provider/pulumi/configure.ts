// Validates the provider's configuration and opens the bridge that it describes.
import { isDeepStrictEqual } from "node:util";
import type { JsonValue } from "../../core/json.ts";
import { didYouMean } from "../../core/text/naming.ts";
import type { Bridge } from "../bridge/bridge.ts";
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

/** Inputs that the engine itself adds to a provider. */
const engineInputNames = /^(?:version|pluginDownloadURL|parameterization|__.*)$/;

/** Returns all errors in the known part of a configuration. A setting that the environment may supply is not reported as missing. */
export function validateConfiguration(inputs: PropertyMap): readonly PropertyError[] {
  const { configuration, propertyErrors } = parseConfiguration(inputs);
  if (propertyErrors.length > 0) return propertyErrors;
  const settings = resolveSettings(configuration, process.env);
  if ("url" in settings) return [];
  return settings
    .filter(({ field }) => configuration[field] !== undefined)
    .map(({ field, summary, remedy }) => ({ path: field, reason: `${summary}. ${remedy}` }));
}

/**
 * Returns the settings that differ. No setting replaces the provider, because that would replace all of its resources: a new
 * URL or key still belongs to the same account.
 */
export function changedSettings(olds: PropertyMap, news: PropertyMap): readonly string[] {
  const [before, after] = [unwrapSecretsInMap(olds), unwrapSecretsInMap(news)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

/** Opens the bridge for a configuration. Throws {@link InvalidConfigurationError}, or the server's failure. */
export async function openConfiguredBridge(
  inputs: PropertyMap,
  options: BridgeOptions,
): Promise<Bridge> {
  const { configuration, propertyErrors } = parseConfiguration(inputs);
  if (propertyErrors.length > 0) {
    throw new InvalidConfigurationError(
      propertyErrors.map(({ path, reason }) => ({
        field: path as keyof ProviderConfiguration,
        summary: reason,
        remedy: "See the provider's documentation.",
      })),
    );
  }
  const settings = resolveSettings(configuration, process.env);
  if ("url" in settings) return openBridge(settings, options);
  throw new InvalidConfigurationError(settings);
}

interface ParsedConfiguration {
  readonly configuration: ProviderConfiguration;
  readonly propertyErrors: readonly PropertyError[];
}

function parseConfiguration(inputs: PropertyMap): ParsedConfiguration {
  const propertyErrors: PropertyError[] = [];
  const found: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(inputs)) {
    if (engineInputNames.test(name)) continue;
    const field = settingNames.find((one) => one === name);
    const plain = unwrapSecrets(value);
    if (field === undefined)
      propertyErrors.push({ path: name, reason: unknownSettingReason(name) });
    else if (isKnown(plain) && plain !== undefined && plain !== null && !isMap(value)) {
      const setting = parseSetting(field, plain) ?? null;
      const reason = settingTypeError(field, setting);
      if (reason === undefined) found.push([field, setting]);
      else propertyErrors.push({ path: field, reason });
    }
  }
  return { configuration: Object.fromEntries(found), propertyErrors };
}

function unknownSettingReason(name: string): string {
  const remedy = didYouMean(name, settingNames) ?? `Use one of ${settingNames.join(", ")}.`;
  return `is not a setting of this provider. ${remedy}`;
}
