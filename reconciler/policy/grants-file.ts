// The file of an operator's grants: its form, and how it is read.
import path from "node:path";
import { type Static, Type } from "typebox";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import {
  type ConfigFileError,
  configFileSchema,
  readConfigDocument,
} from "../manifest/config-file.ts";
import { type CommandGrant, argumentWildcard, type Grants, noGrants } from "../operator/grants.ts";
import { windowSchemaMembers, windowRuleErrors } from "../model/windows/window-schema.ts";

const closed = { additionalProperties: false } as const;

/** What an operator can grant, as it is written. */
export const grantsFileSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    environment: Type.Optional(
      Type.Array(Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]*$" }), {
        description: "Environment variables that manifests may read, where the Stack names them.",
      }),
    ),
    files: Type.Optional(
      Type.Array(Type.String({ pattern: "^/" }), {
        description:
          "Files that secrets may be read from, as absolute paths; one that ends in / is a folder with all that is in it.",
      }),
    ),
    commands: Type.Optional(
      Type.Array(
        Type.Union([
          Type.String({ minLength: 1 }),
          Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
        ]),
        {
          description:
            "Commands that may be run for a secret. A text is a program that is run without arguments; a list is a program with all of its arguments, in which * stands for one that manifests choose and that does not begin with a hyphen. A program is a bare name as PATH finds it, or an absolute path.",
        },
      ),
    ),
    sops: Type.Optional(
      Type.Array(Type.String({ pattern: "^/" }), {
        description:
          "Files that sops may decrypt for a secret, as absolute paths; one that ends in / is a folder with all that is in it.",
      }),
    ),
    age: Type.Optional(
      Type.Array(
        Type.Object(
          {
            identity: Type.String({
              pattern: "^/.*[^/]$",
              description: "The file of the key, as an absolute path.",
            }),
            files: Type.Array(Type.String({ pattern: "^/" }), {
              description: "Absolute paths; one that ends in / is a folder with all that is in it.",
            }),
          },
          closed,
        ),
        { description: "Files that age may decrypt for a secret, by the key that opens them." },
      ),
    ),
    typescript: Type.Optional(
      Type.Union(
        [
          Type.Boolean({ description: "All that the Stack names." }),
          Type.Array(Type.String({ pattern: "^/" }), {
            description: "Absolute paths; one that ends in / is a folder with all that is in it.",
          }),
        ],
        { description: "Manifests in TypeScript that may be run." },
      ),
    ),
    origins: Type.Optional(
      Type.Array(Type.String({ pattern: "^https?://[^/?#@\\s]+$" }), {
        minItems: 1,
        description:
          "Origins of the services that may be talked to: https://acme.example.com. Without it, the one that the operator connects to.",
      }),
    ),
    inventory: Type.Optional(
      Type.Union([Type.Literal("service"), Type.Literal("postgres")], {
        description:
          "The one place where inventories are kept: the service that a stack is for, or the database that SVC_INVENTORY_URL names. A Stack that names another is refused.",
      }),
    ),
    maxDeletes: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: limits.deletesWithoutGrant,
        description: "As many deletes and replaces as a Stack may allow one apply.",
      }),
    ),
    maxDeletePercent: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: "The same as a share of what the stack owns, in percent.",
      }),
    ),
    promotion: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: "Stages of pipelines that may be promoted to without a person.",
      }),
    ),
    rollbackInFreeze: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Let stages of pipelines be rolled back in the operator's own freezes and closed windows.",
      }),
    ),
    checks: Type.Optional(
      Type.Object(
        {
          origins: Type.Optional(
            Type.Array(Type.String({ pattern: "^https?://[^/?#@\\s]+$" }), {
              description:
                "What checks of pipelines may ask: https://host, or https://*.host for every host below one. Private addresses only where the very origin is named.",
            }),
          ),
          commands: Type.Optional(
            Type.Record(Type.String(), Type.String({ pattern: "^/" }), {
              description: "Files that checks of pipelines run, by the name that they call them.",
            }),
          ),
        },
        { ...closed, description: "What the checks of pipelines may do." },
      ),
    ),
    ...windowSchemaMembers,
  },
  { ...closed, description: "What an operator grants to the manifests of others." },
);

/** What is written of grants. */
export type GrantsFile = Static<typeof grantsFileSchema>;

/** `schemas/grants.json`: the form of a file of grants. */
export function grantsSchema(): JsonObject {
  return configFileSchema("Grants of svc", grantsFileSchema);
}

/** Reads a file of grants, YAML or JSON. Fails with `usage` and every mistake in it where it cannot be taken as it is. */
export function readGrants(file: string): Grants {
  const given = readConfigDocument(file, {
    label: "file of grants",
    schema: grantsFileSchema,
    maxBytes: limits.grantsBytes,
    remedy: "docs/reference/grants.md shows one, schemas/grants.json says what it may hold",
    validate: (value) => grantsErrors(value as GrantsFile),
  });
  return grantsFromFile((given ?? {}) as GrantsFile, file);
}

/** What is written of grants in a file, with what goes without saying. */
export function grantsFromFile({ $schema: _, ...granted }: GrantsFile, file: string): Grants {
  return { ...noGrants, ...granted, file: path.resolve(file) };
}

/** What the schema cannot say of grants. */
export function grantsErrors(given: GrantsFile): readonly ConfigFileError[] {
  const { windows = [], freezes = [], commands = [] } = given;
  return [...windowRuleErrors({ windows, freezes }), ...commands.flatMap(openEndedErrors)];
}

/**
 * A program is the operator's to choose. What decrypts is granted by the files that it may decrypt, with their links followed; and lists once
 * were how a command begins, so that one that is left over let manifests write files.
 */
function openEndedErrors(command: CommandGrant, index: number): readonly ConfigFileError[] {
  const [first] = typeof command === "string" ? [command] : command;
  if (first === argumentWildcard) {
    const at = typeof command === "string" ? "" : "/0";
    const summary = `${argumentWildcard} in place of the program would let manifests run any`;
    return [{ path: `/commands/${index}${at}`, summary, remedy: "Name the program." }];
  }
  const program = typeof command === "string" ? "" : path.basename(first ?? "");
  const forms: Readonly<Record<string, string>> = {
    sops: "sops: [FILE or FOLDER/]",
    age: "age: [{ identity: KEY, files: [FILE or FOLDER/] }]",
  };
  const form = Object.hasOwn(forms, program) ? forms[program] : undefined;
  if (form === undefined) return [];
  const summary = `a command that begins with ${program} is not held to the files that it is meant for`;
  return [{ path: `/commands/${index}`, summary, remedy: `Grant what it may decrypt: ${form}.` }];
}
