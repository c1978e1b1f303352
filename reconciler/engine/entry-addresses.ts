// Decides which inventory entry belongs to each document of a kind, also after documents or objects got other names.

/** What decides about the entry of a document. */
export interface DocumentIdentity {
  readonly address: string;
  /** The natural key under which its object is found today; undefined if there cannot be one yet. */
  readonly key: string | undefined;
  readonly movedFrom: string | undefined;
}

/** What decides about the document of an inventory entry. */
export interface EntryIdentity {
  readonly address: string;
  readonly key: string;
  readonly id: string | undefined;
  /** False if its object is gone. */
  readonly isLive: boolean;
}

/** The result of {@link addressEntries}. */
export interface EntryAddresses {
  /** Addresses of entries by the address of the document that they belong to. */
  readonly entryOf: ReadonlyMap<string, string>;
  /**
   * New addresses of the entries that belong to no document, by their present address, where a document takes that for
   * another entry.
   */
  readonly displaced: ReadonlyMap<string, string>;
}

/**
 * Finds the entries of the documents of one kind. A document has the entry with its address and its natural key, else that
 * of its `movedFrom`, else that of its natural key, else that of its address: documents that exchange or shift their names
 * keep their objects. A document with a new natural key keeps the entry of its address, whose object gets that key, and so
 * does the document that takes its former key. An entry whose object is gone is found by its key last.
 */
export function addressEntries(
  documents: readonly DocumentIdentity[],
  entries: readonly EntryIdentity[],
): EntryAddresses {
  const recorded = new Map(entries.map((entry) => [entry.address, entry]));
  const declared = new Map(documents.map((document) => [document.address, document]));
  const entryOf = new Map<string, string>();
  /** The addresses of documents by that of their entry. */
  const documentOf = new Map<string, string>();
  const assign = ({ address }: DocumentIdentity, entry: string): void => {
    entryOf.set(address, entry);
    documentOf.set(entry, address);
  };
  for (const document of documents) {
    const own = recorded.get(document.address);
    if (own !== undefined && (document.key === undefined || document.key === own.key))
      assign(document, own.address);
  }
  assignMoves(documents, { recorded, declared, entryOf, documentOf, assign });
  const assignByKey = (isLive: boolean): void => {
    if (entryOf.size === documents.length || documentOf.size === recorded.size) return;
    const free = entries.filter(
      (entry) => entry.isLive === isLive && !documentOf.has(entry.address),
    );
    const byKey = uniqueByKey(free);
    for (const document of documents) {
      if (entryOf.has(document.address) || document.key === undefined) continue;
      const entry = byKey.get(document.key);
      if (entry !== undefined && !documentOf.has(entry.address)) assign(document, entry.address);
    }
  };
  const certain = new Set(documentOf.keys());
  assignByKey(true);
  for (const document of documents) {
    if (entryOf.has(document.address)) continue;
    const chain = chainOfAddresses(document, { recorded, declared, certain, documentOf });
    for (const { address } of chain) entryOf.delete(address);
    for (const one of chain) {
      const isFree = recorded.has(one.address) && !certain.has(one.address);
      if (isFree) assign(one, one.address);
    }
  }
  assignByKey(false);
  return { entryOf, displaced: displacedEntries(entries, { declared, entryOf, documentOf }) };
}

interface Assignment {
  readonly recorded: ReadonlyMap<string, EntryIdentity>;
  readonly declared: ReadonlyMap<string, DocumentIdentity>;
  readonly entryOf: ReadonlyMap<string, string>;
  readonly documentOf: ReadonlyMap<string, string>;
}

/**
 * Gives documents the entries of their `movedFrom`. It counts where the document has no entry at its address, or loses that
 * to another move; otherwise the move was made by an earlier run.
 */
function assignMoves(
  documents: readonly DocumentIdentity[],
  {
    recorded,
    declared,
    entryOf,
    documentOf,
    assign,
  }: Assignment & { readonly assign: (document: DocumentIdentity, entry: string) => void },
): void {
  const queue = documents.filter(
    ({ address, movedFrom }) => movedFrom !== undefined && !recorded.has(address),
  );
  for (const document of queue) {
    const { address, movedFrom: from } = document;
    if (from === undefined || entryOf.has(address) || documentOf.has(from) || !recorded.has(from))
      continue;
    assign(document, from);
    const robbed = declared.get(from);
    if (robbed?.movedFrom !== undefined) queue.push(robbed);
  }
}

/** Indexes entries by key. Of entries for different objects with one key, none is certain. */
function uniqueByKey(entries: readonly EntryIdentity[]): ReadonlyMap<string, EntryIdentity> {
  const byKey = new Map<string, EntryIdentity>();
  const ambiguous = new Set<string>();
  for (const entry of entries) {
    const other = byKey.get(entry.key);
    if (other !== undefined && other.id !== entry.id) ambiguous.add(entry.key);
    byKey.set(entry.key, entry);
  }
  for (const key of ambiguous) byKey.delete(key);
  return byKey;
}

/**
 * Returns a document whose natural key is new, the one that its key took the entry of the first to, and so on. All but the
 * last have entries at their addresses.
 */
function chainOfAddresses(
  document: DocumentIdentity,
  {
    recorded,
    declared,
    certain,
    documentOf,
  }: Omit<Assignment, "entryOf"> & { readonly certain: ReadonlySet<string> },
): readonly DocumentIdentity[] {
  const chain = [document];
  let { address } = document;
  while (recorded.has(address) && !certain.has(address)) {
    const next = declared.get(documentOf.get(address) ?? "");
    if (next === undefined) break;
    chain.push(next);
    address = next.address;
  }
  return chain;
}

/**
 * Returns the addresses that entries without a document get from those entries that take theirs: the first of such a chain
 * leaves an address that no document has.
 */
function displacedEntries(
  entries: readonly EntryIdentity[],
  { declared, entryOf, documentOf }: Omit<Assignment, "recorded">,
): ReadonlyMap<string, string> {
  const displaced = new Map<string, string>();
  for (const { address } of entries) {
    if (documentOf.has(address) || !declared.has(address)) continue;
    let free = address;
    for (let next = entryOf.get(free); next !== undefined; next = entryOf.get(free)) free = next;
    displaced.set(address, free);
  }
  return displaced;
}
