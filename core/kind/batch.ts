// How writes of a resource type share calls.

/** How writes share the calls of a binding. */
export interface Batch {
  /** Writes with equal values of these fields share calls. */
  readonly groupBy: readonly string[];
  /** Most writes in one call. With 1, each object takes a call. */
  readonly max: number;
  /** The cost of one call, in calls that create one object. Creates use a later binding if its calls cost less. */
  readonly cost: number;
}

/** Options of a binding with batches. `cost` defaults to 1. */
export type BatchOptions = Omit<Batch, "cost"> & Partial<Pick<Batch, "cost">>;
