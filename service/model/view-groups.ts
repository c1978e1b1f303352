// Compiles groups of views: what they list, and the views that name them.
import { suggestion } from "../../core/text/naming.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import { humanize, type View } from "./declarations.ts";
import { type Place, type Problems, within } from "./problems.ts";
import { addSchemaError, type Declared } from "./read-file.ts";
import { nestedSchemas, type ViewGroupDeclaration } from "./schema.ts";
import type { ViewGroup } from "./types.ts";

const validateGroup = declaredValidator(nestedSchemas.viewGroup);

interface GroupContext {
  readonly views: ReadonlyMap<string, View>;
  readonly problems: Problems;
  /** The names of all groups so far, nested ones too. */
  readonly names: Set<string>;
}

/** Compiles all groups of views, and adds the views that name a group to it. */
export function compileViewGroups(
  groups: readonly Declared<ViewGroupDeclaration>[],
  views: ReadonlyMap<string, View>,
  problems: Problems,
): readonly ViewGroup[] {
  const context = { views, problems, names: new Set<string>() };
  const compiled = groups.map((group) => compileGroup(group, context));
  const members = new Map(compiled.map(({ name, includes }) => [name, new Set(includes)]));
  for (const view of views.values()) {
    for (const { value: name, at } of view.groups) {
      const group = members.get(name);
      if (group) {
        group.add(view.value.name);
        continue;
      }
      const hint = suggestion(name, members.keys());
      problems.addMissing(at, `there is no view group ${name}${hint}`);
    }
  }
  return compiled.map((group) => ({ ...group, includes: [...(members.get(group.name) ?? [])] }));
}

function compileGroup(
  { value, at }: Declared<ViewGroupDeclaration>,
  context: GroupContext,
): ViewGroup {
  const { problems, names } = context;
  const { name, title = humanize(name), description, includes, views } = value;
  if (names.has(name)) problems.add(within(at, "name"), `the view group ${name} is declared twice`);
  names.add(name);
  if (includes !== undefined && views !== undefined) {
    const message = `the view group ${name} has both views and includes; keep includes`;
    problems.add(within(at, "views"), message);
  }
  const key = includes === undefined ? "views" : "includes";
  const members = (includes ?? views ?? []).flatMap((item, index) =>
    memberOf(item, within(at, key, index), context),
  );
  return {
    name,
    title,
    ...(description !== undefined && { description }),
    includes: [...new Set(members)],
  };
}

/** Returns a view by its name, or a nested group; nothing after adding an error. */
function memberOf(
  item: unknown,
  place: Place,
  context: GroupContext,
): readonly (string | ViewGroup)[] {
  const { views, problems } = context;
  if (typeof item === "string") {
    if (views.has(item)) return [item];
    problems.addMissing(place, `${item} is not a view${suggestion(item, views.keys())}`);
    return [];
  }
  const errors = validateGroup(item);
  for (const error of errors) addSchemaError(error, { place, whole: "the view group" }, problems);
  if (errors.length > 0) return [];
  return [compileGroup({ value: item as ViewGroupDeclaration, at: place }, context)];
}
