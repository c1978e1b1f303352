// Generates the files of a data model from the manifest of a transformation project: a cube for each of its models.
import { stringify } from "yaml";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import {
  type ManifestColumn,
  type ManifestModel,
  type ManifestStats,
  type ProjectManifest,
  readManifest,
} from "./transform-manifest.ts";

/** A generated file. */
export interface GeneratedFile {
  /** Relative to the folder of generated files. */
  readonly path: string;
  readonly content: string;
}

/** The data model generated from a manifest. */
export interface GeneratedModel {
  readonly files: readonly GeneratedFile[];
  readonly stats: ManifestStats;
}

/** Returns the files for a manifest. Throws `invalid` for a manifest that no data model can express. */
export function generateModel(text: string): GeneratedModel {
  const manifest = readManifest(text);
  if (manifest.models.length > limits.syncModels) {
    throw new Failure(
      "limit_reached",
      `the manifest has ${manifest.models.length} models; a sync takes ${limits.syncModels}`,
    );
  }
  const cubes = cubeNames(manifest);
  const others = new Map(manifest.models.map((model) => [model.id, model]));
  const files = manifest.models.map((model) => ({
    path: `${cubes.get(model.id)}.yml`,
    content: stringify({ cubes: [cubeOf(model, others, cubes)] }, { lineWidth: 0 }),
  }));
  return { files, stats: manifest.stats };
}

/** Returns the names of the cubes by the models' IDs. Throws `invalid` if two models would have the same name. */
function cubeNames({ models }: ProjectManifest): ReadonlyMap<string, string> {
  const taken = new Map<string, string>();
  return new Map(
    models.map(({ id, name }) => {
      const cube = identifierOf(name);
      const other = taken.get(cube.toLowerCase());
      if (other !== undefined) {
        throw new Failure("invalid", `the models ${other} and ${id} would both become ${cube}`);
      }
      taken.set(cube.toLowerCase(), id);
      return [id, cube];
    }),
  );
}

function cubeOf(
  { id, table, description, columns, keys, relations }: ManifestModel,
  others: ReadonlyMap<string, ManifestModel>,
  cubes: ReadonlyMap<string, string>,
): object {
  const joined = new Map<string, object>();
  for (const { column, model, field } of relations) {
    const cube = cubes.get(model);
    const hasField = others.get(model)?.columns.some(({ name }) => name === field) === true;
    // A cube joins another one once, and never itself.
    if (cube === undefined || model === id || !hasField || joined.has(cube)) continue;
    joined.set(cube, {
      name: cube,
      relationship: "many_to_one",
      sql: `{CUBE}.${sqlName(column)} = {${cube}.${identifierOf(field)}}`,
    });
  }
  return {
    name: cubes.get(id),
    sql_table: table.map(sqlName).join("."),
    ...(description !== "" && { description }),
    ...(joined.size > 0 && { joins: [...joined.values()] }),
    dimensions: dimensionsOf(columns, keys),
    measures: [{ name: countName(columns), type: "count" }],
  };
}

function dimensionsOf(
  columns: readonly ManifestColumn[],
  keys: ReadonlySet<string>,
): readonly object[] {
  const taken = new Set<string>();
  return columns.map(({ name, type, description }) => {
    const dimension = identifierOf(name);
    if (taken.has(dimension)) {
      throw new Failure("invalid", `two columns would both become the dimension ${dimension}`);
    }
    taken.add(dimension);
    return {
      name: dimension,
      sql: sqlName(name),
      type: dimensionType(type),
      ...(keys.has(name) && { primary_key: true }),
      ...(description !== "" && { description }),
    };
  });
}

/** A column may have the name of the measure. */
function countName(columns: readonly ManifestColumn[]): string {
  return columns.some(({ name }) => identifierOf(name) === "count") ? "row_count" : "count";
}

/** Returns the type of a column by its first word, regardless of the precision. */
function dimensionType(type: string): string {
  const word = /^[a-z0-9]+/u.exec(type.trim().toLowerCase())?.[0] ?? "";
  if (/^(?:date|datetime|timestamp\w*)$/u.test(word)) return "time";
  if (/^bool(?:ean)?$/u.test(word)) return "boolean";
  const isNumber =
    /^(?:u?(?:tiny|small|big|huge)?int(?:eger)?\d*|byteint|numeric|number|bignumeric|decimal|dec|float\d*|double|real|money|(?:big|small)?serial)$/u;
  return isNumber.test(word) ? "number" : "string";
}

/** Returns a name that data models accept. */
function identifierOf(text: string): string {
  const name = text.replace(/\W/gu, "_");
  return /^[A-Za-z_]/u.test(name) ? name : `_${name}`;
}

/** Returns a name in SQL, quoted unless it is plain. */
function sqlName(text: string): string {
  return /^[A-Za-z_]\w*$/u.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}
