// Provider-defined functions. They send no request.
import { parseOrigin } from "../../client/request-url.ts";
import type { Value } from "../bridge/unknown-values.ts";
import type { Type } from "./wire/cty.ts";

/** A function. It throws an Error with a message for the user, or a {@link FunctionArgumentError} for one argument. */
export interface ProviderFunction {
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly type: Type;
    readonly description: string;
    readonly allowNullValue?: boolean;
  }[];
  /** A call in a configuration and its result. */
  readonly example: { readonly call: string; readonly result: string };
  readonly returns: Type;
  call(given: readonly Value[]): Value;
}

const versionType: Type = [
  "object",
  { version: "string", major: "number", minor: "number", patch: "number" },
];

/** An error in the argument at `argumentIndex`, counted from 0. */
export class FunctionArgumentError extends Error {
  readonly argumentIndex: number;

  constructor(argumentIndex: number, message: string) {
    super(message);
    this.name = "FunctionArgumentError";
    this.argumentIndex = argumentIndex;
  }
}

/** The functions by name. */
export const functions: Readonly<Record<string, ProviderFunction>> = {
  parse_version: {
    summary: "Parses a version of the platform: `1.2.3`, `v1.2.3` or `<image>:v1.2.3`.",
    parameters: [{ name: "version", type: "string", description: "The version to parse." }],
    returns: versionType,
    example: {
      call: 'provider::svc::parse_version("v1.2.3").minor',
      result: "2",
    },
    call: ([given]) => {
      const match = /^(?:[^:]+:v|v)?(\d+)\.(\d+)\.(\d+)$/.exec(
        typeof given === "string" ? given : "",
      );
      if (match === null)
        throw new Error("a version must have the form 1.2.3, v1.2.3 or <image>:v1.2.3");
      const [major = 0, minor = 0, patch = 0] = match.slice(1).map(Number);
      return { version: `${major}.${minor}.${patch}`, major, minor, patch };
    },
  },
  import_id: {
    summary: "Returns the import id of an object from the parts of its natural key.",
    parameters: [
      {
        name: "parts",
        type: ["list", "string"],
        description: "The parts of the natural key, in order.",
      },
    ],
    returns: "string",
    example: {
      call: 'provider::svc::import_id(["acme", "viewers"])',
      result: '"acme/viewers"',
    },
    call: ([parts]) => {
      const texts = Array.isArray(parts) ? parts : [];
      const missing = texts.findIndex((part) => typeof part !== "string" || part === "");
      if (missing >= 0) throw new Error(`part ${missing} of the natural key is null or empty`);
      return texts
        .map((part) => String(part).replace(/[%/\s\p{Cc}]/gu, encodeURIComponent))
        .join("/");
    },
  },
  embed_url: {
    summary:
      "Returns the URL of an iframe that shows a published dashboard. A session is valid for minutes and works once, so let the server of the page add it.",
    parameters: [
      { name: "url", type: "string", description: "Origin of the server, or its custom domain." },
      {
        name: "public_id",
        type: "string",
        description: "The dashboard's `public_id`.",
      },
      {
        name: "session",
        type: "string",
        description: "The `sessionId` that `generate-session` returns, or `null` for none.",
        allowNullValue: true,
      },
    ],
    returns: "string",
    example: {
      call: 'provider::svc::embed_url("https://acme.example.com", "d-42", null)',
      result: '"https://acme.example.com/embed/dashboard/d-42"',
    },
    call: ([url, publicId, session]) => {
      const origin = originOf(url);
      if (typeof publicId !== "string" || /^(?:|\.{1,2}|.*[\s\p{Cc}].*)$/su.test(publicId)) {
        throw new FunctionArgumentError(1, "the public id must not be empty or contain spaces");
      }
      const path = `${origin}/embed/dashboard/${encodeURIComponent(publicId)}`;
      if (typeof session !== "string") return path;
      if (session === "")
        throw new FunctionArgumentError(2, "the session must not be empty; use null for none");
      return `${path}?session=${encodeURIComponent(session)}`;
    },
  },
};

/** Returns the origin of the first argument. */
function originOf(url: unknown): string {
  try {
    return parseOrigin(typeof url === "string" ? url : "", false);
  } catch (error) {
    throw new FunctionArgumentError(0, error instanceof Error ? error.message : String(error));
  }
}
