// Describes the cubes and views of a data model that a caller may query.
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { isAddress } from "../model/links.ts";
import type {
  CompiledCube,
  CompiledModel,
  CompiledView,
  MemberKind,
  ViewFolder,
  ViewGroup,
} from "../model/types.ts";
import { isVisible, type QueryCaller, visibleNames } from "./access.ts";
import { describeDrilling, describeGranularity, describeLinks } from "./answer.ts";
import { aggregationType, valueType } from "./measures.ts";
import {
  cubeOf,
  indexModel,
  memberKinds,
  type ModelIndex,
  type QueryMember,
  resolveMember,
} from "./model-index.ts";

/** The contents of a description. */
interface DescribeOptions {
  readonly onlyViews?: boolean;
  /** Whether to show the declarations of cubes and views. */
  readonly isExtended?: boolean;
}

/**
 * Returns the visible cubes and views with their visible members; cubes and views without visible members are left out.
 */
export function describeModel(
  model: CompiledModel,
  caller: QueryCaller,
  { onlyViews = false, isExtended = false }: DescribeOptions = {},
): readonly JsonObject[] {
  const index = indexModel(model);
  const components = connectedComponents(model);
  const groups = groupsOfViews(model.viewGroups);
  const subjects = [...(onlyViews ? [] : model.cubes), ...model.views].filter((one) => one.public);
  const visible = new Map(
    subjects.map((subject) => [
      subject.name,
      memberNames(subject)
        .map((name) => resolveMember(index, `${subject.name}.${name}`, memberKinds))
        .filter((member) => isVisible(member, caller)),
    ]),
  );
  const isShown = (name: string) => (visible.get(name) ?? []).length > 0;
  return subjects.flatMap((subject) => {
    const members = visible.get(subject.name) ?? [];
    if (members.length === 0) return [];
    const on = {
      index,
      caller,
      members,
      component: components.get(subject.name),
      groups: groups.get(subject.name),
    };
    const description = describeSubject(subject, on);
    return [isExtended ? { ...description, ...describeSource(subject, on, isShown) } : description];
  });
}

/** Describes groups of views without the views that are not `shown`, and without the groups that have no other. */
export function describeViewGroups(
  groups: readonly ViewGroup[],
  shown: ReadonlySet<unknown>,
): readonly JsonObject[] {
  return groups.flatMap(({ includes, ...group }) => {
    const visible = includes.flatMap((one): readonly (string | JsonObject)[] => {
      if (typeof one !== "string") return describeViewGroups([one], shown);
      return shown.has(one) ? [one] : [];
    });
    if (visible.length === 0) return [];
    const views = visible.filter((one) => typeof one === "string");
    return [{ ...group, views, includes: visible }];
  });
}

/** Returns the names of the groups that list a view themselves, by the name of the view. */
function groupsOfViews(
  groups: readonly ViewGroup[],
  names = new Map<string, string[]>(),
): ReadonlyMap<string, readonly string[]> {
  for (const { name, includes } of groups) {
    for (const one of includes) {
      if (typeof one !== "string") {
        groupsOfViews([one], names);
        continue;
      }
      const listing = names.get(one);
      if (listing) listing.push(name);
      else names.set(one, [name]);
    }
  }
  return names;
}

/** Returns the original name of a cube, which can be a copy under the alias of a join. */
function originalName(index: ModelIndex, name: string): string {
  return cubeOf(index, name).cube.aliasOf ?? name;
}

/**
 * Describes the declaration of a cube or view: its joins to cubes that are visible to the caller, and the members that
 * the caller may query.
 */
function describeSource(
  subject: CompiledCube | CompiledView,
  { index, caller }: Visible,
  isShown: (cube: string) => boolean,
): JsonObject {
  if ("members" in subject) return { ...subject.source };
  const { source, refreshKey, joins, preAggregations } = subject;
  const { sql: _sql, ...refresh } = refreshKey ?? {};
  const names = (list: readonly string[]) => visibleNames(index, list, { subject, caller });
  return {
    ...source,
    ...(refreshKey && { refreshKey: { ...refresh } }),
    joins: joins
      .filter(({ cube }) => isShown(originalName(index, cube)))
      .map(({ cube, alias = cube, relationship, text }) => ({
        name: alias,
        relationship,
        sql: text,
      })),
    preAggregations: preAggregations.map(({ timeDimensions, ...one }) => {
      const [time] = timeDimensions.filter(({ dimension }) => names([dimension]).length > 0);
      return {
        name: one.name,
        type: one.type,
        measures: names(one.measures),
        dimensions: names(one.dimensions),
        segments: names(one.segments),
        ...(time && {
          timeDimension: time.dimension,
          ...(time.granularity !== undefined && { granularity: time.granularity }),
        }),
      };
    }),
  };
}

function memberNames(subject: CompiledCube | CompiledView): readonly string[] {
  const lists =
    "members" in subject
      ? [subject.members]
      : [subject.measures, subject.dimensions, subject.segments];
  return lists.flatMap((list) => list.map(({ name }) => name));
}

interface Visible {
  readonly index: ModelIndex;
  readonly caller: QueryCaller;
  readonly members: readonly QueryMember[];
  readonly component: number | undefined;
  readonly groups: readonly string[] | undefined;
}

function describeSubject(subject: CompiledCube | CompiledView, on: Visible): JsonObject {
  const { members, component, groups } = on;
  const names = new Set(members.map(({ ownName }) => ownName));
  const of = (kind: MemberKind) =>
    members
      .filter((member) => member.kind === kind)
      .map((member) => describeMember(subject, member, on));
  const folders = "folders" in subject ? subject.folders : [];
  return {
    ...describeNamed(subject, subject.title),
    type: "members" in subject ? "view" : "cube",
    ...(component !== undefined && { connectedComponent: component }),
    measures: of("measure"),
    dimensions: of("dimension"),
    segments: of("segment"),
    hierarchies: describeHierarchies(subject, on),
    folders: folders.map((folder) => ({
      name: folder.name,
      members: flatMembers(folder, names).map((name) => `${subject.name}.${name}`),
    })),
    nestedFolders: folders.map((folder) => nestedFolder(folder, names, subject.name)),
    ...(groups && { viewGroups: groups }),
  };
}

/**
 * Describes the hierarchies with the levels that the caller may query. Hierarchies without such levels are left out.
 */
function describeHierarchies(
  subject: CompiledCube | CompiledView,
  { index, caller }: Visible,
): readonly JsonObject[] {
  return subject.hierarchies
    .filter((one) => one.public)
    .flatMap(({ name, title, public: shown, levels }) => {
      const full = levels.map((level) =>
        level.includes(".") ? level : `${subject.name}.${level}`,
      );
      const visible = visibleNames(index, full, { subject, caller });
      if (visible.length === 0) return [];
      return [{ name: `${subject.name}.${name}`, title, public: shown, levels: visible }];
    });
}

function describeNamed(
  named: {
    readonly description?: string;
    readonly public: boolean;
    readonly meta?: unknown;
    readonly name: string;
  },
  title: string,
): JsonObject {
  return {
    name: named.name,
    title,
    ...(named.description !== undefined && { description: named.description }),
    ...(named.meta !== undefined && { meta: named.meta as JsonValue }),
    public: named.public,
    isVisible: named.public,
  };
}

function flatMembers(folder: ViewFolder, names: ReadonlySet<string>): readonly string[] {
  return folder.members.flatMap((one) => {
    if (typeof one !== "string") return flatMembers(one, names);
    return names.has(one) ? [one] : [];
  });
}

function nestedFolder(folder: ViewFolder, names: ReadonlySet<string>, owner: string): JsonObject {
  return {
    name: folder.name,
    members: folder.members.flatMap((one): JsonValue[] => {
      if (typeof one !== "string") return [nestedFolder(one, names, owner)];
      return names.has(one) ? [`${owner}.${one}`] : [];
    }),
  };
}

function describeMember(
  subject: CompiledCube | CompiledView,
  member: QueryMember,
  { index, caller }: Visible,
): JsonObject {
  const owner = cubeOf(index, member.cube);
  const dimension = owner.dimensions.get(member.member);
  const measure = owner.measures.get(member.member);
  const source = dimension ?? measure;
  const inView = index.views.get(subject.name)?.members.get(member.ownName);
  const shown = inView ?? source ?? owner.segments.get(member.member);
  const title = shown?.title ?? member.ownName;
  const format = inView?.format ?? source?.format;
  return {
    ...describeNamed(
      { ...shown, name: member.name, public: member.public },
      `${subject.title} ${title}`,
    ),
    shortTitle: title,
    ...(dimension && { type: dimension.type }),
    ...(measure && { type: valueType(index, member) }),
    ...(format !== undefined && { format: format as JsonValue }),
    ...(source?.currency !== undefined && { currency: source.currency }),
    ...(inView &&
      !inView.reads && { aliasMember: `${originalName(index, member.cube)}.${member.member}` }),
    ...(measure && {
      aggType: aggregationType(measure.type),
      cumulative: measure.rollingWindow !== undefined,
      cumulativeTotal: measure.rollingWindow !== undefined,
      ...describeDrilling(index, measure.drillMembers, { subject, caller }),
    }),
    ...(dimension && {
      // A view copies the member, but not its role.
      primaryKey: dimension.primaryKey && !inView,
      suggestFilterValues: true,
      ...(dimension.order && { order: dimension.order }),
      ...describeLinks(dimension),
      ...(isAddress(member.ownName) && { synthetic: true }),
      ...(dimension.granularities.length > 0 && {
        granularities: dimension.granularities.map(describeGranularity),
      }),
    }),
  };
}

/** Numbers the groups of cubes that joins connect. A view belongs to the group of its first cube. */
function connectedComponents(model: CompiledModel): ReadonlyMap<string, number> {
  const neighbours = new Map<string, string[]>(model.cubes.map(({ name }) => [name, []]));
  for (const { name, joins, aliasOf } of model.cubes) {
    const original = aliasOf === undefined ? [] : [{ cube: aliasOf }];
    for (const { cube } of [...joins, ...original]) {
      neighbours.get(name)?.push(cube);
      neighbours.get(cube)?.push(name);
    }
  }
  const found = new Map<string, number>();
  let component = 0;
  for (const start of neighbours.keys()) {
    if (found.has(start)) continue;
    component++;
    const open = [start];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue;
      found.set(next, component);
      open.push(...(neighbours.get(next) ?? []));
    }
  }
  for (const { name, members } of model.views) {
    const [first] = members[0]?.path ?? [];
    const own = first === undefined ? undefined : found.get(first);
    if (own !== undefined) found.set(name, own);
  }
  return found;
}
