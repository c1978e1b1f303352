// Reads the files of a data model: YAML syntax, spelling of keys, and the schema of cubes and views.
import { isObject } from "../../core/json.ts";
import { invariant } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { codeFile, scriptFile } from "../../core/data-model/model-path.ts";
import { isTemplate } from "../../core/data-model/model-template.ts";
import { snakeCase } from "../../core/text/naming.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import type { SchemaValidationError } from "../../core/schema/validation-messages.ts";
import { type CompileContext, type ContextReader, noCompileContext } from "./compile-context.ts";
import { readJavaScript } from "./read-javascript.ts";
import { readTemplates } from "./read-templates.ts";
import type { Sandbox } from "./javascript/sandbox.ts";
import type { TemplateEngine } from "./jinja/template-engine.ts";
import { parseYaml } from "./parse-yaml.ts";
import { type Place, type Problems, SourceFile, within } from "./problems.ts";
import {
  type CubeDeclaration,
  ModelFileSchema,
  type ViewDeclaration,
  type ViewGroupDeclaration,
} from "./schema.ts";
import type { ModelFile } from "./types.ts";

/** A declared value, such as a cube, and its place. */
export interface Declared<T> {
  readonly value: T;
  readonly at: Place;
}

/** The declarations of one file. */
export interface FileDeclarations {
  readonly cubes: readonly Declared<CubeDeclaration>[];
  readonly views: readonly Declared<ViewDeclaration>[];
  readonly viewGroups: readonly Declared<ViewGroupDeclaration>[];
}

const validateModelFile = declaredValidator(ModelFileSchema);

const nothing: FileDeclarations = { cubes: [], views: [], viewGroups: [] };

/** What runs the code of a data model. */
export interface CodeRunners {
  /** Needed for files in JavaScript. */
  readonly sandbox?: Sandbox;
  /** Needed for templates. */
  readonly engine?: TemplateEngine;
  /** What the code reads as `COMPILE_CONTEXT`; without it, an empty security context. */
  readonly context?: CompileContext;
}

/** The declarations of all files, and where one first reads the context of the compilation. */
export interface ReadFiles {
  readonly files: readonly FileDeclarations[];
  readonly contextReader: ContextReader | undefined;
}

/** Returns the valid declarations of files and adds their errors to `problems`. */
export function readModelFiles(
  sources: readonly ModelFile[],
  { sandbox, engine, context = noCompileContext }: CodeRunners,
  problems: Problems,
): ReadFiles {
  const accepted = sources.filter(({ path, content }) => {
    const refused = refusalReason({ path, content });
    if (refused !== undefined) problems.addAt(new SourceFile(path, content), 0, refused);
    return refused === undefined;
  });
  const scripts = accepted.filter(({ path }) => scriptFile.test(path));
  const texts = accepted.filter(({ path }) => !scriptFile.test(path));
  const templates = new Set(texts.filter(({ path, content }) => isTemplate(path, content)));
  const values: { readonly file: SourceFile; readonly value: unknown }[] = [];
  let contextReader: ContextReader | undefined;
  if (templates.size > 0) {
    invariant(engine, "a data model with templates needs an engine");
    const isTemplateFile = (file: ModelFile) => templates.has(file);
    const read = readTemplates(texts, isTemplateFile, { engine, context }, problems);
    values.push(...read.files);
    ({ contextReader } = read);
  }
  if (scripts.length > 0) {
    invariant(sandbox, "a data model with JavaScript needs a sandbox");
    const read = readJavaScript(scripts, { sandbox, context }, problems);
    values.push(...read.files);
    contextReader ??= read.contextReader;
  }
  const files = [
    ...texts.filter((file) => !templates.has(file)).map((source) => readYaml(source, problems)),
    ...values.map(({ file, value }) => readValue(file, value, problems)),
  ];
  return { files, contextReader };
}

function readYaml({ path, content }: ModelFile, problems: Problems): FileDeclarations {
  const file = new SourceFile(path, content);
  const value = parseYaml(file, problems);
  return value == null ? nothing : readValue(file, value, problems);
}

function readValue(file: SourceFile, value: unknown, problems: Problems): FileDeclarations {
  const problem = boundsProblem(value);
  if (problem === undefined) return validateFile({ file, pointer: "" }, snakeKeys(value), problems);
  problems.addAt(file, 0, problem);
  return nothing;
}

/** Returns the reason why a file cannot be compiled. */
function refusalReason({ path, content }: ModelFile): string | undefined {
  if (content.length <= limits.modelFileBytes) return codeReason(path);
  return `the file has more than ${limits.modelFileBytes} bytes; split it`;
}

/** Returns why a file with code is refused; undefined for one that can be a part of the model. */
export function codeReason(path: string): string | undefined {
  if (!codeFile.test(path) || scriptFile.test(path)) return undefined;
  return "TypeScript and Python are not run; write the model in YAML or JavaScript (*.js), and functions for templates as Jinja macros";
}

/**
 * Returns the reason why a value is too deep or too large. Aliases count as often as they are used, and circular ones
 * nest infinitely.
 */
function boundsProblem(root: unknown): string | undefined {
  const waiting: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  let left: number = limits.modelValues;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next.depth > limits.modelDepth) {
      return `the file nests deeper than ${limits.modelDepth} levels, or an alias contains itself; flatten it`;
    }
    if (typeof next.value !== "object" || next.value === null) continue;
    const members = Object.values(next.value);
    left -= members.length;
    if (left < 0) return `the file has more than ${limits.modelValues} values; split it`;
    for (const value of members) waiting.push({ value, depth: next.depth + 1 });
  }
  return undefined;
}

/** Spells keys in snake_case and removes empty members, except in `meta`, which belongs to the author. */
function snakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (!isObject(value)) return value;
  const spelled = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const name = snakeCase(key);
    if (name === "meta" || name === "format") return inner === null ? [] : [[name, inner]];
    return inner === null && name !== "mask" ? [] : [[name === "" ? key : name, snakeKeys(inner)]];
  });
  return Object.fromEntries(spelled.map(([key, inner]) => [key, snakeEnum(key, inner)]));
}

/** Spells values of `type` and `relationship` in snake_case, and the old names of relationships as the new ones. */
function snakeEnum(key: string, value: unknown): unknown {
  if (typeof value !== "string" || (key !== "type" && key !== "relationship")) return value;
  const spelled = snakeCase(value);
  return oldRelationships[spelled] ?? spelled;
}

const oldRelationships: Readonly<Record<string, string>> = {
  belongs_to: "many_to_one",
  has_many: "one_to_many",
  has_one: "one_to_one",
};

/** Keeps the declarations without errors, so that a bad one does not hide errors in the others. */
function validateFile(root: Place, value: unknown, problems: Problems): FileDeclarations {
  const errors = validateModelFile(value);
  const bad = new Set<string>();
  for (const error of errors) {
    const { path, code } = error;
    const refused = code === "unknown-field" ? refusedKeys[path.replace(/\/\d+/gu, "")] : undefined;
    addSchemaError(error, { place: root, whole: "the file", refused }, problems);
    bad.add(path.split("/").slice(0, 3).join("/"));
  }
  if (!isObject(value) || bad.has("")) return nothing;
  const good = <T>(list: "cubes" | "views" | "view_groups"): Declared<T>[] => {
    const items = value[list];
    if (!Array.isArray(items) || bad.has(`/${list}`)) return [];
    return items.flatMap((item: unknown, index) =>
      bad.has(`/${list}/${index}`) ? [] : [{ value: item as T, at: within(root, list, index) }],
    );
  };
  return {
    cubes: good<CubeDeclaration>("cubes"),
    views: good<ViewDeclaration>("views"),
    viewGroups: good<ViewGroupDeclaration>("view_groups"),
  };
}

/** Why keys of the language that other services know are refused, by their pointer without indexes. */
const refusedKeys: Readonly<Record<string, string>> = {
  "/views/segments": "of a view are not supported; declare them in a cube, and include them",
  "/views/cubes/split": "is not supported; declare a view for each cube",
};

interface SchemaErrorPlace {
  /** The value that the schema is for. */
  readonly place: Place;
  /** What messages call it. */
  readonly whole: string;
  /** Replaces the message. */
  readonly refused?: string | undefined;
}

/** Adds an error of a schema: a sentence about the key or item that has it. */
export function addSchemaError(
  { path, code, message, remedy }: SchemaValidationError,
  { place, whole, refused }: SchemaErrorPlace,
  problems: Problems,
): void {
  const name = path.split("/").findLast((part) => part !== "" && !/^\d+$/.test(part)) ?? whole;
  const said = refused ?? `${message}${remedy === undefined ? "" : `. ${remedy}`}`;
  const side = code === "unknown-field" ? "key" : "value";
  problems.add({ file: place.file, pointer: `${place.pointer}${path}`, side }, `${name} ${said}`);
}
