// The store through which the records of the OAuth server are read and written.
import type { Sealer } from "../security/seal.ts";
import type { Db } from "../store/schema.ts";

/** The store of the records. */
export interface OAuthStore {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly now: () => Date;
}
