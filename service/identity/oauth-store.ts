// What the records of the OAuth server are read and written with.
import type { Sealer } from "../security/seal.ts";
import type { Db } from "../store/schema.ts";

/** Where records are stored. */
export interface OAuthStore {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly now: () => Date;
}
