// The Removed document: addresses that the stack stops managing without deleting their objects.
import { type Static, Type } from "typebox";
import { declaredValidator } from "../../core/schema/validate.ts";
import type { DesiredState, ExtensionDocument } from "../model/index.ts";
import { type BuiltInFormat, readBuiltIn } from "./built-in-document.ts";
import { diagnosticOf } from "./document.ts";
import { documentSchema } from "./document-schema.ts";
import type { DocumentType } from "./document-type.ts";
import type { Document } from "./parse.ts";
import { addressPattern } from "../../core/text/text-patterns.ts";

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

/** The document type Removed, which every stack has. */
export const removedDocumentType: DocumentType = {
  kind: "Removed",
  read(document, scope) {
    const { head, name, diagnostics } = readBuiltIn(document, scope, format);
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
  check: (documents, objects) => {
    const declared = new Map(objects.map((object) => [object.address, object]));
    return documents.filter(isRemoved).flatMap(({ name, from, document }) =>
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
      }),
    );
  },
};

/** Returns the addresses that Removed documents name. */
export function removedAddresses({
  extensions = [],
}: Pick<DesiredState, "extensions">): ReadonlySet<string> {
  return new Set(extensions.filter(isRemoved).flatMap(({ from }) => from));
}

function isRemoved(document: ExtensionDocument): document is RemovedDocument {
  return document.kind === "Removed";
}
