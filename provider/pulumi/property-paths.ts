// Formats and parses property paths in the syntax of Pulumi's engine: `release.channel`, `filters[0].member`, `labels["a.b"]`.

/** The steps of a path; `*` matches every index or name. */
export type Steps = readonly (string | number)[];

/** Parses a path as programs write it: `["release"].channel`, `labels["a.b"]`, `filters[*].member`. */
export function parsePropertyPath(path: string): Steps {
  const steps = path.matchAll(/\[(\d+)\]|\[(\*)\]|\["((?:\\"|[^"])*)"\]|([^.[]+)/g);
  return [...steps].map(([, index, star, quoted, plain]) =>
    index === undefined ? (star ?? quoted?.replaceAll('\\"', '"') ?? plain ?? "") : Number(index),
  );
}

/** Returns true if a path equals the other or is an ancestor of it. */
export function isSameOrAncestor(path: Steps, other: Steps): boolean {
  return path.length <= other.length && path.every((one, at) => one === "*" || one === other[at]);
}

/** Formats a path. Names that are not identifiers are quoted in brackets. */
export function formatPropertyPath(steps: Steps): string {
  return steps.reduce<string>((path, step) => {
    if (typeof step === "number") return `${path}[${step}]`;
    if (!/^[A-Za-z_$][\w$]*$/.test(step)) return `${path}[${JSON.stringify(step)}]`;
    return path === "" ? step : `${path}.${step}`;
  }, "");
}

/** Converts the steps of a JSON Pointer to a property path. `isIndexed` decides whether a numeric step is a list index. */
export function propertyPathOfPointer(
  steps: readonly string[],
  isIndexed: (before: readonly string[]) => boolean,
): string {
  return formatPropertyPath(
    steps.map((step, index) =>
      /^\d+$/.test(step) && isIndexed(steps.slice(0, index)) ? Number(step) : step,
    ),
  );
}
