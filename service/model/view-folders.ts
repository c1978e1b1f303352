// Compiles the folders of views: the members that they list, one by one, by join path or in nested folders.
import { suggestion } from "../../core/text/naming.ts";
import { isObject } from "../../core/json.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import type { View } from "./declarations.ts";
import { type Place, type Problems, within } from "./problems.ts";
import { addSchemaError, type Declared } from "./read-file.ts";
import { type FolderDeclaration, nestedSchemas } from "./schema.ts";
import type { ViewFolder, ViewMember } from "./types.ts";

const validateFolder = declaredValidator(nestedSchemas.folder);
const validateJoinPath = declaredValidator(nestedSchemas.joinPath);

/** Nesting of folders. */
const folderDepth = 10;

interface FolderContext {
  readonly members: ReadonlyMap<string, ViewMember>;
  readonly context: { readonly view: View; readonly problems: Problems };
  readonly depth: number;
}

/** Compiles the folders of a view, or of a folder, and adds their errors. */
export function compileFolders(
  folders: readonly Declared<FolderDeclaration>[],
  on: FolderContext,
): readonly ViewFolder[] {
  const { view, problems } = on.context;
  const names = new Set<string>();
  return folders.map((folder) => {
    const { name } = folder.value;
    if (names.has(name)) {
      const message = `${view.value.name} has two folders named ${name}`;
      problems.add(within(folder.at, "name"), message);
    }
    names.add(name);
    return compileFolder(folder, on);
  });
}

function compileFolder({ value, at }: Declared<FolderDeclaration>, on: FolderContext): ViewFolder {
  const { members } = on;
  if (value.includes === "*") return { name: value.name, members: [...members.keys()] };
  const folders: Declared<FolderDeclaration>[] = [];
  const listed = value.includes.map((item, index): readonly string[] | number => {
    const place = within(at, "includes", index);
    if (typeof item === "string") return memberNamed(item, place, on);
    if (isObject(item) && "join_path" in item) return membersOfPath(item, place, on);
    if (!isFolder(item, place, on)) return [];
    folders.push({ value: item, at: place });
    return folders.length - 1;
  });
  const nested = compileFolders(folders, { ...on, depth: on.depth + 1 });
  return {
    name: value.name,
    members: listed.flatMap((one): readonly (string | ViewFolder)[] =>
      typeof one === "number" ? nested.slice(one, one + 1) : one,
    ),
  };
}

function memberNamed(
  name: string,
  place: Place,
  { members, context: { view, problems } }: FolderContext,
): readonly string[] {
  if (members.has(name)) return [name];
  const hint = suggestion(name, members.keys());
  problems.add(place, `${view.value.name} has no member ${name}${hint}`);
  return [];
}

/** Returns the members that a view takes from the cube of a join path. */
function membersOfPath(
  item: unknown,
  place: Place,
  { members, context: { view, problems } }: FolderContext,
): readonly string[] {
  if (hasErrors(validateJoinPath(item), place, problems)) return [];
  const { join_path: path } = item as { join_path: string };
  const found = [...members.values()].filter((one) => one.joinPath === path);
  if (found.length === 0) problems.add(place, `${view.value.name} takes no members of ${path}`);
  return found.map(({ name }) => name);
}

function isFolder(
  item: unknown,
  place: Place,
  { context: { problems }, depth }: FolderContext,
): item is FolderDeclaration {
  if (hasErrors(validateFolder(item), place, problems)) return false;
  if (depth < folderDepth) return true;
  problems.add(place, `folders nest deeper than ${folderDepth} levels`);
  return false;
}

function hasErrors(
  errors: ReturnType<typeof validateFolder>,
  place: Place,
  problems: Problems,
): boolean {
  for (const error of errors) addSchemaError(error, { place, whole: "the folder" }, problems);
  return errors.length > 0;
}
