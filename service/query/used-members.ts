// Finds the members of cubes that a query uses: those that it names, and those of other cubes that their SQL references.
import type { CompiledDimension, CompiledMeasure, CompiledSegment } from "../model/types.ts";
import { referencesIn, templatesOf } from "./dependencies.ts";
import {
  cubeOf,
  type IndexedCube,
  type MemberRef,
  type ModelIndex,
  type QueryMember,
} from "./model-index.ts";

/**
 * How a query uses a member: `value`, shown or compared, so that its mask can replace it; `condition`, on rows, such as a
 * segment; `sql`, referenced by SQL of another cube.
 */
export type MemberUsage = "value" | "condition" | "sql";

/** A member that a query names. */
export interface NamedMember {
  readonly member: QueryMember;
  readonly usage: MemberUsage;
}

/** A member of a cube that a query uses. */
export interface MemberUse extends MemberRef {
  readonly usage: MemberUsage;
}

/** The members that a query uses, by cube. */
export type UsedMembers = ReadonlyMap<string, readonly MemberUse[]>;

/** Returns the members that a query uses directly or through SQL of other cubes. */
export function usedMembers(model: ModelIndex, direct: readonly MemberUse[]): UsedMembers {
  const used = new Map<string, Map<string, MemberUse>>();
  const use = (one: MemberUse) => {
    const own = used.get(one.cube) ?? new Map<string, MemberUse>();
    used.set(one.cube, own.set(`${one.member} ${one.usage}`, one));
  };
  for (const one of direct) use(one);
  const seen = new Set<string>();
  const open: MemberRef[] = [...direct];
  // The loop adds members.
  for (const { cube, member } of open) {
    const name = `${cube}.${member}`;
    if (seen.has(name)) continue;
    seen.add(name);
    const declared = memberOf(model, { cube, member });
    // A query names what a member of a view computes with.
    if (declared === undefined || ("isOfView" in declared && declared.isOfView)) continue;
    const { members, tables } = referencedBy(declared);
    // SQL with columns of another cube could read each of its dimensions.
    const columns = tables
      .filter((table) => table !== cube)
      .flatMap((table) =>
        ownDimensions(cubeOf(model, table)).map((one) => ({ cube: table, member: one })),
      );
    for (const ref of [...members, ...columns]) {
      // A cube decides itself what its members show of each other.
      if (ref.cube !== cube) use({ cube: ref.cube, member: ref.member, usage: "sql" });
    }
    for (const ref of members) open.push(ref);
  }
  return new Map([...used].map(([cube, members]) => [cube, [...members.values()]]));
}

/** Returns the names of the dimensions that a cube declares. */
export function ownDimensions({ cube }: IndexedCube): readonly string[] {
  return cube.dimensions.filter((one) => one.isOfView !== true).map(({ name }) => name);
}

type Member = CompiledDimension | CompiledMeasure | CompiledSegment;

function memberOf(model: ModelIndex, { cube, member }: MemberRef): Member | undefined {
  const { dimensions, measures, segments } = cubeOf(model, cube);
  return dimensions.get(member) ?? measures.get(member) ?? segments.get(member);
}

/** Returns the members that a member references, and the cubes of which it names columns. */
function referencedBy(found: Member): {
  readonly members: readonly MemberRef[];
  readonly tables: readonly string[];
} {
  const stage = "stage" in found ? found.stage : undefined;
  const mask = "mask" in found && found.mask && "sql" in found.mask ? [found.mask.sql] : [];
  const granularities = "granularities" in found ? found.granularities : [];
  const templates = [
    ...templatesOf(found),
    ...granularities.flatMap(({ sql }) => (sql ? [sql] : [])),
    ...("timeShifts" in found ? (found.timeShifts ?? []) : []).flatMap(({ sql }) =>
      sql ? [sql] : [],
    ),
    ...mask,
    ...(stage?.orderBy.map(({ sql }) => sql) ?? []),
  ];
  const references = templates.map(referencesIn);
  return {
    members: [
      ...references.flatMap((one) => one.members),
      ...(stage?.addGroupBy ?? []),
      ...("addGroupBy" in found ? (found.addGroupBy ?? []) : []),
      ...(stage?.filter?.members ?? []),
    ],
    tables: references.flatMap(({ tables }) => tables.map((path) => path.at(-1) ?? "")),
  };
}
