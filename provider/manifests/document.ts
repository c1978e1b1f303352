// The shared code of the builders for manifests: the form of a document. The type of the lifecycle is a parameter, because
// it is generated with the builders.

/** Options of a document in addition to its spec. */
export interface DocumentOptions<Lifecycle> {
  /** User-defined labels. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly lifecycle?: Lifecycle | undefined;
}

/** Options of a document whose kind has a generated secret. */
export interface GeneratedSecretDocumentOptions<Lifecycle> extends DocumentOptions<Lifecycle> {
  /** Where to write the secret: a path in the stack's folder, of a file that does not exist yet. */
  readonly secretTo: { readonly file: string };
}

/** A document of a manifest. Create it with a builder. */
export interface ManifestDocument<Lifecycle> {
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

/** Creates a document. */
export function createDocument<Lifecycle>(
  kind: string,
  ...[name, spec, options]: [name: string, spec: object, options: DocumentOptions<Lifecycle>]
): ManifestDocument<Lifecycle> {
  const { labels, lifecycle, ...others } = options;
  return { apiVersion: "svc/v1", kind, metadata: { name, labels, lifecycle }, spec, ...others };
}
