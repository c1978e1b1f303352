// The Stack document: which manifests belong together, what they may read, where their inventory lies and what may be done.
import path from "node:path";
import { Type, type Static } from "typebox";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { splitPointer } from "../../core/pointer.ts";
import { member } from "../../core/schema.ts";
import { validator } from "../../core/validate.ts";
import { type Grants, areGrantsInFolder } from "../operator/grants.ts";
import type { InventoryBackend, Stack } from "../model/index.ts";
import { windowSchemaMembers, windowRuleErrors } from "../model/windows/window-schema.ts";
import { diagnosticOf, readHead, withoutFailedPaths } from "./document.ts";
import { documentSchema } from "./document-schema.ts";
import { type Overlay, overlaysSchema } from "./overlays.ts";
import type { Document } from "./parse.ts";
import type { Scope } from "./variables.ts";
import { type FieldError, fieldErrors } from "./field-errors.ts";

const closed = { additionalProperties: false } as const;
const variableNamePattern = "^[A-Za-z_][A-Za-z0-9_]*$";

const policyDefaults = {
  prune: false,
  maxDeletes: limits.deletesWithoutGrant,
  concurrency: limits.concurrency,
} as const;

const Policy = Type.Object(
  {
    prune: Type.Optional(
      Type.Boolean({
        default: policyDefaults.prune,
        description:
          "Delete owned objects whose document is gone. Without it they are kept and reported.",
      }),
    ),
    maxDeletes: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: policyDefaults.maxDeletes,
        description:
          "Deletes and replaces that one apply may carry out without --allow-deletes; above 10 only where the operator grants it.",
      }),
    ),
    maxDeletePercent: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description:
          "The same as a share of what the stack owns, in percent; the smaller of the two counts. 50 where neither is given.",
      }),
    ),
    concurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.concurrencyMax,
        default: policyDefaults.concurrency,
        description: "Calls in flight at once.",
      }),
    ),
    requestsPerSecond: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description: "Calls a second; without it, as fast as the server allows.",
      }),
    ),
    ...windowSchemaMembers,
  },
  { ...closed, description: "What may be done without asking." },
);

const stackSpec = Type.Object(
  {
    target: Type.Optional(
      Type.Object(
        { url: Type.String({ minLength: 1, description: "Origin of the service: https://host." }) },
        { ...closed, description: "The service that the stack is for." },
      ),
    ),
    manifests: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description:
          "Globs of the stack's files, YAML, JSON and .stack.ts, relative to the folder of this one; without them, all YAML files beside and below it.",
      }),
    ),
    variables: Type.Optional(
      Type.Record(Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_-]*$" }), Type.Unknown(), {
        ...closed,
        description: "Values for ${name} in the documents of the stack.",
      }),
    ),
    environment: Type.Optional(
      Type.Array(Type.String({ pattern: variableNamePattern }), {
        description:
          "Environment variables that ${env:NAME} may read, where the caller grants them as well.",
      }),
    ),
    inventory: Type.Optional(
      Type.Union(
        [
          Type.Object(
            {
              file: Type.String({
                minLength: 1,
                description: "Path in the stack's folder; without it, .svc/NAME.inventory.json.",
              }),
            },
            { ...closed, description: "This file beside the Stack." },
          ),
          Type.Literal("file", {
            description: "The file .svc/NAME.inventory.json beside the Stack.",
          }),
          Type.Literal("service", { description: "The service that the stack is for." }),
          Type.Literal("postgres", {
            description: "The PostgreSQL database that SVC_INVENTORY_URL holds the address of.",
          }),
        ],
        {
          description:
            "Where it is kept what the stack owns. Without it: the service that the stack is for, where that keeps states, else the file .svc/NAME.inventory.json.",
        },
      ),
    ),
    policy: Type.Optional(Policy),
    overlays: Type.Optional(overlaysSchema),
  },
  closed,
);

/** A Stack document, as JSON Schema. */
export const stackSchema = documentSchema(
  {
    kind: "Stack",
    description: "What the manifests of a stack have in common. A stack has one.",
    requiresSpec: false,
  },
  stackSpec,
);

type StackSpec = Static<typeof stackSpec>;

/** What the caller brings to a stack. */
export interface OperatorSettings {
  /** Win over the Stack's own. */
  readonly variables: Readonly<Record<string, JsonValue>>;
  readonly grants: Grants;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a Stack document says, as far as it is right. */
export interface StackDocument {
  /** Undefined where the Stack has mistakes. */
  readonly stack: Stack | undefined;
  /** Undefined where the Stack names none, or names them wrongly. */
  readonly manifests: readonly string[] | undefined;
  /** In their order, as far as nothing is wrong with any. */
  readonly overlays: readonly Overlay[];
  /** For the documents of the stack. */
  readonly scope: Scope;
  readonly diagnostics: readonly Diagnostic[];
}

/** What overlays hold is put into other documents, and substituted there. */
function withoutOverlays(document: Document) {
  const spec = specOf(document);
  if (!isObject(document.value) || !isObject(spec)) return { bare: document, overlays: undefined };
  const { overlays, ...rest } = spec;
  return { bare: { ...document, value: { ...document.value, spec: rest } }, overlays };
}

/** True for a document that says it is the Stack, right or wrong. */
export function isStack({ value }: Document): boolean {
  return isObject(value) && member(value, "kind") === "Stack";
}

/** Reads a Stack document that lies in `folder`, an absolute path; its own spec may use the caller's variables only. */
export function readStack(
  document: Document,
  folder: string,
  caller: OperatorSettings,
): StackDocument {
  const { variables, grants, env } = caller;
  const own = { grants, env, variables: new Map(Object.entries(variables)) };
  const { bare, overlays } = withoutOverlays(document);
  const head = readHead(bare, { ...own, environment: undefined });
  const given =
    isObject(head.spec) && overlays !== undefined ? { ...head.spec, overlays } : head.spec;
  const schema = {
    schema: stackSpec,
    value: given,
    written: specOf(document),
    label: "spec",
  };
  const found = fieldErrors(validator(stackSpec)(given), schema).map(inSpec);
  const spec = validPart(given, found);
  const bounds = [
    ...boundErrors(spec, folder),
    ...grantsLocationErrors(folder, grants),
    ...inventoryPlaceErrors(spec, grants),
  ];
  const all = [...head.errors, ...withoutFailedPaths([...found, ...bounds], head.failedPaths)];
  const at = head.name === undefined ? undefined : `Stack/${head.name}`;
  const right = all.length === 0 && !document.hasErrors && head.name !== undefined;
  return {
    stack: right ? stackOf(head.name, folder, { spec, grants }) : undefined,
    manifests: all.some((mistake) => mistake.path.startsWith("/spec/manifests"))
      ? undefined
      : spec.manifests,
    scope: {
      ...own,
      variables: new Map([...entriesOf(spec.variables), ...own.variables]),
      environment: spec.environment ?? [],
      secretSources: { folder, grants },
    },
    overlays: spec.overlays ?? [],
    diagnostics: [
      ...all.map((mistake) => diagnosticOf(document, mistake, at)),
      ...notGrantedErrors(spec, grants).map((one) => ({
        ...diagnosticOf(document, one, at),
        severity: "warning" as const,
      })),
    ],
  };
}

function stackOf(
  name: string,
  folder: string,
  { spec, grants }: { readonly spec: StackSpec; readonly grants: Grants },
): Stack {
  const { target, inventory, policy = {} } = spec;
  const file = typeof inventory === "object" ? inventory.file : undefined;
  return {
    name,
    target: target === undefined ? undefined : new URL(target.url).origin,
    folder,
    inventory: grants.inventory ?? declaredPlace(inventory),
    inventoryFile: path.resolve(folder, file ?? `.svc/${name}.inventory.json`),
    policy: {
      prune: policy.prune ?? policyDefaults.prune,
      maxDeletes: Math.min(policy.maxDeletes ?? policyDefaults.maxDeletes, grants.maxDeletes),
      maxDeletePercent: smallest(maxDeletePercentOf(policy), grants.maxDeletePercent),
      concurrency: policy.concurrency ?? policyDefaults.concurrency,
      requestsPerSecond: policy.requestsPerSecond,
      windows: policy.windows ?? [],
      freezes: policy.freezes ?? [],
    },
  };
}

/** A Stack that names a number has thought of it; where it says nothing, a small stack is not deleted whole. */
function maxDeletePercentOf({
  maxDeletes,
  maxDeletePercent,
}: Static<typeof Policy>): number | undefined {
  return maxDeletePercent ?? (maxDeletes === undefined ? limits.deleteShareDefault : undefined);
}

function smallest(wanted: number | undefined, granted: number | undefined): number | undefined {
  return wanted === undefined || granted === undefined
    ? (wanted ?? granted)
    : Math.min(wanted, granted);
}

/** Budgets above what the operator grants; what is granted counts. */
function notGrantedErrors({ policy = {} }: StackSpec, grants: Grants): FieldError[] {
  return (["maxDeletes", "maxDeletePercent"] as const).flatMap((budget): FieldError[] => {
    const [wanted, granted] = [policy[budget], grants[budget]];
    if (wanted === undefined || granted === undefined || wanted <= granted) return [];
    const summary = `spec.policy.${budget} is ${wanted}, and no more than ${granted} is granted: ${granted} counts`;
    const remedy = `Lower it, have ${budget} raised in the operator's grants, or pass --allow-deletes to one apply.`;
    return [{ code: "not-granted", path: `/spec/policy/${budget}`, inKey: false, summary, remedy }];
  });
}

/** The record of what a stack owns guards against its changes, so a change of the stack cannot put another in its place. */
function inventoryPlaceErrors({ inventory }: StackSpec, grants: Grants): FieldError[] {
  const [named, granted] = [declaredPlace(inventory), grants.inventory];
  if (granted === undefined || named === undefined || named === granted) return [];
  const summary = `the operator's grants keep inventories in one place, ${granted}, and the Stack names another`;
  const remedy = `Write \`inventory: ${granted}\`, or leave it out.`;
  return [{ code: "not-granted", path: "/spec/inventory", inKey: false, summary, remedy }];
}

function declaredPlace(inventory: StackSpec["inventory"]): InventoryBackend | undefined {
  return typeof inventory === "object" ? "file" : inventory;
}

/** What travels with the stack cannot be what grants it anything. */
function grantsLocationErrors(folder: string, grants: Grants): FieldError[] {
  if (!areGrantsInFolder(folder, grants)) return [];
  const summary = "the file of grants lies in the folder of the Stack that it grants something to";
  const remedy = "Keep it where a change of the stack does not reach.";
  return [{ code: "not-granted", path: "", inKey: false, summary, remedy }];
}

/** The top-level members that nothing is wrong with, so that a mistake in one does not hide what another says. */
function validPart(spec: JsonValue, found: readonly FieldError[]): StackSpec {
  if (!isObject(spec)) return {};
  const wrong = new Set(found.map(({ path: at }) => splitPointer(at)[1]));
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !wrong.has(name)));
}

function inSpec(mistake: FieldError): FieldError {
  return { ...mistake, path: `/spec${mistake.path}` };
}

/** What a schema cannot say. A Stack travels with what it is to guard against, so it reaches nothing outside its folder. */
function boundErrors(
  { target, manifests = [], inventory, policy = {} }: StackSpec,
  folder: string,
): FieldError[] {
  const { windows = [], freezes = [] } = policy;
  const found = windowRuleErrors({ windows, freezes }).map((one): FieldError => {
    return { ...one, code: "out-of-bounds", inKey: false, path: `/spec/policy${one.path}` };
  });
  const tell = (at: string, summary: string, remedy: string): void => {
    found.push({ code: "out-of-bounds", path: at, inKey: false, summary, remedy });
  };
  if (target !== undefined && !isOrigin(target.url)) {
    const summary = "spec.target.url is not the origin of a service";
    tell("/spec/target/url", summary, "Write https://host, without a path or credentials.");
  }
  for (const [index, glob] of manifests.entries()) {
    if (!leavesFolder(glob.replace(/^!/, ""))) continue;
    const summary = `the glob "${glob}" leaves the folder of the Stack`;
    tell(`/spec/manifests/${index}`, summary, "Name files outside it on the command line.");
  }
  const file = typeof inventory === "object" ? inventory.file : undefined;
  if (file !== undefined && (leavesFolder(file) || path.resolve(folder, file) === folder)) {
    const summary = `the inventory file "${file}" is not in the folder of the Stack`;
    tell("/spec/inventory/file", summary, "Use a path below it.");
  }
  return found;
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

function specOf({ value }: Document): JsonValue {
  return (isObject(value) ? member(value, "spec") : undefined) ?? {};
}

function entriesOf(variables: unknown): [string, JsonValue][] {
  if (!isObject(variables)) return [];
  return Object.entries(variables).map(([name, value]) => [name, value ?? null]);
}
