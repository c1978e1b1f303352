// Platform versions of objects, and the checks that an object serves one.

/** A platform version available to an object. */
export interface ListedVersion {
  /** `1.2.3`. */
  readonly version: string;
  readonly channel: string;
  readonly isNewestInChannel: boolean;
}

/** The checks of a version that the API answers. */
export const releaseCheckNames = ["build", "validate"] as const;

/** One of {@link releaseCheckNames}. */
export type ReleaseCheckName = (typeof releaseCheckNames)[number];
