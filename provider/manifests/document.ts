// The shared code of the builders for TypeScript manifests: the form of a document and its source location.
import type { Lifecycle } from "./sdk/lifecycle.ts";

/** Options of a document in addition to its spec. */
export interface DocumentOptions {
  /** User-defined labels. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly lifecycle?: Lifecycle | undefined;
}

/** Options of a document of a component. The lifecycle applies to each of its objects. */
export interface ComponentOptions {
  /** User-defined labels. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly lifecycle?: Pick<Lifecycle, "protect" | "onRemoval" | "manage" | "adopt"> | undefined;
}

/** Options of a document whose kind has a generated secret. */
export interface GeneratedSecretDocumentOptions extends DocumentOptions {
  /** Where to write the secret: a path in the stack's folder, of a file that does not exist yet. */
  readonly secretTo: { readonly file: string };
}

/** A document of a manifest. Create it with a builder. */
export interface ManifestDocument {
  readonly apiVersion: "svc/v1";
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly lifecycle?: Lifecycle | undefined;
  };
  readonly spec: object;
  readonly secretTo?: { readonly file: string } | undefined;
}

/** The argument of `documents` if it is a function. */
export interface ManifestContext {
  /** The Stack's variables, overridden by variables of the command line. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The export `documents` of a manifest. */
export type Documents =
  | readonly ManifestDocument[]
  | ((
      context: ManifestContext,
    ) => readonly ManifestDocument[] | Promise<readonly ManifestDocument[]>);

/** Creates a document. Error messages name the line of this call. */
export function createDocument(
  kind: string,
  ...[name, spec, options]: [name: string, spec: object, options: DocumentOptions]
): ManifestDocument {
  const { labels, lifecycle, ...others } = options;
  const metadata = { name, labels, lifecycle };
  const document = { apiVersion: "svc/v1", kind, metadata, spec, ...others } as const;
  Object.defineProperty(document, Symbol.for("svc-as-code.source"), {
    value: new Error("created here"),
  });
  return document;
}
