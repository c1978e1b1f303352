// Writes the skeleton of a stack: the Stack, one example document, what Git ignores, and the schema for editors.
import { existsSync } from "node:fs";
import path from "node:path";
import { Failure } from "../../core/errors.ts";
import { fieldsOf } from "../../core/fields.ts";
import { isName } from "../../core/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import { apiVersion, exampleDocument } from "../../core/json-schema.ts";
import type { Kind } from "../../core/kind.ts";
import { type ExportedFile, stackFile, yaml } from "./files.ts";
import { stackFileAbove, stackFileIn, stackNameFor } from "./stack-folder.ts";
import { writeFiles } from "./write.ts";

/** Options of {@link initStack}. */
export interface InitOptions {
  /** Absolute; created if missing. */
  readonly folder: string;
  /** `metadata.name` of the Stack. Default: the name of the folder. */
  readonly name?: string | undefined;
  /** The resource type of the example document. */
  readonly example: Kind;
  /** JSON Schema of all documents, for editors. */
  readonly schema: JsonObject;
}

/** Result of {@link initStack}. */
export interface InitResult {
  readonly stack: string;
  /** Relative to the folder. */
  readonly files: readonly string[];
  /** Lines that an existing `.gitignore` lacks. */
  readonly missingIgnores: readonly string[];
}

const ignored = [".svc/", "secrets/"];
const schemaFile = ".svc/manifest.schema.json";

/** Writes the skeleton. Fails with `refused`, and writes nothing, if the folder has a Stack or one of the files. */
export async function initStack(options: InitOptions): Promise<InitResult> {
  const { folder, example, schema } = options;
  const name = options.name ?? stackNameFor(folder);
  if (!isName(name)) {
    throw new Failure("usage", `${JSON.stringify(name)} is not a stack name`, {
      remedy: "use letters, digits, dots, hyphens and underscores: --name NAME",
    });
  }
  const ignoreFile = path.join(folder, ".gitignore");
  const keepsIgnores = existsSync(ignoreFile);
  const files: readonly ExportedFile[] = [
    { path: stackFile, text: stackText(name) },
    { path: `${example.plural}.yaml`, text: exampleText(example, name) },
    { path: schemaFile, text: `${JSON.stringify(schema, undefined, 2)}\n` },
    ...(keepsIgnores ? [] : [{ path: ".gitignore", text: `${ignored.join("\n")}\n` }]),
  ];
  const remedy = "nothing was written; pass another folder";
  await assertNoStack(folder, remedy);
  writeFiles(folder, files, { overwrite: false, remedy });
  return {
    stack: name,
    files: files.map((file) => file.path),
    missingIgnores: keepsIgnores ? ignored : [],
  };
}

async function assertNoStack(folder: string, remedy: string): Promise<void> {
  const inside = await stackFileIn(folder);
  if (inside !== undefined) {
    throw new Failure("refused", `${folder} contains a Stack already: ${inside}`, { remedy });
  }
  const above = await stackFileAbove(folder);
  if (above !== undefined) {
    throw new Failure("refused", `${folder} is in the folder of another stack: ${above}`, {
      remedy:
        "nothing was written; pass another folder, or list the files of that stack in its spec.manifests",
    });
  }
}

const schemaLine = `# yaml-language-server: $schema=${schemaFile}\n`;

function stackText(name: string): string {
  const stack = {
    apiVersion,
    kind: "Stack",
    metadata: { name },
    spec: { policy: { prune: false } },
  };
  return (
    `${schemaLine}# A stack: the manifests in this folder, which are applied together.\n` +
    yaml(stack).replace(
      /^( *)prune:/mu,
      "$1# Set to true to delete the objects of removed documents.\n$1prune:",
    )
  );
}

/** The first example of the type, named after the stack, with the description of each field. */
function exampleText(kind: Kind, stack: string): string {
  const [example] = kind.examples;
  if (example === undefined) return "";
  const exampleName = example.spec["name"];
  const ownName = typeof exampleName === "string" ? { name: `${stack}-${exampleName}` } : {};
  const ownExample = { ...example, spec: { ...example.spec, ...ownName } };
  const docs = new Map(fieldsOf(kind).map(({ name, traits }) => [name, traits.doc]));
  const [head = "", spec = ""] = yaml(exampleDocument(kind, ownExample)).split(/^(?=spec:)/mu);
  const address = `# The address of this document is ${kind.name}/${example.name}.`;
  const document =
    head.replace(/^( *)name:/mu, `$1${address}\n$1name:`) +
    spec.replace(/^( {2})(\w+):/gmu, (line, indent: string, field: string) => {
      const doc = docs.get(field);
      return doc === undefined ? line : `${indent}# ${doc}\n${line}`;
    });
  return (
    `${schemaLine}# One document for each resource. \`svc explain\` lists the types, ` +
    `\`svc explain ${kind.name}\` the fields.\n${document}`
  );
}
