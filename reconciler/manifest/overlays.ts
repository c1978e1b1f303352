// Overlays of a Stack: patches over the documents that they name, applied before anything is substituted or checked.
import { Type } from "typebox";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { address } from "../../core/identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { matchesWildcard, closestMatch } from "../../core/naming.ts";
import { applyOperations, mergePatch, type PatchOperation } from "../../core/patch.ts";
import { joinPointer } from "../../core/pointer.ts";
import { member } from "../../core/schema.ts";
import { oneOf } from "../../core/traits.ts";
import type { Document } from "./parse.ts";

const closed = { additionalProperties: false } as const;
const pointer = (description: string) => Type.String({ pattern: "^(/.*)?$", description });

const operation = Type.Object(
  {
    op: oneOf(["add", "remove", "replace", "move", "copy", "test"]),
    path: pointer("JSON Pointer to what it is about: /spec/description."),
    from: Type.Optional(pointer("Of move and copy: where from.")),
    value: Type.Optional(Type.Unsafe<JsonValue>({ description: "Of add, replace and test." })),
  },
  closed,
);

const target = Type.Object(
  {
    kind: Type.Optional(Type.String({ minLength: 1, description: "Documents of this kind." })),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Documents of this name; * stands for any text.",
      }),
    ),
    labels: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Documents that have all of these labels.",
      }),
    ),
  },
  { ...closed, minProperties: 1, description: "Which documents are changed." },
);

/** `spec.overlays` of a Stack. */
export const overlaysSchema = Type.Array(
  Type.Object(
    {
      target,
      patch: Type.Union([
        Type.Unsafe<JsonObject>({
          type: "object",
          description: "Merged in (RFC 7386): null removes a field.",
        }),
        Type.Array(operation, {
          minItems: 1,
          maxItems: limits.patchOperations,
          description: "Operations, carried out one after the other (RFC 6902).",
        }),
      ]),
    },
    closed,
  ),
  { maxItems: limits.overlays, description: "Changes to documents of the stack, in this order." },
);

/** One overlay that keeps {@link overlaysSchema}. */
export interface Overlay {
  readonly target: {
    readonly kind?: string;
    readonly name?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly patch: JsonObject | readonly PatchOperation[];
}

/** What overlays give. */
export interface OverlayResult {
  readonly documents: readonly Document[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Which overlays, in which Stack, and the kinds that there are. */
export interface OverlayContext {
  readonly overlays: readonly Overlay[];
  readonly stack: Document;
  readonly kinds: ReadonlySet<string>;
}

/** The documents with every overlay that means them; the Stack's own is never meant, and only told of. */
export function applyOverlays(
  documents: readonly Document[],
  { overlays, stack, kinds }: OverlayContext,
): OverlayResult {
  const diagnostics: Diagnostic[] = [];
  let current = documents;
  for (const [index, overlay] of overlays.entries()) {
    const at = joinPointer(["spec", "overlays", index]);
    const { kind } = overlay.target;
    if (kind !== undefined && !kinds.has(kind)) {
      diagnostics.push(unknownKind(kind, kinds, { stack, at: `${at}/target/kind` }));
      continue;
    }
    let isUsed = false;
    current = current.map((document) => {
      if (!matchesTarget(overlay.target, document)) return document;
      isUsed = true;
      return applyPatchTo(document, { overlay, at, stack, diagnostics });
    });
    if (!isUsed) diagnostics.push(unusedOverlay(stack, at));
  }
  return { documents: current, diagnostics };
}

function matchesTarget(
  { kind, name, labels = {} }: Overlay["target"],
  { value }: Document,
): boolean {
  if (!isObject(value) || member(value, "kind") === "Stack") return false;
  const metadata = member(value, "metadata");
  const own = isObject(metadata) ? metadata : {};
  const theirs = member(own, "labels");
  return (
    (kind === undefined || member(value, "kind") === kind) &&
    (name === undefined || matchesName(member(own, "name"), name)) &&
    Object.entries(labels).every(([key, text]) => isObject(theirs) && member(theirs, key) === text)
  );
}

function matchesName(name: JsonValue | undefined, pattern: string): boolean {
  return typeof name === "string" && matchesWildcard(name, pattern);
}

interface PatchContext {
  readonly overlay: Overlay;
  /** Where it stands in the Stack. */
  readonly at: string;
  readonly stack: Document;
  readonly diagnostics: Diagnostic[];
}

function applyPatchTo(
  document: Document,
  { overlay, at, stack, diagnostics }: PatchContext,
): Document {
  const { patch } = overlay;
  const title = identityOf(document.value);
  const tell = (path: string, why: string): Document => {
    diagnostics.push({
      code: "overlay-failed",
      severity: "error",
      summary: `the overlay does not fit ${title}: ${why}`,
      remedy: "mend the patch, or narrow its target",
      place: stack.locate(path),
      path,
    });
    return document;
  };
  const made = Array.isArray(patch)
    ? applyOperations(document.value, patch as readonly PatchOperation[])
    : { value: mergePatch(document.value, patch as JsonObject) };
  if ("failed" in made) return tell(`${at}/patch/${made.failed}`, made.reason);
  if (identityOf(made.value) !== title) {
    return tell(`${at}/patch`, "apiVersion, kind and metadata.name say which document it is");
  }
  const origins = Array.isArray(patch)
    ? operationOrigins(patch as readonly PatchOperation[], `${at}/patch`)
    : mergeOrigins(patch as JsonObject, `${at}/patch`);
  return {
    ...document,
    value: made.value,
    generatedBy: "overlay",
    locate: locateWith(document, stack, origins),
  };
}

/** Everything that says which document it is. */
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

/** Where values that came out of a patch are written: pointers into the document, and into the Stack. */
type FieldOrigins = ReadonlyMap<string, string>;

function mergeOrigins(patch: JsonValue, at: string, path = ""): FieldOrigins {
  if (!isObject(patch)) return new Map([[path, at]]);
  return new Map(
    Object.entries(patch).flatMap(([name, value]) => [
      ...mergeOrigins(value ?? null, at + joinPointer([name]), path + joinPointer([name])),
    ]),
  );
}

function operationOrigins(operations: readonly PatchOperation[], at: string): FieldOrigins {
  return new Map(
    operations.map(({ op, path }, index) => {
      const hasValue = op === "add" || op === "replace";
      return [path, `${at}/${index}${hasValue ? "/value" : ""}`];
    }),
  );
}

function locateWith(
  document: Document,
  stack: Document,
  origins: FieldOrigins,
): Document["locate"] {
  return (path, side) => {
    const found = [...origins].findLast(([from]) => path === from || path.startsWith(`${from}/`));
    if (found === undefined) return document.locate(path, side);
    const [from, origin] = found;
    return stack.locate(origin + path.slice(from.length), side);
  };
}

function unknownKind(
  kind: string,
  kinds: ReadonlySet<string>,
  { stack, at }: { readonly stack: Document; readonly at: string },
): Diagnostic {
  const meant = closestMatch(kind, kinds);
  const guess = meant === undefined ? "" : `Did you mean "${meant}"? `;
  return {
    code: "unknown-kind",
    severity: "error",
    summary: `there is no kind "${kind}" for the overlay to change`,
    remedy: `${guess}The kinds are ${[...kinds].join(", ")}.`,
    place: stack.locate(at),
    path: at,
  };
}

function unusedOverlay(stack: Document, at: string): Diagnostic {
  return {
    code: "overlay-unused",
    severity: "warning",
    summary: "the overlay changes nothing: no document of the stack is what its target names",
    remedy: "mend the target, or remove the overlay",
    place: stack.locate(`${at}/target`),
    path: `${at}/target`,
  };
}
