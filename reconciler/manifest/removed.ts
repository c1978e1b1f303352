// The Removed document: addresses that the stack stops managing without deleting their objects.
import { type Static, Type } from "typebox";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { parseAddress } from "../../core/kind/identity.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import type { Change, DesiredObject, DesiredState, ExtensionDocument } from "../model/index.ts";
import { type BuiltInFormat, readBuiltIn } from "./built-in-document.ts";
import { diagnosticOf, unknownKindError } from "./document.ts";
import { documentSchema } from "./document-schema.ts";
import type { DocumentType } from "./document-type.ts";
import type { FieldError } from "./field-errors.ts";
import type { Document } from "./parse.ts";
import { closestMatch, sentences, suggestionRemedy } from "../../core/text/naming.ts";
import { addressPattern } from "../../core/text/text-patterns.ts";
import { objectsByAddress } from "../model/stack-index.ts";

const removedSpec = Type.Object(
  {
    from: Type.Array(Type.String({ pattern: addressPattern }), {
      minItems: 1,
      description:
        "Addresses (Kind/name) of documents that were removed. Their objects stay on the server, " +
        "and the stack no longer manages them. An address that the stack does not own is ignored.",
    }),
  },
  { additionalProperties: false },
);

const format: BuiltInFormat = {
  kind: "Removed",
  schema: removedSpec,
  validate: declaredValidator(removedSpec),
};

/** A Removed document, as JSON Schema. */
export const removedSchema = documentSchema(
  {
    kind: "Removed",
    description: "Objects that the stack stops managing without deleting them.",
    requiresSpec: true,
  },
  removedSpec,
);

interface RemovedDocument extends ExtensionDocument {
  readonly kind: "Removed";
  readonly from: readonly string[];
  /** The document, for the places of diagnostics. */
  readonly document: Document;
}

/** Returns the document type Removed, which every stack has. */
export function removedDocumentType(kinds: readonly Kind[]): DocumentType {
  const names = kinds.map((kind) => kind.name);
  const semanticErrors: BuiltInFormat["semanticErrors"] = (spec, isValid) =>
    isValid("/spec/from") ? unknownKinds(spec as Static<typeof removedSpec>, names) : [];
  return {
    kind: "Removed",
    read(document, scope) {
      const { head, name, diagnostics } = readBuiltIn(document, scope, {
        ...format,
        semanticErrors,
      });
      if (name === undefined) return { document: undefined, diagnostics };
      const { from } = head.spec as Static<typeof removedSpec>;
      const removed: RemovedDocument = {
        kind: "Removed",
        name,
        from,
        document,
        place: document.place,
      };
      return { document: removed, diagnostics: [] };
    },
    check: (documents, objects) => documents.filter(isRemoved).flatMap(declaredErrors(objects)),
  };
}

function unknownKinds(
  { from }: Static<typeof removedSpec>,
  names: readonly string[],
): readonly FieldError[] {
  return from.flatMap((address, index) => {
    const kind = parseAddress(address)?.kind;
    if (kind === undefined || names.includes(kind)) return [];
    const summary = `${address} has the unknown kind "${kind}"`;
    return [unknownKindError(kind, names, { path: `/spec/from/${index}`, summary })];
  });
}

function declaredErrors(
  objects: readonly DesiredObject[],
): (removed: RemovedDocument) => readonly Diagnostic[] {
  const declared = objectsByAddress(objects);
  return ({ name, from, document }) =>
    from.flatMap((address, index) => {
      const object = declared.get(address);
      if (object === undefined) return [];
      const { file, line, column } = object.place;
      const summary = `${address} is removed here and declared at ${file}:${line}:${column}`;
      const error = {
        code: "duplicate-address",
        path: `/spec/from/${index}`,
        inKey: false,
        summary,
        remedy: "Remove its document, or this address.",
      } as const;
      return [diagnosticOf(document, error, `Removed/${name}`)];
    });
}

/**
 * Warns about addresses that match no owned object while an object of their kind is deleted, which may be the one to
 * keep.
 */
export function unusedRemovals(
  { extensions = [] }: Pick<DesiredState, "extensions">,
  { owned, changes }: { readonly owned: readonly string[]; readonly changes: readonly Change[] },
): readonly Diagnostic[] {
  const ownedAddresses = new Set(owned);
  const deletedAddresses = changes.flatMap((change) =>
    change.action === "delete" ? change.address : [],
  );
  const deleted = Map.groupBy(deletedAddresses, (name) => parseAddress(name)?.kind);
  return extensions.filter(isRemoved).flatMap(({ name, from, document }) =>
    from.flatMap((address, index): readonly Diagnostic[] => {
      if (ownedAddresses.has(address)) return [];
      const others = deleted.get(parseAddress(address)?.kind) ?? [];
      const [first] = others;
      if (first === undefined) return [];
      const meant = closestMatch(address, others);
      const fix = "Fix the address, or remove it if its object was released before.";
      const error: FieldError = {
        code: "removed-unused",
        path: `/spec/from/${index}`,
        inKey: false,
        summary: `${address} matches no object that the stack owns, and the plan deletes ${meant ?? first}`,
        remedy: sentences(meant && suggestionRemedy(meant, String), fix),
      };
      return [{ ...diagnosticOf(document, error, `Removed/${name}`), severity: "warning" }];
    }),
  );
}

/** Returns the addresses that Removed documents name. */
export function removedAddresses({
  extensions = [],
}: Pick<DesiredState, "extensions">): ReadonlySet<string> {
  return new Set(extensions.filter(isRemoved).flatMap(({ from }) => from));
}

function isRemoved(document: ExtensionDocument): document is RemovedDocument {
  return document.kind === "Removed";
}
