// Links of dimensions. The address of a link is a dimension of its own, which queries read beside the one that has it.
import { type Problems, within } from "./problems.ts";
import type { Declared } from "./read-file.ts";
import type { DimensionDeclaration, LinkDeclaration } from "./schema.ts";

/** A dimension as declared, or the address of one of its links. */
export interface CubeDimension extends DimensionDeclaration {
  readonly address?: LinkDeclaration;
}

type Members<T> = ReadonlyMap<string, Declared<T>>;

interface WithMembers {
  readonly dimensions: Members<CubeDimension>;
  readonly measures: Members<unknown>;
  readonly segments: Members<unknown>;
}

/** Only names of addresses contain it. */
const mark = "___link_";

/** Returns the name of the dimension that holds the address of a link. */
export function addressName(dimension: string, link: string): string {
  return `${dimension}${mark}${link}_url`;
}

/** Returns the name of the dimension whose link a member is the address of, or its own name. */
export function linkedName(name: string): string {
  return name.split(mark, 1)[0] ?? name;
}

/** Returns whether a member is the address of a link. */
export function isAddress(name: string): boolean {
  return name.includes(mark);
}

/** Returns a cube with the addresses of its links among its dimensions. */
export function withAddresses<Cube extends WithMembers>(cube: Cube, problems: Problems): Cube {
  for (const members of [cube.dimensions, cube.measures, cube.segments]) {
    for (const [name, { at }] of members) {
      if (isAddress(name)) problems.add(within(at, "name"), reservedName(name));
    }
  }
  const all = [...cube.dimensions].flatMap(([name, declared]) => [
    [name, declared] as const,
    ...addressesOf(declared).map((one) => [one.value.name, one] as const),
  ]);
  return all.length === cube.dimensions.size ? cube : { ...cube, dimensions: new Map(all) };
}

/** Returns the error for a name that an address of a link could have. */
export function reservedName(name: string): string {
  return `${name} contains ${mark}, which only the names of links do; choose another name`;
}

function addressesOf({ value, at }: Declared<CubeDimension>): readonly Declared<CubeDimension>[] {
  const { name, links = [], public: isPublic, shown, primary_key: isKey } = value;
  return links.map((link, index) => ({
    at: within(at, "links", index),
    value: {
      name: addressName(name, link.name),
      title: link.label,
      type: "string",
      public: isPublic ?? shown ?? isKey !== true,
      format: { type: "link", label: link.label },
      address: link,
    },
  }));
}
