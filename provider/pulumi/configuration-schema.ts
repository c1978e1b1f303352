// Declares the provider's settings once, for the package schema, for CheckConfig and for opening the bridge.
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { ProviderConfiguration } from "../bridge/connect.ts";

interface Setting {
  readonly type: "string" | "number" | "integer" | "boolean";
  readonly doc: string;
  readonly secret?: true;
  /** The environment variable that the plugin reads at Configure, so that the value stays out of state. */
  readonly variable?: string;
}

const settingDefinitions: Readonly<Record<keyof ProviderConfiguration, Setting>> = {
  url: { type: "string", doc: "URL of the server.", variable: "SVC_API_URL" },
  apiKey: { type: "string", doc: "API key.", secret: true, variable: "SVC_API_KEY" },
  authScheme: {
    type: "string",
    doc: "How the key is sent: `bearer` or `api-key`. By default, the form of the key decides.",
    variable: "SVC_AUTH_SCHEME",
  },
  requestsPerSecond: {
    type: "number",
    doc: "Maximum number of requests per second. By default, the server's rate limit applies.",
  },
  retries: {
    type: "integer",
    doc: "Maximum number of retries of a request that failed temporarily.",
  },
  ca: {
    type: "string",
    doc: "Certificate authorities to trust, as PEM or as the path of a PEM file.",
    variable: "SVC_CA_FILE",
  },
  allowCascade: {
    type: "boolean",
    doc: "Whether deleting an object may delete what is inside it, such as the groups of a tenant that another client created. By default, such a delete is refused.",
  },
};

/** Names of all settings. */
export const settingNames = Object.keys(
  settingDefinitions,
) as readonly (keyof ProviderConfiguration)[];

/** Returns true for a setting whose value is a secret. */
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
    variable === undefined ? "" : ` Defaults to the environment variable \`${variable}\`.`;
  return {
    type,
    description: `${doc}${from}`,
    ...(secret === true ? { secret } : {}),
  };
}

/** The settings as property specifications of the package schema. */
export const configurationSchema = {
  variables: describeSettings(settingSchema),
  inputs: describeSettings(settingSchema),
  outputs: describeSettings(settingSchema),
} as const;

/** Parses one setting: the engine sends numbers and booleans as JSON text. Returns undefined for an unknown name. */
export function parseSetting(name: string, value: JsonValue): JsonValue | undefined {
  const setting = Object.hasOwn(settingDefinitions, name)
    ? settingDefinitions[name as keyof ProviderConfiguration]
    : undefined;
  if (setting === undefined) return undefined;
  if (setting.type === "string" || typeof value !== "string") return value;
  if (setting.type === "boolean") return { true: true, false: false }[value] ?? value;
  const number = value.trim() === "" ? Number.NaN : Number(value);
  return Number.isNaN(number) ? value : number;
}

/** Returns the error in the type of a setting; undefined if there is none. */
export function settingTypeError(
  name: keyof ProviderConfiguration,
  value: JsonValue,
): string | undefined {
  const { type } = settingDefinitions[name];
  const expected = type === "integer" ? "number" : type;
  return typeof value === expected ? undefined : `must be a ${expected}`;
}
