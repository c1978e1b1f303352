// What a provider is configured with: described once, for the package schema, for checking, and for opening the bridge.
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Configuration } from "../bridge/connect.ts";

interface Setting {
  readonly type: "string" | "number" | "integer";
  readonly doc: string;
  readonly secret?: true;
  /** Read by the plugin when it is configured, so that its value stays out of state. */
  readonly variable?: string;
}

const settings: Readonly<Record<keyof Configuration, Setting>> = {
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
export const settingNames = Object.keys(settings) as readonly (keyof Configuration)[];

/** True for a setting whose value must not be shown. */
export function isSecretSetting(name: keyof Configuration): boolean {
  return settings[name].secret === true;
}

function describe(pick: (setting: Setting) => JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [name, pick(setting)]),
  );
}

function specification({ type, doc, secret, variable }: Setting): JsonObject {
  const from =
    variable === undefined ? "" : ` Left out, \`${variable}\` of the plugin's environment says it.`;
  return {
    type,
    description: `${doc}${from}`,
    ...(secret === true ? { secret } : {}),
  };
}

/** The settings as the package schema describes them. */
export const configuration = {
  variables: describe(specification),
  inputs: describe(specification),
  outputs: describe(specification),
} as const;

/** A configuration as the engine sends it: values that are no texts come as JSON texts. Undefined for a name that is no setting. */
export function settingOf(name: string, value: JsonValue): JsonValue | undefined {
  const setting = Object.hasOwn(settings, name) ? settings[name as keyof Configuration] : undefined;
  if (setting === undefined) return undefined;
  if (setting.type === "string" || typeof value !== "string") return value;
  const number = value.trim() === "" ? Number.NaN : Number(value);
  return Number.isNaN(number) ? value : number;
}

/** What is wrong with the type of a setting; undefined where nothing is. */
export function wrongType(name: keyof Configuration, value: JsonValue): string | undefined {
  const { type } = settings[name];
  if (typeof value === (type === "string" ? "string" : "number")) return undefined;
  return type === "string" ? "must be text" : "must be a number";
}
