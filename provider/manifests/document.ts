// What the builders of manifests in TypeScript share: the form of a document, and the place where it was made.
import type { Lifecycle } from "./sdk/lifecycle.ts";

/** What a document says beside its spec. */
export interface DocumentOptions {
  /** Labels of your own, by name. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly lifecycle?: Lifecycle | undefined;
}

/** The same for kinds that come with a secret, which is shown once. */
export interface GeneratedSecretDocumentOptions extends DocumentOptions {
  /** Where the secret goes: a path in the stack's folder, of a file that does not exist yet. */
  readonly secretTo: { readonly file: string };
}

/** A document of a manifest; the builders make them. */
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

/** What `documents` is called with where it is a function. */
export interface ManifestContext {
  /** The Stack's variables, and over them those of the caller. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What a manifest exports as `documents`. */
export type Documents =
  | readonly ManifestDocument[]
  | ((
      context: ManifestContext,
    ) => readonly ManifestDocument[] | Promise<readonly ManifestDocument[]>);

/** The document of a kind; messages about it name the line on which it was made. */
export function createDocument(
  kind: string,
  ...[name, spec, more]: [name: string, spec: object, more: DocumentOptions]
): ManifestDocument {
  const { labels, lifecycle, ...others } = more;
  const metadata = { name, labels, lifecycle };
  const document = { apiVersion: "svc/v1", kind, metadata, spec, ...others } as const;
  Object.defineProperty(document, Symbol.for("svc-as-code.source"), {
    value: new Error("made here"),
  });
  return document;
}
