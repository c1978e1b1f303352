// Reading many collections of a kind at once, where one list has what they contain.

/** Reads the objects of many collections from few lists, such as the members of all groups from the users. */
export interface ReadTogether<Reader, Observed> {
  /** Fields of the scope that the collections have in common. Without any, they are all collections of the account. */
  readonly within: readonly string[];
  /**
   * Returns the objects of all collections in `scope`, not only of the requested ones. Returns undefined if the
   * server's lists do not have them, or if a list that only this read needs has more than `pages` pages.
   */
  readonly read: (
    reader: Reader,
    scope: Readonly<Record<string, string>>,
    pages: number,
  ) => Promise<readonly Observed[] | undefined>;
}
