// Reads many collections of a kind together, where one list has their contents.

/** Reads the objects of many collections from few lists, such as the members of all groups from the users. */
export interface ReadTogether<Reader, Observed> {
  /** Fields of the scope that the collections have in common. Without any, they are all collections of the account. */
  readonly within: readonly string[];
  /**
   * Returns the objects of the requested collections in `scope`, and maybe of others. Returns undefined if the server's
   * lists do not have them, or if a list that only this read needs has too many pages.
   */
  readonly read: (
    reader: Reader,
    scope: Readonly<Record<string, string>>,
    request: TogetherRequest,
  ) => Promise<readonly Observed[] | undefined>;
}

/** The collections to read together. */
export interface TogetherRequest {
  readonly scopes: readonly Readonly<Record<string, string>>[];
  /**
   * Returns how many pages of a list that nothing else needs may be read instead of a number of existing collections.
   */
  readonly pagesFor: (collections: number) => number;
}
