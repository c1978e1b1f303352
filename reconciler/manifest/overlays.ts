// Overlays of a Stack: patches for documents, applied before substitution and checks.
import { Type } from "typebox";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { address } from "../../core/kind/identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { matchesWildcard } from "../../core/text/naming.ts";
import { applyOperations, mergePatch, type PatchOperation } from "../../core/spec/patch.ts";
import { joinPointer } from "../../core/pointer.ts";
import { member } from "../../core/schema/schema.ts";
import { oneOf } from "../../core/schema/traits.ts";
import { diagnosticOf, unknownKindError } from "./document.ts";
import type { Document } from "./parse.ts";
import { pointerPattern } from "../../core/text/text-patterns.ts";

const closed = { additionalProperties: false } as const;
const pointer = (description: string) => Type.String({ pattern: pointerPattern, description });

const operation = Type.Object(
  {
    op: oneOf(["add", "remove", "replace", "move", "copy", "test"]),
    path: pointer("JSON Pointer to the value, such as `/spec/description`."),
    from: Type.Optional(pointer("Source of `move` and `copy`, as JSON Pointer.")),
    value: Type.Optional(
      Type.Unsafe<JsonValue>({ description: "Value of `add`, `replace` and `test`." }),
    ),
  },
  closed,
);

const target = Type.Object(
  {
    kind: Type.Optional(Type.String({ minLength: 1, description: "Documents of this kind." })),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Documents of this name. `*` matches any text.",
      }),
    ),
    labels: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Documents with all of these labels.",
      }),
    ),
  },
  {
    ...closed,
    minProperties: 1,
    description: "The documents to change; all conditions must match.",
  },
);

/** `spec.overlays` of a Stack. */
export const overlaysSchema = Type.Array(
  Type.Object(
    {
      target,
      patch: Type.Union([
        Type.Unsafe<JsonObject>({
          type: "object",
          description: "A JSON merge patch (RFC 7386): `null` removes a field.",
        }),
        Type.Array(operation, {
          minItems: 1,
          maxItems: limits.patchOperations,
          description: "A JSON patch: operations, applied in order (RFC 6902).",
        }),
      ]),
    },
    closed,
  ),
  {
    maxItems: limits.overlays,
    description: "Patches for documents of the stack, applied in order.",
  },
);

/** One valid overlay. */
export interface Overlay {
  readonly target: {
    readonly kind?: string;
    readonly name?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly patch: JsonObject | readonly PatchOperation[];
}

/** The patched documents, with errors. */
export interface OverlayResult {
  readonly documents: readonly Document[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The overlays, their Stack document, and the known kinds. */
export interface OverlayContext {
  readonly overlays: readonly Overlay[];
  readonly stack: Document;
  readonly kinds: ReadonlySet<string>;
}

/** Applies overlays to the documents that they target. Reports errors at their place in the Stack document. */
export function applyOverlays(
  documents: readonly Document[],
  { overlays, stack, kinds }: OverlayContext,
): OverlayResult {
  const diagnostics: Diagnostic[] = [];
  let current = documents;
  for (const [index, overlay] of overlays.entries()) {
    const overlayPath = joinPointer(["spec", "overlays", index]);
    const { kind } = overlay.target;
    if (kind !== undefined && !kinds.has(kind)) {
      const summary = `the overlay targets the unknown kind "${kind}"`;
      const error = unknownKindError(kind, kinds, { path: `${overlayPath}/target/kind`, summary });
      diagnostics.push(diagnosticOf(stack, error));
      continue;
    }
    let isUsed = false;
    current = current.map((document) => {
      if (!matchesTarget(overlay.target, document)) return document;
      isUsed = true;
      return applyPatchTo(document, { overlay, overlayPath, stack, diagnostics });
    });
    if (!isUsed) diagnostics.push(unusedOverlay(stack, overlayPath));
  }
  return { documents: current, diagnostics };
}

function matchesTarget(
  { kind, name, labels = {} }: Overlay["target"],
  { value }: Document,
): boolean {
  if (!isObject(value) || member(value, "kind") === "Stack") return false;
  const metadata = member(value, "metadata");
  const members = isObject(metadata) ? metadata : {};
  const present = member(members, "labels");
  return (
    (kind === undefined || member(value, "kind") === kind) &&
    (name === undefined || matchesName(member(members, "name"), name)) &&
    Object.entries(labels).every(
      ([key, text]) => isObject(present) && member(present, key) === text,
    )
  );
}

function matchesName(name: JsonValue | undefined, pattern: string): boolean {
  return typeof name === "string" && matchesWildcard(name, pattern);
}

interface PatchContext {
  readonly overlay: Overlay;
  /** Its JSON Pointer in the Stack document. */
  readonly overlayPath: string;
  readonly stack: Document;
  readonly diagnostics: Diagnostic[];
}

function applyPatchTo(
  document: Document,
  { overlay, overlayPath, stack, diagnostics }: PatchContext,
): Document {
  const { patch } = overlay;
  const title = identityOf(document.value);
  const fail = (path: string, why: string): Document => {
    diagnostics.push({
      code: "overlay-failed",
      severity: "error",
      summary: `the overlay cannot be applied to ${title}: ${why}`,
      remedy: "Fix the patch, or narrow its target.",
      place: stack.locate(path),
      path,
    });
    return document;
  };
  const patched = Array.isArray(patch)
    ? applyOperations(document.value, patch as readonly PatchOperation[])
    : { value: mergePatch(document.value, patch as JsonObject) };
  if ("failed" in patched) return fail(`${overlayPath}/patch/${patched.failed}`, patched.reason);
  if (identityOf(patched.value) !== title) {
    return fail(`${overlayPath}/patch`, "it must not change apiVersion, kind or metadata.name");
  }
  const origins = Array.isArray(patch)
    ? operationOrigins(patch as readonly PatchOperation[], `${overlayPath}/patch`)
    : mergeOrigins(patch as JsonObject, `${overlayPath}/patch`);
  return {
    ...document,
    value: patched.value,
    generatedBy: "overlay",
    locate: locateWith(document, stack, origins),
  };
}

/** Returns the address of a document, or its identifying members if it has none. */
function identityOf(value: JsonValue): string {
  const top = isObject(value) ? value : {};
  const metadata = member(top, "metadata");
  const name = isObject(metadata) ? member(metadata, "name") : undefined;
  const [version, kind] = [member(top, "apiVersion"), member(top, "kind")];
  if (version !== "svc/v1" || typeof kind !== "string" || typeof name !== "string") {
    return JSON.stringify([version, kind, name]);
  }
  return address(kind, name);
}

/** Maps JSON Pointers in the document to JSON Pointers of the patch in the Stack. */
type FieldOrigins = ReadonlyMap<string, string>;

function mergeOrigins(patch: JsonValue, patchPath: string, path = ""): FieldOrigins {
  if (!isObject(patch)) return new Map([[path, patchPath]]);
  return new Map(
    Object.entries(patch).flatMap(([name, value]) => [
      ...mergeOrigins(value ?? null, patchPath + joinPointer([name]), path + joinPointer([name])),
    ]),
  );
}

function operationOrigins(operations: readonly PatchOperation[], patchPath: string): FieldOrigins {
  return new Map(
    operations.map(({ op, path }, index) => {
      const hasValue = op === "add" || op === "replace";
      return [path, `${patchPath}/${index}${hasValue ? "/value" : ""}`];
    }),
  );
}

function locateWith(
  document: Document,
  stack: Document,
  origins: FieldOrigins,
): Document["locate"] {
  return (path, side) => {
    const origin = [...origins].findLast(([from]) => path === from || path.startsWith(`${from}/`));
    if (origin === undefined) return document.locate(path, side);
    const [from, to] = origin;
    return stack.locate(to + path.slice(from.length), side);
  };
}

function unusedOverlay(stack: Document, overlayPath: string): Diagnostic {
  return {
    code: "overlay-unused",
    severity: "warning",
    summary: "the overlay has no effect: no document matches its target",
    remedy: "Fix the target, or remove the overlay.",
    place: stack.locate(`${overlayPath}/target`),
    path: `${overlayPath}/target`,
  };
}
