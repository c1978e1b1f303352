// The Stack document: the files of a stack, its variables, inventory, policy and overlays.
import path from "node:path";
import { Type, type Static } from "typebox";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { splitPointer } from "../../core/pointer.ts";
import { member } from "../../core/schema/schema.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import { repositoryRoot } from "../operator/commit.ts";
import { isAtOrBelow } from "../operator/path-containment.ts";
import { type Grants, areGrantsInFolder } from "../operator/grants.ts";
import type { InventoryBackend, Stack } from "../model/index.ts";
import { windowSchemaMembers, windowRuleErrors } from "../model/windows/window-schema.ts";
import { writtenSpec } from "./built-in-document.ts";
import { diagnosticOf, readHead, withoutFailedPaths } from "./document.ts";
import { documentSchema } from "./document-schema.ts";
import { type Overlay, overlaysSchema } from "./overlays.ts";
import type { Document } from "./parse.ts";
import type { Scope } from "./variables.ts";
import { type FieldError, fieldErrors } from "./field-errors.ts";
import { identifierPattern, variablePattern } from "../../core/text/text-patterns.ts";

const closed = { additionalProperties: false } as const;

const policyDefaults = {
  prune: false,
  maxDeletes: limits.deletesWithoutGrant,
  maxDeletePercent: limits.deleteShareDefault,
  concurrency: limits.concurrency,
} as const;

const Policy = Type.Object(
  {
    prune: Type.Optional(
      Type.Boolean({
        default: policyDefaults.prune,
        description:
          "Delete owned objects that are no longer declared. Otherwise they are kept and reported.",
      }),
    ),
    maxDeletes: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: policyDefaults.maxDeletes,
        description:
          "Delete limit: deletes and replaces in one apply without --allow-deletes. Above 10 only if the operator grants it.",
      }),
    ),
    maxDeletePercent: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        default: policyDefaults.maxDeletePercent,
        description:
          "Delete limit in percent of the objects that the stack owns, so that no small stack is deleted as a whole. The smaller limit applies. 100 is no limit.",
      }),
    ),
    concurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.concurrencyMax,
        default: policyDefaults.concurrency,
        description: "Maximum number of concurrent calls.",
      }),
    ),
    requestsPerSecond: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description: "Maximum number of calls per second. Default: no limit.",
      }),
    ),
    ...windowSchemaMembers,
  },
  { ...closed, description: "Limits of what svc does without asking." },
);

const stackSpec = Type.Object(
  {
    target: Type.Optional(
      Type.Object(
        {
          url: Type.String({
            minLength: 1,
            description: "Origin of the service, such as `https://host`.",
          }),
        },
        { ...closed, description: "The service that the stack applies to." },
      ),
    ),
    manifests: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description:
          "Globs of the stack's YAML and JSON files, relative to the folder of this file. `../` at the start leads to shared manifests in the same Git repository. Default: all YAML files in and below that folder, and JSON files with an svc apiVersion.",
      }),
    ),
    variables: Type.Optional(
      Type.Record(Type.String({ pattern: variablePattern }), Type.Unknown(), {
        ...closed,
        description: "Values of `${name}` in the documents of the stack.",
      }),
    ),
    environment: Type.Optional(
      Type.Array(Type.String({ pattern: identifierPattern }), {
        description:
          "Environment variables that `${env:NAME}` may read, if the operator grants them too.",
      }),
    ),
    inventory: Type.Optional(
      Type.Union(
        [
          Type.Object(
            {
              file: Type.String({
                minLength: 1,
                description: "Path in the folder of the stack.",
              }),
            },
            { ...closed, description: "A file in the folder of the stack." },
          ),
          Type.Literal("file", {
            description: "The file .svc/NAME.inventory.json beside the Stack.",
          }),
          Type.Literal("service", { description: "The service that the stack applies to." }),
          Type.Literal("postgres", {
            description: "The PostgreSQL database at the URL in SVC_INVENTORY_URL.",
          }),
        ],
        {
          description:
            "Where the inventory (what the stack owns) is stored. Default: the service. Required if the service stores no states.",
        },
      ),
    ),
    policy: Type.Optional(Policy),
    overlays: Type.Optional(overlaysSchema),
  },
  closed,
);

const validateStackSpec = declaredValidator(stackSpec);

/** The `kind` of Stack documents. */
export const stackKind = "Stack";

/** A Stack document, as JSON Schema. */
export const stackSchema = documentSchema(
  {
    kind: stackKind,
    description:
      "A stack: manifests that are applied together, and their settings. A stack has one Stack document.",
    requiresSpec: false,
  },
  stackSpec,
);

type StackSpec = Static<typeof stackSpec>;

/** Settings of the operator. */
export interface OperatorSettings {
  /** Variables that override the variables of the Stack. */
  readonly variables: Readonly<Record<string, JsonValue>>;
  readonly grants: Grants;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * `check` to check manifests without a run: it reads no values of secrets, and reports what a run would report later.
   * `compare` to plan without an apply: secrets that cannot be read are not compared. Default: `run`.
   */
  readonly purpose?: Scope["purpose"];
}

/** The content of a Stack document, as far as it is valid. */
export interface StackDocument {
  /** Undefined if the Stack has errors. */
  readonly stack: Stack | undefined;
  /** Undefined if the Stack lists none, or has errors in them. */
  readonly manifests: readonly string[] | undefined;
  /** The overlays, in order. Empty if any has errors. */
  readonly overlays: readonly Overlay[];
  /** The variables that documents of the stack may use. */
  readonly scope: Scope;
  readonly diagnostics: readonly Diagnostic[];
}

/** Separates the overlays, whose substitutions are made in the documents that they patch. */
function withoutOverlays(document: Document) {
  const spec = writtenSpec(document);
  if (!isObject(document.value) || !isObject(spec)) return { bare: document, overlays: undefined };
  const { overlays, ...rest } = spec;
  return { bare: { ...document, value: { ...document.value, spec: rest } }, overlays };
}

/** Returns true for a document of kind Stack, valid or not. */
export function isStack({ value }: Document): boolean {
  return isObject(value) && member(value, "kind") === stackKind;
}

/** Reads the Stack document in `folder`, an absolute path. Its own spec may use only the operator's variables. */
export function readStack(
  document: Document,
  folder: string,
  settings: OperatorSettings,
): StackDocument {
  const { variables, grants, env, purpose = "run" } = settings;
  const settingsScope = { grants, env, purpose, variables: new Map(Object.entries(variables)) };
  const { bare, overlays } = withoutOverlays(document);
  const head = readHead(bare, { ...settingsScope, environment: undefined }, "built-in");
  const written =
    isObject(head.spec) && overlays !== undefined ? { ...head.spec, overlays } : head.spec;
  const schema = {
    schema: stackSpec,
    value: written,
    written: writtenSpec(document),
    label: "spec",
  };
  const violations = fieldErrors(validateStackSpec(written), schema).map(inSpec);
  const spec = validPart(written, violations);
  const bounds = [
    ...boundErrors(spec, folder),
    ...grantsLocationErrors(folder, grants),
    ...inventoryPlaceErrors(spec, grants),
  ];
  const all = [...head.errors, ...withoutFailedPaths([...violations, ...bounds], head.failedPaths)];
  const stackAddress = head.name === undefined ? undefined : `Stack/${head.name}`;
  const isValid = all.length === 0 && !document.hasErrors && head.name !== undefined;
  return {
    stack: isValid ? stackOf(head.name, folder, { spec, grants }) : undefined,
    manifests: all.some((error) => error.path.startsWith("/spec/manifests"))
      ? undefined
      : spec.manifests,
    scope: {
      ...settingsScope,
      variables: new Map([...entriesOf(spec.variables), ...settingsScope.variables]),
      environment: spec.environment ?? [],
      secretSources: {
        folder,
        sharedPlaces: sharedPlaces(folder, spec.manifests),
        displayPath: path.dirname(document.file),
        grants,
        areRead: purpose !== "check",
      },
    },
    overlays: spec.overlays ?? [],
    diagnostics: all.map((error) => diagnosticOf(document, error, stackAddress)),
  };
}

function stackOf(
  name: string,
  folder: string,
  { spec, grants }: { readonly spec: StackSpec; readonly grants: Grants },
): Stack {
  const { target, inventory, policy = {} } = spec;
  const wanted = {
    maxDeletes: policy.maxDeletes ?? policyDefaults.maxDeletes,
    maxDeletePercent: policy.maxDeletePercent ?? policyDefaults.maxDeletePercent,
  };
  const limitedByGrants = (["maxDeletes", "maxDeletePercent"] as const).filter(
    (limit) => (grants[limit] ?? Infinity) < wanted[limit],
  );
  const file = typeof inventory === "object" ? inventory.file : undefined;
  return {
    name,
    target: target === undefined ? undefined : new URL(target.url).origin,
    folder,
    inventory: grants.inventory ?? declaredPlace(inventory),
    inventoryFile: path.resolve(folder, file ?? `.svc/${name}.inventory.json`),
    policy: {
      prune: policy.prune ?? policyDefaults.prune,
      maxDeletes: Math.min(wanted.maxDeletes, grants.maxDeletes),
      maxDeletePercent: Math.min(wanted.maxDeletePercent, grants.maxDeletePercent ?? Infinity),
      ...(limitedByGrants.length > 0 && { limitedByGrants }),
      concurrency: policy.concurrency ?? policyDefaults.concurrency,
      requestsPerSecond: policy.requestsPerSecond,
      windows: policy.windows ?? [],
      freezes: policy.freezes ?? [],
    },
  };
}

/** Refuses another inventory backend than the operator requires: a change of the stack must not replace its inventory. */
function inventoryPlaceErrors({ inventory }: StackSpec, grants: Grants): FieldError[] {
  const [named, granted] = [declaredPlace(inventory), grants.inventory];
  if (granted === undefined || named === undefined || named === granted) return [];
  const summary = `the operator's grants require the inventory backend ${granted}`;
  const remedy = `Write \`inventory: ${granted}\`, or omit it.`;
  return [{ code: "not-granted", path: "/spec/inventory", inKey: false, summary, remedy }];
}

function declaredPlace(inventory: StackSpec["inventory"]): InventoryBackend | undefined {
  return typeof inventory === "object" ? "file" : inventory;
}

/** Refuses a grants file that a change of the stack could edit. */
function grantsLocationErrors(folder: string, grants: Grants): FieldError[] {
  if (!areGrantsInFolder(folder, grants)) return [];
  const summary = "the grants file is in the folder of the Stack";
  const remedy = "Move it to a place that changes of the stack cannot modify.";
  return [{ code: "not-granted", path: "", inKey: false, summary, remedy }];
}

/** Returns the valid top-level members, so that an error in one does not hide the others. */
function validPart(spec: JsonValue, errors: readonly FieldError[]): StackSpec {
  if (!isObject(spec)) return {};
  const invalid = new Set(errors.map(({ path: pointer }) => splitPointer(pointer)[1]));
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !invalid.has(name)));
}

function inSpec(error: FieldError): FieldError {
  return { ...error, path: `/spec${error.path}` };
}

/** Checks the rules that the schema cannot express. A Stack must not reach outside its folder. */
function boundErrors(
  { target, manifests = [], inventory, policy = {} }: StackSpec,
  folder: string,
): FieldError[] {
  const { windows = [], freezes = [] } = policy;
  const errors = windowRuleErrors({ windows, freezes }).map((error): FieldError => {
    return { ...error, code: "out-of-bounds", inKey: false, path: `/spec/policy${error.path}` };
  });
  const addError = (pointer: string, summary: string, remedy: string): void => {
    errors.push({ code: "out-of-bounds", path: pointer, inKey: false, summary, remedy });
  };
  if (target !== undefined && !isOrigin(target.url)) {
    const summary = "spec.target.url is not an origin";
    addError("/spec/target/url", summary, "Write https://host, without a path or credentials.");
  }
  for (const [index, glob] of manifests.entries()) {
    const { base, pattern } = splitGlob(folder, glob.replace(/^!/, ""));
    if (!leavesFolder(pattern) && (base === folder || isInRepositoryOf(folder, base))) continue;
    const hasRepository = repositoryRoot(folder) !== undefined;
    const summary = hasRepository
      ? `the glob "${glob}" leaves the repository of the Stack`
      : `the glob "${glob}" leaves the folder of the Stack, and no Git repository was found`;
    const remedy = hasRepository
      ? "Shared manifests must be in the same Git repository. Write ../ only at the start."
      : "Shared manifests must be in the same Git repository: run `git init` in the folder that contains both.";
    addError(`/spec/manifests/${index}`, summary, remedy);
  }
  const file = typeof inventory === "object" ? inventory.file : undefined;
  if (file !== undefined && (leavesFolder(file) || path.resolve(folder, file) === folder)) {
    const summary = `the inventory file "${file}" is not in the folder of the Stack`;
    addError("/spec/inventory/file", summary, "Use a path below it.");
  }
  return errors;
}

/** Splits a glob with leading `../` into the absolute folder that it starts from and the rest. */
export function splitGlob(
  folder: string,
  glob: string,
): { readonly base: string; readonly pattern: string } {
  const up = /^(?:\.\.\/)*/u.exec(glob)?.[0] ?? "";
  return { base: path.resolve(folder, up), pattern: glob.slice(up.length) };
}

/**
 * Returns the absolute paths outside the folder of a Stack where its globs begin: the folder before the first wildcard, or the
 * file of a glob without one.
 */
export function sharedPlaces(folder: string, manifests: readonly string[] = []): readonly string[] {
  const places = manifests
    .filter((glob) => !glob.startsWith("!"))
    .map((glob) => splitGlob(folder, glob))
    .filter(({ base }) => base !== folder)
    .map(({ base, pattern }) => path.join(base, literalStart(pattern)));
  return [...new Set(places)];
}

/** Returns the segments of a glob before the first with a wildcard. */
function literalStart(pattern: string): string {
  const segments = pattern.split("/");
  const first = segments.findIndex((segment) => /[*?[\]{}()!+@|\\]/u.test(segment));
  return segments.slice(0, first < 0 ? undefined : first).join("/");
}

function isInRepositoryOf(folder: string, base: string): boolean {
  const root = repositoryRoot(folder);
  return root !== undefined && isAtOrBelow(root, base);
}

function isOrigin(url: string): boolean {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return (
    parsed !== undefined &&
    /^https?:$/.test(parsed.protocol) &&
    [`${parsed.origin}/`, parsed.origin].includes(parsed.href)
  );
}

function leavesFolder(relative: string): boolean {
  return path.isAbsolute(relative) || /(?:^|[\\/{,(|])\.\.(?:$|[\\/},)|])/.test(relative);
}

function entriesOf(variables: unknown): [string, JsonValue][] {
  if (!isObject(variables)) return [];
  return Object.entries(variables).map(([name, value]) => [name, value ?? null]);
}
