// Writes the skeleton of a stack, or of a base with environments: Stacks, one example document, a `.gitignore`, the
// schema and settings for editors, and a recipe for CI.
import path from "node:path";
import { Failure } from "../../core/errors.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import { isName } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import { apiVersion, exampleDocument } from "../../core/kind/json-schema.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { repositoryRoot } from "../operator/commit.ts";
import { ciRecipe, type CiSystem } from "./ci-recipe.ts";
import { type ExportedFile, stackFile, yaml } from "./files.ts";
import { ignoreFileFor, schemaFile } from "./ignore-file.ts";
import { stackFileAbove, stackFileIn, stackNameFor } from "./stack-folder.ts";
import { writeFiles } from "./write.ts";

/** The form of a new stack. */
export type Starter = "stack" | "environments";

/** Options of {@link initStack}. */
export interface InitOptions {
  /** Absolute; created if missing. */
  readonly folder: string;
  /** `metadata.name` of the Stack, or the prefix of the names of environments. Default: the name of the folder. */
  readonly name?: string | undefined;
  /** One stack (the default), or a base that the stacks of two environments share. */
  readonly starter?: Starter | undefined;
  /** Set to write a recipe for this CI system, which installs the version `version` of svc. */
  readonly ci?: { readonly system: CiSystem; readonly version: string } | undefined;
  /** True to write settings for Visual Studio Code. */
  readonly vscode?: boolean | undefined;
  /** The resource type of the example document. */
  readonly example: Kind;
  /** JSON Schema of all documents, for editors. */
  readonly schema: JsonObject;
}

/** Result of {@link initStack}. */
export interface InitResult {
  /** Name of the stack, or the prefix of the names of environments. */
  readonly stack: string;
  /** Folders of the stacks, relative to the folder. */
  readonly stackFolders: readonly string[];
  /** True if the stacks need a Git repository, because they share a base or have a pipeline, and the folder is in none. */
  readonly needsRepository: boolean;
  /** Relative to the folder. */
  readonly files: readonly string[];
  /** Lines that an existing `.gitignore` lacks. */
  readonly missingIgnores: readonly string[];
}

/** Writes the skeleton. Fails with `refused`, and writes nothing, if the folder has a Stack or one of the files. */
export async function initStack(options: InitOptions): Promise<InitResult> {
  const { example, schema } = options;
  const folder = path.resolve(options.folder);
  const name = options.name ?? stackNameFor(folder);
  const environments = options.starter === "environments";
  requireNames([name, ...(environments ? stages.map((stage) => `${name}-${stage}`) : [])]);
  const ignoreFile = ignoreFileFor(folder);
  const stackFolders = environments ? stages.map((stage) => `stages/${stage}`) : ["."];
  const files: readonly ExportedFile[] = [
    ...(environments ? environmentFiles(example, name) : stackFiles(example, name)),
    { path: schemaFile, text: `${JSON.stringify(schema, undefined, 2)}\n` },
    ...(options.vscode === true ? vscodeFiles : []),
    ...(options.ci === undefined ? [] : [recipeFile(options.ci, folder, stackFolders)]),
    ...ignoreFile.files,
  ];
  const remedy = "Nothing was written; pass another folder.";
  await assertNoStack(options.folder, remedy);
  writeFiles(options.folder, files, { overwrite: false, remedy });
  return {
    stack: name,
    stackFolders,
    needsRepository:
      (environments || options.ci !== undefined) && repositoryRoot(folder) === undefined,
    files: files.map((file) => file.path),
    missingIgnores: ignoreFile.missingIgnores,
  };
}

/** Fails with `usage` for a name that no Stack can have. */
function requireNames(names: readonly string[]): void {
  const invalid = names.find((name) => !isName(name));
  if (invalid === undefined) return;
  throw new Failure("usage", `${JSON.stringify(invalid)} is not a stack name`, {
    remedy: "Use letters, digits, dots, hyphens and underscores: --name NAME",
  });
}

function stackFiles(example: Kind, name: string): readonly ExportedFile[] {
  const file = exampleFile(example);
  return [
    { path: stackFile, text: stackText({ name, spec: {}, above: "" }) },
    { path: file, text: exampleText(example, { prefix: name, above: "" }) },
  ];
}

/** The environments of the starter. */
const stages = ["test", "production"] as const;

function environmentFiles(example: Kind, name: string): readonly ExportedFile[] {
  const stack = (stage: string): string =>
    stackText({
      name: `${name}-${stage}`,
      spec: { manifests: ["*.yaml", "../../base/**/*.yaml"], variables: { stage } },
      above: "../../",
    });
  return [
    {
      path: `base/${exampleFile(example)}`,
      text: exampleText(example, { prefix: "${stage}", above: "../" }),
    },
    ...stages.map((stage) => ({ path: `stages/${stage}/${stackFile}`, text: stack(stage) })),
  ];
}

function exampleFile(example: Kind): string {
  return `${example.plural}.yaml`;
}

/** Puts the recipe where the CI system reads it: the root of the repository, or the folder outside of one. */
function recipeFile(
  { system, version }: NonNullable<InitOptions["ci"]>,
  folder: string,
  stackFolders: readonly string[],
): ExportedFile {
  const root = repositoryRoot(folder) ?? folder;
  const stacks = stackFolders.map((one) => posixPath(path.relative(root, path.join(folder, one))));
  const recipe = ciRecipe(system, { stacks, version });
  return { ...recipe, path: path.relative(folder, path.join(root, recipe.path)) };
}

function posixPath(relative: string): string {
  return relative === "" ? "." : relative.split(path.sep).join("/");
}

/** Completion in manifests comes from the schema that each file names. */
const vscodeFiles: readonly ExportedFile[] = [
  [".vscode/extensions.json", { recommendations: ["redhat.vscode-yaml"] }] as const,
  [
    ".vscode/settings.json",
    { "yaml.validate": true, "yaml.completion": true, "[yaml]": { "editor.tabSize": 2 } },
  ] as const,
].map(([file, value]) => ({ path: file, text: `${JSON.stringify(value, undefined, 2)}\n` }));

/** The message has paths relative to the current folder if the folder was given so. */
async function assertNoStack(given: string, remedy: string): Promise<void> {
  const folder = path.resolve(given);
  const shown = (file: string): string => (path.isAbsolute(given) ? file : path.relative("", file));
  const named = shown(folder) || "the current folder";
  const inside = await stackFileIn(folder);
  if (inside !== undefined) {
    throw new Failure("refused", `${named} contains a Stack already: ${shown(inside)}`, { remedy });
  }
  const above = await stackFileAbove(folder);
  if (above !== undefined) {
    throw new Failure("refused", `${named} is in the folder of another stack: ${shown(above)}`, {
      remedy:
        "Nothing was written; pass another folder, or list the files of that stack in its spec.manifests.",
    });
  }
}

function schemaLine(above: string): string {
  return `# yaml-language-server: $schema=${above}${schemaFile}\n`;
}

interface StackText {
  readonly name: string;
  readonly spec: JsonObject;
  /** Path to the folder of the schema, such as `../`; empty for the same folder. */
  readonly above: string;
}

function stackText({ name, spec, above }: StackText): string {
  const stack = {
    apiVersion,
    kind: "Stack",
    metadata: { name },
    spec: { policy: { prune: false }, ...spec },
  };
  return (
    `${schemaLine(above)}# A stack: the manifests ${above === "" ? "in this folder" : "of this environment"}, which are applied together.\n` +
    yaml(stack).replace(
      /^( *)prune:/mu,
      "$1# Set to true to delete the objects of removed documents.\n$1prune:",
    )
  );
}

/** The first example of the type, with a prefix before its name, and with the description of each field. */
function exampleText(
  kind: Kind,
  { prefix, above }: { readonly prefix: string; readonly above: string },
): string {
  const [example] = kind.examples;
  if (example === undefined) return "";
  const exampleName = example.spec["name"];
  const ownName = typeof exampleName === "string" ? { name: `${prefix}-${exampleName}` } : {};
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
    `${schemaLine(above)}# One document for each resource. \`svc explain\` lists the types, ` +
    `\`svc explain ${kind.name}\` the fields.\n${document}`
  );
}
