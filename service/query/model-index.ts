// A compiled data model with its cubes and members by name.
import { Failure } from "../../core/errors.ts";
import { memoizePerObject } from "../../core/memoize.ts";
import { suggestion } from "../model/declarations.ts";
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

/** A member of a cube: what SQL is written for. */
export interface MemberRef {
  readonly cube: string;
  readonly member: string;
}

/** A member that a query names. */
export interface QueryMember extends MemberRef {
  /** The name in the query: `cube.member` or `view.member`. */
  readonly name: string;
  /** The cube or view of that name. */
  readonly subject: CompiledCube | CompiledView;
  readonly kind: MemberKind;
  /** Cubes from the root of the view to the owner, or the cube alone. */
  readonly path: readonly string[];
  /** The name in the cube or view. */
  readonly ownName: string;
  readonly public: boolean;
}

const byName = <T extends { readonly name: string }>(list: readonly T[]) =>
  new Map(list.map((one) => [one.name, one]));

/** Returns the index of a model. It is made once. */
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

/** Resolves a name of a query. Throws `invalid` if the model has no such member, or one of another kind. */
export function resolveMember(
  model: ModelIndex,
  name: string,
  kinds: readonly MemberKind[],
): QueryMember {
  const found = findMember(model, name);
  if (kinds.includes(found.kind)) return found;
  throw new Failure("invalid", `${name} is a ${found.kind}, not a ${kinds.join(" or ")}`);
}

function findMember(model: ModelIndex, name: string): QueryMember {
  const [owner = "", own = ""] = name.split(".");
  const view = model.views.get(owner);
  const cube = model.cubes.get(owner);
  if (view) {
    const member = view.members.get(own);
    if (member === undefined) throw unknownMember(name, view.members.keys());
    const { kind, path, member: source } = member;
    return {
      name,
      subject: view.view,
      kind,
      path,
      cube: path.at(-1) ?? "",
      member: source,
      ownName: own,
      public: member.public && view.view.public,
    };
  }
  if (cube === undefined) {
    const hint = suggestion(owner, [...model.cubes.keys(), ...model.views.keys()]);
    throw new Failure("invalid", `'${owner}' not found for path '${name}'${hint}`);
  }
  const all = [cube.dimensions, cube.measures, cube.segments] as const;
  const at = all.findIndex((members) => members.has(own));
  const kind = (["dimension", "measure", "segment"] as const)[at];
  const member = all[at]?.get(own);
  if (kind === undefined || member === undefined) {
    throw unknownMember(
      name,
      all.flatMap((members) => [...members.keys()]),
    );
  }
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

function unknownMember(name: string, names: Iterable<string>): Failure {
  const own = name.split(".")[1] ?? "";
  return new Failure("invalid", `'${own}' not found for path '${name}'${suggestion(own, names)}`);
}
