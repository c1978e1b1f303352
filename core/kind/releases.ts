// What objects run and promotions move, platform versions or commits of data models, and the checks that an object serves one.

/** What a pipeline promotes: platform versions, or commits of data models. */
export const candidateNames = ["versions", "commits"] as const;

/** One of {@link candidateNames}. */
export type CandidateName = (typeof candidateNames)[number];

/** A version or commit available to an object. */
export interface ListedVersion {
  /** `1.2.3`, or the hash of a commit in full. */
  readonly version: string;
  /** The release channel, or the branch. */
  readonly channel: string;
  readonly isNewestInChannel: boolean;
  /** The subject of a commit. */
  readonly title?: string;
}

/** The checks of a version that the API answers. */
export const releaseCheckNames = ["build", "validate"] as const;

/** One of {@link releaseCheckNames}. */
export type ReleaseCheckName = (typeof releaseCheckNames)[number];
