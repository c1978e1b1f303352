// What differs between the two kinds of candidates, platform versions and commits of data models: their order, how they are
// written, and the words of messages. Where an object pins and runs them is declared by its resource type.
import type { CandidateName, ListedVersion } from "../core/kind/releases.ts";
import { compareVersions } from "../core/text/compare-versions.ts";

/** A kind of candidates. */
export interface CandidateKind {
  /** One candidate. */
  readonly noun: string;
  /** The documents of a stage. */
  readonly holder: string;
  /** Why a candidate that no list contains may not run. */
  readonly unlistedText: string;
  /** What a candidate looks like, as a sentence. */
  readonly formText: string;
  /** Whether `--direct` may apply one: the other fields of the object need not be sent with it. */
  readonly isDirect: boolean;
  /** Returns the order of candidates: negative if `left` is older. */
  order(listed: readonly ListedVersion[]): (left: string, right: string) => number;
  /** Returns whether the order has a place for a candidate; one without a place comes first. */
  hasPlace(listed: readonly ListedVersion[], candidate: string): boolean;
  /** Returns the candidate that a text names; undefined if it names none of this kind. */
  parse(text: string, known: readonly string[]): string | undefined;
}

/** Digits of a commit in texts for people. */
const shortDigits = 12;

/** The kinds by the name that a pipeline declares. */
export const candidateKinds: Readonly<Record<CandidateName, CandidateKind>> = {
  versions: {
    noun: "version",
    holder: "deployment",
    unlistedText: "the server does not list it for any channel",
    formText: "A version is three numbers, such as 1.2.3.",
    isDirect: true,
    order: () => compareVersions,
    hasPlace: () => true,
    parse: (text) => /^(?:[^:]+:v|v)?(\d+\.\d+\.\d+)$/u.exec(text)?.[1],
  },
  commits: {
    noun: "commit",
    holder: "Git connection",
    unlistedText: "it is none of the newest commits of the branch",
    formText: "A commit is its hash, or the first digits of one that the branch has.",
    isDirect: false,
    order: (listed) => {
      const places = new Map(listed.map(({ version }, place) => [version, place]));
      const placeOf = (one: string): number => places.get(one) ?? listed.length;
      return (left, right) => placeOf(right) - placeOf(left);
    },
    hasPlace: (listed, candidate) => listed.some(({ version }) => version === candidate),
    parse: (text, known) => {
      const isHash = /^[0-9a-f]{7,64}$/u.test(text);
      const named = isHash ? known.filter((one) => one.startsWith(text)) : [];
      if (named.length === 1) return named[0];
      return isHash && text.length >= 40 ? text : undefined;
    },
  },
};

/** Returns a text for people with its commits shortened. */
export function shortCommits(text: string): string {
  return text.replace(/\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b/gu, (hash) => hash.slice(0, shortDigits));
}
