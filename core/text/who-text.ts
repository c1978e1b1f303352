// The names of people and programs that did something.

/** Returns a name, marked if nobody vouches that it was them. */
export function whoText({
  by,
  vouchedBy,
}: {
  readonly by: string;
  readonly vouchedBy?: string | undefined;
}): string {
  return vouchedBy === undefined ? `${by} (unauthenticated)` : by;
}
