// Decides which inventory entry belongs to each document of a kind, also after documents or objects got other names.

/** The inputs that decide which entry a document has. */
export interface DocumentIdentity {
  readonly address: string;
  /** The natural key under which its object is found today; undefined if there cannot be one yet. */
  readonly key: string | undefined;
  readonly movedFrom: string | undefined;
}

/** The inputs that decide which document an inventory entry has. */
export interface EntryIdentity {
  readonly address: string;
  readonly key: string;
  readonly id: string | undefined;
  /** False if its object is gone. */
  readonly isLive: boolean;
}

/** Evidence that distinguishes a renamed object from a renamed document. */
export interface RenameEvidence {
  /** False if a new natural key means another object. */
  readonly canBeRenamed: boolean;
  /** True if a document declares the content of an entry, apart from the natural key; both by address. */
  readonly isAlike: (document: string, entry: string) => boolean;
}

/** A document with the natural key of another one's object, where either the object or the document can have a new name. */
export interface UncertainRename {
  /** The address of the document. */
  readonly address: string;
  /** The address of the document that has the entry of the object. */
  readonly owner: string;
  /** True if the address has no entry yet, so that `movedFrom` can decide. */
  readonly isNew: boolean;
}

/** The result of {@link addressEntries}. */
export interface EntryAddresses {
  /** Addresses of entries by the address of the document that they belong to. */
  readonly entryOf: ReadonlyMap<string, string>;
  /**
   * New addresses of the entries that belong to no document, by their current address, where a document takes that for
   * another entry.
   */
  readonly displaced: ReadonlyMap<string, string>;
  readonly uncertain: readonly UncertainRename[];
}

/** Returns the entry at each document's own address, for kinds whose documents cannot be renamed. */
export function ownEntries(
  documents: readonly Pick<DocumentIdentity, "address">[],
  entries: readonly Pick<EntryIdentity, "address">[],
): EntryAddresses {
  const recorded = new Set(entries.map(({ address }) => address));
  const own = documents.filter(({ address }) => recorded.has(address));
  const entryOf = new Map(own.map(({ address }) => [address, address]));
  return { entryOf, displaced: new Map(), uncertain: [] };
}

/**
 * Finds the entries of the documents of one kind. A document has the entry with both its address and its natural key;
 * otherwise the entry of its `movedFrom`, then of its natural key, then of its address. So documents that exchange or
 * shift their names keep their objects. Where a document with a new natural key and one with its former key both claim
 * an entry, the content decides, otherwise the address. Objects that cannot get another key keep theirs. An entry whose
 * object is gone is found by its key last.
 */
export function addressEntries(
  documents: readonly DocumentIdentity[],
  entries: readonly EntryIdentity[],
  evidence: RenameEvidence,
): EntryAddresses {
  const recorded = new Map(entries.map((entry) => [entry.address, entry]));
  const declared = new Map(documents.map((document) => [document.address, document]));
  const entryOf = new Map<string, string>();
  /** The addresses of documents, by the address of their entry. */
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
  const moves = { recorded, declared, entryOf, documentOf, assign };
  assignMoves(documents, moves);
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
  const parts = { ...moves, certain };
  const uncertain = documents.flatMap((document) =>
    entryOf.has(document.address) ? [] : settleClaims(document, parts, evidence),
  );
  assignByKey(false);
  const displaced = displacedEntries(entries, { declared, entryOf, documentOf });
  return { entryOf, displaced, uncertain };
}

interface Assignment {
  readonly recorded: ReadonlyMap<string, EntryIdentity>;
  readonly declared: ReadonlyMap<string, DocumentIdentity>;
  readonly entryOf: Map<string, string>;
  readonly documentOf: ReadonlyMap<string, string>;
  readonly assign: (document: DocumentIdentity, entry: string) => void;
}

/**
 * Gives documents the entries of their `movedFrom`. A `movedFrom` applies if the document has no entry at its address, or
 * loses that entry to another move. Otherwise an earlier run made the move.
 */
function assignMoves(
  documents: readonly DocumentIdentity[],
  { recorded, declared, entryOf, documentOf, assign }: Assignment,
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
 * Assigns entries along a chain of documents that exchanged natural keys. If the content fits the keys, the documents
 * were renamed; if it fits the addresses, the objects were. Returns the claims that remain uncertain.
 */
function settleClaims(
  document: DocumentIdentity,
  parts: Assignment & { readonly certain: ReadonlySet<string> },
  { canBeRenamed, isAlike }: RenameEvidence,
): readonly UncertainRename[] {
  const { recorded, certain, entryOf, documentOf, assign } = parts;
  const chain = chainOfAddresses(document, parts);
  const [, next] = chain;
  const own = chain.filter(({ address }) => recorded.has(address) && !certain.has(address));
  const takers = chain.slice(1);
  const isByKey = takers.every(({ address }) => isAlike(address, entryOf.get(address) ?? ""));
  const isByAddress = own.every(({ address }) => isAlike(address, address));
  if (next !== undefined && (!canBeRenamed || (isByKey && !isByAddress))) {
    // The last document has a new name for good, or its entry is left to the first.
    const left = own.find(({ address }) => !documentOf.has(address));
    if (left !== undefined) assign(document, left.address);
    return [];
  }
  for (const { address } of chain) entryOf.delete(address);
  for (const one of own) assign(one, one.address);
  if (next === undefined || (isByAddress && !isByKey)) return [];
  const isNew = takers.every(({ address }) => !recorded.has(address));
  return [{ address: next.address, owner: document.address, isNew }];
}

/**
 * Returns the chain of documents, starting with one whose natural key is new; each next one has lost its entry to the
 * one before. All but the last have entries at their addresses.
 */
function chainOfAddresses(
  document: DocumentIdentity,
  {
    recorded,
    declared,
    certain,
    documentOf,
  }: Pick<Assignment, "recorded" | "declared" | "documentOf"> & {
    readonly certain: ReadonlySet<string>;
  },
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
 * Returns new addresses for entries without a document whose address another entry takes. They get the address that the
 * first entry of the chain leaves, which no document has.
 */
function displacedEntries(
  entries: readonly EntryIdentity[],
  { declared, entryOf, documentOf }: Pick<Assignment, "declared" | "entryOf" | "documentOf">,
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
