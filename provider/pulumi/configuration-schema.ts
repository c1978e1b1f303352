// What a provider is configured with: described once, for the package schema, for checking, and for opening the bridge.
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { ProviderConfiguration } from "../bridge/connect.ts";

interface Setting {
  readonly type: "string" | "number" | "integer";
  readonly doc: string;
  readonly secret?: true;
  /** Read by the plugin when it is configured, so that its value stays out of state. */
  readonly variable?: string;
}

const settingDefinitions: Readonly<Record<keyof ProviderConfiguration, Setting>> = {
  url: { type: "string", doc: "Address of the server.", variable: "SVC_API_URL" },
  apiKey: { type: "string", doc: "API key.", secret: true, variable: "SVC_API_KEY" },
  authScheme: {
    type: "string",
    doc: "How the key is sent: `bearer` or `api-key`; left out, by what it looks like.",
    variable: "SVC_AUTH_SCHEME",
  },
  requestsPerSecond: {
    type: "number",
    doc: "Most requests a second; left out, as fast as the server allows.",
  },
  retries: { type: "integer", doc: "Times that a request which may succeed later is sent again." },
  ca: {
    type: "string",
    doc: "Certificate authorities to trust: PEM, or the path of a file that holds it.",
    variable: "SVC_CA_FILE",
  },
};

/** The names of all settings. */
export const settingNames = Object.keys(
  settingDefinitions,
) as readonly (keyof ProviderConfiguration)[];

/** True for a setting whose value must not be shown. */
export function isSecretSetting(name: keyof ProviderConfiguration): boolean {
  return settingDefinitions[name].secret === true;
}

function describeSettings(pick: (setting: Setting) => JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(settingDefinitions).map(([name, setting]) => [name, pick(setting)]),
  );
}

function settingSchema({ type, doc, secret, variable }: Setting): JsonObject {
  const from =
    variable === undefined ? "" : ` Left out, \`${variable}\` of the plugin's environment says it.`;
  return {
    type,
    description: `${doc}${from}`,
    ...(secret === true ? { secret } : {}),
  };
}

/** The settings as the package schema describes them. */
export const configurationSchema = {
  variables: describeSettings(settingSchema),
  inputs: describeSettings(settingSchema),
  outputs: describeSettings(settingSchema),
} as const;

/** A configuration as the engine sends it: values that are no texts come as JSON texts. Undefined for a name that is no setting. */
export function parseSetting(name: string, value: JsonValue): JsonValue | undefined {
  const setting = Object.hasOwn(settingDefinitions, name)
    ? settingDefinitions[name as keyof ProviderConfiguration]
    : undefined;
  if (setting === undefined) return undefined;
  if (setting.type === "string" || typeof value !== "string") return value;
  const number = value.trim() === "" ? Number.NaN : Number(value);
  return Number.isNaN(number) ? value : number;
}

/** What is wrong with the type of a setting; undefined where nothing is. */
export function settingTypeError(
  name: keyof ProviderConfiguration,
  value: JsonValue,
): string | undefined {
  const { type } = settingDefinitions[name];
  if (typeof value === (type === "string" ? "string" : "number")) return undefined;
  return type === "string" ? "must be text" : "must be a number";
}
