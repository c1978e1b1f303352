// Relations of a resource type to objects of another type: objects that its own objects create, share fields with, or
// are listed in. Also limits on the number of objects.

/** The object of another kind that the service creates implicitly with an object, if none exists. */
export interface ImplicitCreate {
  readonly kind: string;
  /** The fields of the object, in the order of the key of the other kind. */
  readonly key: readonly string[];
}

/** Fields of an object that are fields of an object of another kind too: a write of either sets both. */
export interface SharedFields {
  readonly kind: string;
  /** The fields of the object, in the order of the key of the other kind. */
  readonly key: readonly string[];
  /** The fields of the other object, by the fields of the object. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The list that contains the object as an entry: a field of an object of another kind, which replaces the list as a whole. */
export interface ListEntry {
  readonly kind: string;
  /** The fields of the object, in the order of the key of the other kind. */
  readonly key: readonly string[];
  readonly field: string;
}

/** The maximum number of objects of one scope. Objects of all kinds with the same scope and limit count together. */
export interface ObjectLimit {
  /** The counted objects, as the text after "1,001": `policies on one folder`. */
  readonly what: string;
  readonly max: number;
  /** The alternative, as a sentence. */
  readonly remedy: string;
}
