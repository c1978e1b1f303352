// Reads the grants file of an operator.
import { declaredValidator } from "../../core/schema/validate.ts";
import path from "node:path";
import { type Static, Type } from "typebox";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import {
  type ConfigFileError,
  configFileSchema,
  readConfigDocument,
} from "../manifest/config-file.ts";
import { type CommandGrant, argumentWildcard, type Grants, noGrants } from "../operator/grants.ts";
import { windowSchemaMembers, windowRuleErrors } from "../model/windows/window-schema.ts";
import {
  absoluteFilePattern,
  absolutePathPattern,
  identifierPattern,
  originPattern,
} from "../../core/text/text-patterns.ts";

const closed = { additionalProperties: false } as const;

/** The grants as written in the file. */
export const grantsFileSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    environment: Type.Optional(
      Type.Array(Type.String({ pattern: identifierPattern }), {
        description: "Environment variables that manifests may read if the Stack names them too.",
      }),
    ),
    files: Type.Optional(
      Type.Array(Type.String({ pattern: absolutePathPattern }), {
        description:
          "Files that secrets may be read from, as absolute paths. A path that ends with / is a " +
          "folder with everything below it.",
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
            "Commands that may run to provide a secret. A string is a program that runs without " +
            "arguments. A list is a program with all its arguments, in which * stands for one " +
            "argument that manifests choose and that does not begin with a hyphen. A program is a " +
            "name to be found on PATH, or an absolute path.",
        },
      ),
    ),
    sops: Type.Optional(
      Type.Array(Type.String({ pattern: absolutePathPattern }), {
        description:
          "Files that sops may decrypt for a secret, as absolute paths. A path that ends with / is " +
          "a folder with everything below it.",
      }),
    ),
    age: Type.Optional(
      Type.Array(
        Type.Object(
          {
            identity: Type.String({
              pattern: absoluteFilePattern,
              description: "Absolute path of the key file.",
            }),
            files: Type.Array(Type.String({ pattern: absolutePathPattern }), {
              description:
                "Absolute paths. A path that ends with / is a folder with everything below it.",
            }),
          },
          closed,
        ),
        { description: "Files that age may decrypt for a secret, by the key that decrypts them." },
      ),
    ),
    origins: Type.Optional(
      Type.Array(Type.String({ pattern: originPattern }), {
        minItems: 1,
        description:
          "Origins of the services that may be called, such as https://acme.example.com. Default: " +
          "the origin that the operator connects to.",
      }),
    ),
    inventory: Type.Optional(
      Type.Union([Type.Literal("service"), Type.Literal("postgres")], {
        description:
          "The required inventory backend: the service of the stack, or the database that " +
          "SVC_INVENTORY_URL names. A Stack that names another backend is refused.",
      }),
    ),
    maxDeletes: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: limits.deletesWithoutGrant,
        description: "Upper bound for the maxDeletes of a Stack.",
      }),
    ),
    maxDeletePercent: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: "Upper bound for the maxDeletePercent of a Stack.",
      }),
    ),
    promotion: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description:
          "Stages of pipelines that may be promoted to without approval by a person, or `all`.",
      }),
    ),
    skipStages: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description:
          "Stages of pipelines that may get a version which the stages before have not verified, or `all`.",
      }),
    ),
    rollbackInFreeze: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Allow stages of pipelines to be rolled back during the operator's freezes and outside " +
          "its maintenance windows.",
      }),
    ),
    checks: Type.Optional(
      Type.Object(
        {
          origins: Type.Optional(
            Type.Array(Type.String({ pattern: originPattern }), {
              description:
                "Origins that checks of pipelines may call: https://host, or https://*.host for every " +
                "host below one. A private address must be named exactly.",
            }),
          ),
          commands: Type.Optional(
            Type.Record(Type.String(), Type.String({ pattern: absolutePathPattern }), {
              description: "Files that checks of pipelines may run, by the name that checks use.",
            }),
          ),
        },
        { ...closed, description: "What the checks of pipelines may do." },
      ),
    ),
    ...windowSchemaMembers,
  },
  { ...closed, description: "What an operator permits manifests written by others to do." },
);

/** The parsed grants. */
export type GrantsFile = Static<typeof grantsFileSchema>;

declaredValidator(grantsFileSchema);

/** JSON Schema of a grants file, published as `schemas/grants.json`. */
export function grantsSchema(): JsonObject {
  return configFileSchema("Grants of svc", grantsFileSchema);
}

/** Reads a grants file, YAML or JSON. Fails with `usage` and all errors in it. */
export function readGrants(file: string): Grants {
  const written = readConfigDocument(file, {
    label: "grants file",
    schema: grantsFileSchema,
    maxBytes: limits.grantsBytes,
    remedy: "See docs/reference/grants.md for an example; schemas/grants.json is its schema.",
    validate: (value) => grantsErrors(value as GrantsFile),
  });
  return grantsFromFile((written ?? {}) as GrantsFile, file);
}

/** Returns the grants of a file with their defaults. */
export function grantsFromFile({ $schema: _, ...granted }: GrantsFile, file: string): Grants {
  return { ...noGrants, ...granted, file: path.resolve(file) };
}

/** Returns errors that the schema cannot express. */
export function grantsErrors(grants: GrantsFile): readonly ConfigFileError[] {
  const { windows = [], freezes = [], commands = [] } = grants;
  return [...windowRuleErrors({ windows, freezes }), ...commands.flatMap(openEndedErrors)];
}

/**
 * The operator chooses the program. Decryption programs are granted by the files they may decrypt,
 * after resolving links: a granted command line would let manifests write files.
 */
function openEndedErrors(command: CommandGrant, index: number): readonly ConfigFileError[] {
  const [first] = typeof command === "string" ? [command] : command;
  if (first === argumentWildcard) {
    const at = typeof command === "string" ? "" : "/0";
    const summary = `${argumentWildcard} in place of the program would let manifests run any program`;
    return [{ path: `/commands/${index}${at}`, summary, remedy: "Name the program." }];
  }
  const program = typeof command === "string" ? "" : path.basename(first ?? "");
  const forms: Readonly<Record<string, string>> = {
    sops: "sops: [FILE or FOLDER/]",
    age: "age: [{ identity: KEY, files: [FILE or FOLDER/] }]",
  };
  const form = Object.hasOwn(forms, program) ? forms[program] : undefined;
  if (form === undefined) return [];
  const summary = `a command that begins with ${program} is not restricted to the files it should decrypt`;
  return [
    {
      path: `/commands/${index}`,
      summary,
      remedy: `Grant the files that it may decrypt: ${form}.`,
    },
  ];
}
