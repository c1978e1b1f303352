// A compiled data model with its cubes and members by name.
import { unknownCube, unknownMember, wrongKind } from "../../core/data-model/query-errors.ts";
import { Failure } from "../../core/errors.ts";
import { memoizePerObject } from "../../core/memoize.ts";
import { humanize } from "../model/declarations.ts";
import type {
  CompiledCube,
  CompiledDimension,
  CompiledMeasure,
  CompiledModel,
  CompiledSegment,
  CompiledView,
  MemberKind,
  ViewMember,
} from "../model/types.ts";

/** A cube with its members by name. */
export interface IndexedCube {
  readonly cube: CompiledCube;
  readonly dimensions: ReadonlyMap<string, CompiledDimension>;
  readonly measures: ReadonlyMap<string, CompiledMeasure>;
  readonly segments: ReadonlyMap<string, CompiledSegment>;
  readonly keys: readonly CompiledDimension[];
}

/** A view with its members by name. */
export interface IndexedView {
  readonly view: CompiledView;
  readonly members: ReadonlyMap<string, ViewMember>;
}

/** A data model by name. */
export interface ModelIndex {
  readonly cubes: ReadonlyMap<string, IndexedCube>;
  readonly views: ReadonlyMap<string, IndexedView>;
}

/** A member of a cube, for which SQL is written. */
export interface MemberRef {
  readonly cube: string;
  readonly member: string;
}

/** Reads `cube.member`. */
export function memberRef(name: string): MemberRef {
  const [cube = "", ...member] = name.split(".");
  return { cube, member: member.join(".") };
}

/** Writes `cube.member`. */
export function nameOf({ cube, member }: MemberRef): string {
  return `${cube}.${member}`;
}

/** A member that a query names. */
export interface QueryMember extends MemberRef {
  /** The name in the query: `cube.member` or `view.member`. */
  readonly name: string;
  /** The cube or view in that name. */
  readonly subject: CompiledCube | CompiledView;
  readonly kind: MemberKind;
  /** Cubes from the root of the view to the owner, or the cube alone. */
  readonly path: readonly string[];
  /** The name in the cube or view. */
  readonly ownName: string;
  readonly public: boolean;
  /** The reason why no query can use it. */
  readonly refusal?: string | undefined;
  /** The members of the view that it computes with. Whoever may not use one of them may not use it. */
  readonly reads?: readonly string[];
}

const byName = <T extends { readonly name: string }>(list: readonly T[]) =>
  new Map(list.map((one) => [one.name, one]));

/** Returns the index of a model, which is created once. */
export const indexModel = memoizePerObject((model: CompiledModel): ModelIndex => ({
  cubes: new Map(
    model.cubes.map((cube) => [
      cube.name,
      {
        cube,
        dimensions: byName(cube.dimensions),
        measures: byName(cube.measures),
        segments: byName(cube.segments),
        keys: cube.dimensions.filter(({ primaryKey }) => primaryKey),
      },
    ]),
  ),
  views: new Map(model.views.map((view) => [view.name, { view, members: byName(view.members) }])),
}));

/** Returns a cube that the compiler has checked. */
export function cubeOf(model: ModelIndex, name: string): IndexedCube {
  const cube = model.cubes.get(name);
  if (cube === undefined) throw new Failure("invalid", `there is no cube ${name}`);
  return cube;
}

/**
 * Returns the title of a member without the title of its cube or view. A name that the model does not have is converted
 * to words.
 */
export function titleOfMember(model: CompiledModel | undefined, name: string): string {
  const [owner = "", own = name] = name.split(".");
  const index = model && indexModel(model);
  const cube = index?.cubes.get(owner);
  const found =
    index?.views.get(owner)?.members.get(own) ??
    [cube?.dimensions, cube?.measures, cube?.segments]
      .map((members) => members?.get(own))
      .find((member) => member !== undefined);
  return found?.title ?? humanize(own);
}

/** Every kind of member. */
export const memberKinds: readonly MemberKind[] = ["dimension", "measure", "segment"];

/** Resolves a name. Throws `invalid` if the model has no such member, or the member has another kind. */
export function resolveMember(
  model: ModelIndex,
  name: string,
  kinds: readonly MemberKind[],
): QueryMember {
  return resolveShown(model, name, { kinds, isShown: () => true });
}

/** Resolves a name as {@link resolveMember} does. The message suggests only names that `isShown` accepts. */
export function resolveShown(
  model: ModelIndex,
  name: string,
  { kinds, isShown }: { readonly kinds: readonly MemberKind[]; readonly isShown: IsShown },
): QueryMember {
  const found = findMember(model, name, isShown);
  if (kinds.includes(found.kind)) return found;
  throw new Failure("invalid", wrongKind(name, found.kind, kinds));
}

type IsShown = (member: QueryMember) => boolean;

function findMember(model: ModelIndex, name: string, isShown: IsShown): QueryMember {
  const [owner = "", own = ""] = name.split(".");
  const view = model.views.get(owner);
  const cube = model.cubes.get(owner);
  const shownOf = (subject: string) =>
    memberNames(model, subject).filter((one) =>
      isShown(findMember(model, `${subject}.${one}`, isShown)),
    );
  const unknown = () => new Failure("invalid", unknownMember(name, shownOf(owner)));
  if (view) {
    const member = view.members.get(own);
    if (member === undefined) throw unknown();
    const { kind, path, member: source, refusal, reads } = member;
    return {
      name,
      subject: view.view,
      kind,
      path,
      cube: path.at(-1) ?? "",
      member: source,
      ownName: own,
      public: member.public && view.view.public,
      refusal,
      ...(reads && { reads }),
    };
  }
  if (cube === undefined) {
    const subjects = [...model.cubes.keys(), ...model.views.keys()];
    const shown =
      subjects.length > suggestedMax ? [] : subjects.filter((one) => shownOf(one).length > 0);
    throw new Failure("invalid", unknownCube(name, shown));
  }
  const all = [cube.dimensions, cube.measures, cube.segments] as const;
  const at = all.findIndex((members) => members.has(own));
  const kind = (["dimension", "measure", "segment"] as const)[at];
  const member = all[at]?.get(own);
  if (kind === undefined || member === undefined) throw unknown();
  return {
    name,
    subject: cube.cube,
    kind,
    path: [owner],
    cube: owner,
    member: own,
    ownName: own,
    public: member.public && cube.cube.public,
  };
}

/**
 * Maximum number of cubes and views in which a message looks for a similar name, because the visibility of their
 * members must be checked.
 */
const suggestedMax = 100;

/** Returns the names of the members of a cube or view; none for another name. */
export function memberNames({ views, cubes }: ModelIndex, subject: string): readonly string[] {
  const view = views.get(subject);
  if (view) return [...view.members.keys()];
  const { dimensions, measures, segments } = cubes.get(subject) ?? {};
  return [dimensions, measures, segments].flatMap((members) => [...(members?.keys() ?? [])]);
}
