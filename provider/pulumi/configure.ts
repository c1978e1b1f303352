// From the provider's configuration in a Pulumi program to a bridge: checked, told what is missing, and opened.
import { isDeepStrictEqual } from "node:util";
import type { JsonValue } from "../../core/json.ts";
import { nearest } from "../../core/names.ts";
import { type Bridge } from "../bridge/bridge.ts";
import { type Configuration, openBridge, type Opening, settingsOf } from "../bridge/connect.ts";
import { isKnown } from "../bridge/values.ts";
import { settingNames, settingOf, wrongType } from "./configuration.ts";
import { Unconfigured } from "./errors.ts";
import type { Complaint } from "./objects.ts";
import { isMap, opened, openedMap, type PropertyMap } from "./values.ts";

/** What the engine itself keeps among the inputs of a provider. */
const engines = /^(?:version|pluginDownloadURL|parameterization|__.*)$/;

/** Everything that is wrong with a configuration as far as it is known; what the environment may still say is not missing. */
export function checkConfiguration(inputs: PropertyMap): readonly Complaint[] {
  const { given, complaints } = parsed(inputs);
  if (complaints.length > 0) return complaints;
  const settings = settingsOf(given, process.env);
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
  const [before, after] = [openedMap(olds), openedMap(news)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

/** Opens the bridge that a configuration asks for. Fails with {@link Unconfigured}, or as the server answers. */
export async function configure(inputs: PropertyMap, opening: Opening): Promise<Bridge> {
  const { given, complaints } = parsed(inputs);
  if (complaints.length > 0) {
    throw new Unconfigured(
      complaints.map(({ path, reason }) => ({
        field: path as keyof Configuration,
        summary: reason,
        remedy: "see the provider's documentation",
      })),
    );
  }
  const settings = settingsOf(given, process.env);
  if ("url" in settings) return openBridge(settings, opening);
  throw new Unconfigured(settings);
}

interface Parsed {
  readonly given: Configuration;
  readonly complaints: readonly Complaint[];
}

function parsed(inputs: PropertyMap): Parsed {
  const complaints: Complaint[] = [];
  const found: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(inputs)) {
    if (engines.test(name)) continue;
    const field = settingNames.find((one) => one === name);
    const plain = opened(value);
    if (field === undefined) complaints.push({ path: name, reason: stranger(name) });
    else if (isKnown(plain) && plain !== undefined && plain !== null && !isMap(value)) {
      const setting = settingOf(field, plain) ?? null;
      const reason = wrongType(field, setting);
      if (reason === undefined) found.push([field, setting]);
      else complaints.push({ path: field, reason });
    }
  }
  return { given: Object.fromEntries(found), complaints };
}

function stranger(name: string): string {
  const meant = nearest(name, settingNames);
  const remedy =
    meant === undefined ? `There are ${settingNames.join(", ")}.` : `Did you mean ${meant}?`;
  return `is not a setting that there is. ${remedy}`;
}
