// Objects of a kind that lack an identifying field, so that no manifest can declare them.

/** Finds the objects of a kind without a natural key, such as workbooks without a slug. */
export interface UnidentifiedObjects<Reader> {
  /** The missing field: `a slug`. */
  readonly lack: string;
  /** The objects that belong to them, and so cannot be declared either. */
  readonly partsOfThem: string;
  /** Lists the unidentified objects of a collection, with calls that observing the collection makes too. */
  list(
    reader: Reader,
    scope: Readonly<Record<string, string>>,
  ): Promise<readonly UnidentifiedObject[]>;
}

/** An object without a natural key. */
export interface UnidentifiedObject {
  /** Its name, and where it is: `"Sales" of deployment main (ID 3)`. */
  readonly label: string;
  /** The command that sets the missing field. */
  readonly remedy: string;
}
