// Reads CPU profiles of V8 and lists the functions and the parts of a program that take the most time.

/** The parts of a profile of V8 that are read here. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Ids of the nodes that ran when a sample was taken. */
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
  };
  readonly children?: readonly number[];
}

/** A share of the processor time of a profile, and the microseconds. */
export interface ProfileShare {
  readonly name: string;
  readonly microseconds: number;
  readonly share: number;
}

/** Decides to which part of a program a function belongs; undefined leaves it to its caller. */
export type PartOf = (functionName: string, file: string) => string | undefined;

/** Function names in samples of an idle process, or of the profiler. */
const notWork = new Set(["(idle)", "(root)"]);

/** Returns the functions with the most self time, with their files. */
export function topFunctions(profile: CpuProfile, count: number): readonly ProfileShare[] {
  return sharesOf(profile, ({ callFrame }) => {
    const file = fileOf(callFrame.url);
    const name = callFrame.functionName === "" ? "(anonymous)" : callFrame.functionName;
    return file === "" ? name : `${name}, ${file}:${callFrame.lineNumber + 1}`;
  }).slice(0, count);
}

/** Returns the time of each part; a function belongs to the part of its nearest caller that has one, else to `otherwise`. */
export function timeByPart(
  profile: CpuProfile,
  partOf: PartOf,
  otherwise: string,
): readonly ProfileShare[] {
  const parents = new Map<number, ProfileNode>();
  for (const node of profile.nodes) for (const id of node.children ?? []) parents.set(id, node);
  return sharesOf(profile, (leaf) => {
    for (let node: ProfileNode | undefined = leaf; node; node = parents.get(node.id)) {
      const part = partOf(node.callFrame.functionName, fileOf(node.callFrame.url));
      if (part !== undefined) return part;
    }
    return otherwise;
  });
}

function sharesOf(
  { nodes, samples, timeDeltas }: CpuProfile,
  nameOf: (node: ProfileNode) => string,
): readonly ProfileShare[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const names = new Map<number, string>();
  const times = new Map<string, number>();
  let total = 0;
  for (const [at, id] of samples.entries()) {
    const node = byId.get(id);
    if (node === undefined || notWork.has(node.callFrame.functionName)) continue;
    const name = names.get(id) ?? nameOf(node);
    names.set(id, name);
    const delta = timeDeltas[at] ?? 0;
    times.set(name, (times.get(name) ?? 0) + delta);
    total += delta;
  }
  return [...times]
    .map(([name, microseconds]) => ({ name, microseconds, share: microseconds / total }))
    .toSorted((one, other) => other.microseconds - one.microseconds);
}

/** Returns a path relative to the package or the checkout. The name of a bundle's chunk loses its hash. */
export function fileOf(url: string): string {
  const [, ofPackage] = /.*\/node_modules\/(.+)$/u.exec(url) ?? [];
  if (ofPackage !== undefined) return ofPackage;
  const path = url.replace(/^file:\/\//u, "");
  const [, inCheckout] =
    /.*\/((?:api|bench|cli|client|core|dist|git|lifecycle|reconciler|resources|service)\/.+)$/u.exec(
      path,
    ) ?? [];
  return (inCheckout ?? path).replace(/-[A-Z0-9]{8}\.js$/u, ".js");
}
