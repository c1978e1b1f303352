// Property paths as Pulumi's engine writes and parses them: `release.channel`, `filters[0].member`, `labels["a.b"]`.

/** The steps of a path; a star stands for every index or name. */
export type Steps = readonly (string | number)[];

/** The steps of a path as a program writes it: `["release"].channel`, `labels["a.b"]`, `filters[*].member`. */
export function parsePropertyPath(path: string): Steps {
  const steps = path.matchAll(/\[(\d+)\]|\[(\*)\]|\["((?:\\"|[^"])*)"\]|([^.[]+)/g);
  return [...steps].map(([, index, star, quoted, plain]) =>
    index === undefined ? (star ?? quoted?.replaceAll('\\"', '"') ?? plain ?? "") : Number(index),
  );
}

/** True where a path is another, or lies above it. */
export function isSameOrAncestor(path: Steps, other: Steps): boolean {
  return path.length <= other.length && path.every((one, at) => one === "*" || one === other[at]);
}

/** The path of these steps; names that are no identifiers are quoted in brackets. */
export function formatPropertyPath(steps: Steps): string {
  return steps.reduce<string>((path, step) => {
    if (typeof step === "number") return `${path}[${step}]`;
    if (!/^[A-Za-z_$][\w$]*$/.test(step)) return `${path}[${JSON.stringify(step)}]`;
    return path === "" ? step : `${path}.${step}`;
  }, "");
}

/** The path of a JSON Pointer; `indexed` tells whether a step of digits is an index of a list, given the steps before it. */
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
