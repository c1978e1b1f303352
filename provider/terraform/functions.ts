// Functions of the provider: what configurations compute without asking the server.
import type { Value } from "../bridge/values.ts";
import type { Type } from "./wire/cty.ts";

/** A function; it throws an Error whose message is for the user. */
export interface ProviderFunction {
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly type: Type;
    readonly description: string;
  }[];
  readonly returns: Type;
  call(given: readonly Value[]): Value;
}

const versionType: Type = [
  "object",
  { version: "string", major: "number", minor: "number", patch: "number" },
];

/** The functions by name. */
export const functions: Readonly<Record<string, ProviderFunction>> = {
  parse_version: {
    summary: "Takes a version of the platform apart: `1.2.3`, `v1.2.3` or `<image>:v1.2.3`.",
    parameters: [{ name: "version", type: "string", description: "The version." }],
    returns: versionType,
    call: ([given]) => {
      const match = /^(?:[^:]+:v|v)?(\d+)\.(\d+)\.(\d+)$/.exec(
        typeof given === "string" ? given : "",
      );
      if (match === null) throw new Error("a version is 1.2.3, v1.2.3 or <image>:v1.2.3");
      const [major = 0, minor = 0, patch = 0] = match.slice(1).map(Number);
      return { version: `${major}.${minor}.${patch}`, major, minor, patch };
    },
  },
  import_id: {
    summary: "The import id of the object that these parts name, in the order of its natural key.",
    parameters: [
      { name: "parts", type: ["list", "string"], description: "The parts of the natural key." },
    ],
    returns: "string",
    call: ([parts]) =>
      (Array.isArray(parts) ? parts : [])
        .map((part) => String(part).replace(/[%/\s\p{Cc}]/gu, encodeURIComponent))
        .join("/"),
  },
};
