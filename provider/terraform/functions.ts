// Functions of the provider: what configurations compute without asking the server.
import { parseOrigin } from "../../client/request-url.ts";
import type { Value } from "../bridge/unknown-values.ts";
import type { Type } from "./wire/cty.ts";

/** A function; it throws an Error whose message is for the user, a {@link FunctionArgumentError} where it is about a later argument. */
export interface ProviderFunction {
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly type: Type;
    readonly description: string;
    readonly allowNullValue?: boolean;
  }[];
  /** A call of it, as in a configuration, and what that gives. */
  readonly example: { readonly call: string; readonly gives: string };
  readonly returns: Type;
  call(given: readonly Value[]): Value;
}

const versionType: Type = [
  "object",
  { version: "string", major: "number", minor: "number", patch: "number" },
];

/** What is wrong with the argument at this place, counted from 0. */
export class FunctionArgumentError extends Error {
  readonly argumentIndex: number;

  constructor(at: number, message: string) {
    super(message);
    this.name = "WrongArgument";
    this.argumentIndex = at;
  }
}

/** The functions by name. */
export const functions: Readonly<Record<string, ProviderFunction>> = {
  parse_version: {
    summary: "Takes a version of the platform apart: `1.2.3`, `v1.2.3` or `<image>:v1.2.3`.",
    parameters: [{ name: "version", type: "string", description: "The version." }],
    returns: versionType,
    example: {
      call: 'provider::svc::parse_version("v1.2.3").minor',
      gives: "2",
    },
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
    example: {
      call: 'provider::svc::import_id(["acme", "viewers"])',
      gives: '"acme/viewers"',
    },
    call: ([parts]) =>
      (Array.isArray(parts) ? parts : [])
        .map((part) => String(part).replace(/[%/\s\p{Cc}]/gu, encodeURIComponent))
        .join("/"),
  },
  embed_url: {
    summary:
      "The address of an iframe that shows a published dashboard. A session is valid for minutes and works once, so it is better added by who serves the page.",
    parameters: [
      { name: "url", type: "string", description: "The server's origin, or its custom domain." },
      {
        name: "public_id",
        type: "string",
        description: "The dashboard's `public_id`.",
      },
      {
        name: "session",
        type: "string",
        description: "The `sessionId` of `generate-session`; `null` leaves it out.",
        allowNullValue: true,
      },
    ],
    returns: "string",
    example: {
      call: 'provider::svc::embed_url("https://acme.example.com", "d-42", null)',
      gives: '"https://acme.example.com/embed/dashboard/d-42"',
    },
    call: ([url, publicId, session]) => {
      const origin = parseOrigin(typeof url === "string" ? url : "", false);
      if (typeof publicId !== "string" || /^(?:|\.{1,2}|.*[\s\p{Cc}].*)$/su.test(publicId)) {
        throw new FunctionArgumentError(
          1,
          "the public id of a dashboard has no spaces and is not empty",
        );
      }
      const path = `${origin}/embed/dashboard/${encodeURIComponent(publicId)}`;
      if (typeof session !== "string") return path;
      if (session === "")
        throw new FunctionArgumentError(2, "a session is not empty; null leaves it out");
      return `${path}?session=${encodeURIComponent(session)}`;
    },
  },
};
