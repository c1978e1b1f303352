// A candidate of shell completion.

/** A word that can follow. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}
