// Reads the manifest of a transformation project: its models with their columns, keys and relations.
import { Failure } from "../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";

/** A column of a model. */
export interface ManifestColumn {
  readonly name: string;
  readonly type: string;
  readonly description: string;
}

/** A model of the project: a table or view that it creates. */
export interface ManifestModel {
  readonly id: string;
  readonly name: string;
  /** Schema and name of the table. */
  readonly table: readonly string[];
  readonly description: string;
  readonly columns: readonly ManifestColumn[];
  /** Columns that together identify a row. */
  readonly keys: ReadonlySet<string>;
  /** Columns that refer to a column of another model. */
  readonly relations: readonly {
    readonly column: string;
    readonly model: string;
    readonly field: string;
  }[];
}

/** Counts of a manifest, and the tool that wrote it. */
export interface ManifestStats {
  readonly models: number;
  readonly sources: number;
  readonly macros: number;
  readonly toolVersion?: string;
  readonly manifestGeneratedAt?: string;
}

/** The parts of a manifest from which a data model is generated. */
export interface ProjectManifest {
  readonly models: readonly ManifestModel[];
  readonly stats: ManifestStats;
}

/**
 * Returns the content of a manifest. Throws `invalid` if it is not JSON, or not the manifest of a transformation
 * project.
 */
export function readManifest(text: string): ProjectManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Failure("invalid", "the manifest is not JSON", { cause });
  }
  if (!isObject(value) || !isObject(value["nodes"])) {
    throw new Failure(
      "invalid",
      "the manifest has no nodes; is it that of a transformation project?",
    );
  }
  const nodes = Object.entries(value["nodes"]).filter((entry): entry is [string, JsonObject] =>
    isObject(entry[1]),
  );
  const isModel = ([, node]: [string, JsonObject]) => node["resource_type"] === "model";
  const tests = Map.groupBy(
    nodes.flatMap(([, node]) => testOf(node)),
    ({ model }) => model,
  );
  const models = nodes
    .filter((entry) => isModel(entry) && isEnabled(entry[1]))
    .map(([id, node]) => modelOf(id, node, tests.get(id) ?? []))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const { sources, macros, metadata } = value;
  return {
    models,
    stats: {
      models: models.length,
      sources: countOf(sources),
      macros: countOf(macros),
      ...toolOf(metadata),
    },
  };
}

/** A test that a column is unique, or that it refers to another model. */
interface ColumnTest {
  readonly kind: string;
  readonly model: string;
  readonly column: string;
  /** The other model of a relation, and its column. */
  readonly to: string;
  readonly field: string;
}

function testOf(node: JsonObject): readonly ColumnTest[] {
  const { resource_type, column_name, attached_node, test_metadata, depends_on } = node;
  if (resource_type !== "test" || !isObject(test_metadata)) return [];
  const model = textOf(attached_node);
  const kwargs = isObject(test_metadata["kwargs"]) ? test_metadata["kwargs"] : {};
  const related = isObject(depends_on) ? depends_on["nodes"] : undefined;
  const to = Array.isArray(related) ? related.find((one) => one !== model) : undefined;
  return [
    {
      kind: textOf(test_metadata["name"]),
      model,
      column: textOf(column_name) || textOf(kwargs["column_name"]),
      to: textOf(to),
      field: textOf(kwargs["field"]),
    },
  ];
}

function isEnabled({ config }: JsonObject): boolean {
  if (!isObject(config)) return true;
  // An ephemeral model has no table.
  return config["enabled"] !== false && config["materialized"] !== "ephemeral";
}

function modelOf(id: string, node: JsonObject, own: readonly ColumnTest[]): ManifestModel {
  const { name, schema, alias, description, constraints } = node;
  const columns = isObject(node["columns"]) ? Object.entries(node["columns"]) : [];
  const constrained = primaryKeyOf(constraints);
  const marked = columns
    .filter(([, column]) => isObject(column) && isPrimaryKey(column))
    .map(([column]) => column);
  const [unique] = own.filter(({ kind }) => kind === "unique").map(({ column }) => column);
  const keys = [constrained, marked, unique === undefined ? [] : [unique]].find(
    (found) => found.length > 0,
  );
  return {
    id,
    name: textOf(name),
    table: [textOf(schema), textOf(alias) || textOf(name)].filter((part) => part !== ""),
    description: textOf(description),
    columns: columns.map(([column, value]) => ({
      name: column,
      type: isObject(value) ? textOf(value["data_type"]) : "",
      description: isObject(value) ? textOf(value["description"]) : "",
    })),
    keys: new Set(keys),
    relations: own
      .filter(({ kind }) => kind === "relationships")
      .map(({ column, to, field }) => ({ column, model: to, field })),
  };
}

/** Returns the columns of a constraint of the model. */
function primaryKeyOf(constraints: JsonValue | undefined): readonly string[] {
  const all = Array.isArray(constraints) ? constraints.filter(isObject) : [];
  const key = all.find(({ type }) => type === "primary_key");
  return key !== undefined && Array.isArray(key["columns"]) ? key["columns"].map(textOf) : [];
}

/** Returns whether a constraint of the column, or its `meta`, makes it the key. */
function isPrimaryKey({ constraints, meta }: JsonObject): boolean {
  const all = Array.isArray(constraints) ? constraints.filter(isObject) : [];
  const isMarked = isObject(meta) && meta["primary_key"] === true;
  return isMarked || all.some(({ type }) => type === "primary_key");
}

/** Returns the version of the tool, whose key is named after the tool, such as `tool_version`, and the time. */
function toolOf(metadata: JsonValue | undefined): Partial<ManifestStats> {
  if (!isObject(metadata)) return {};
  const version = Object.entries(metadata).find(([name]) => /^[a-z]+_version$/u.test(name))?.[1];
  const generated = metadata["generated_at"];
  return {
    ...(typeof version === "string" && { toolVersion: version.slice(0, 100) }),
    ...(typeof generated === "string" && { manifestGeneratedAt: generated.slice(0, 100) }),
  };
}

function countOf(value: JsonValue | undefined): number {
  return isObject(value) ? Object.keys(value).length : 0;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
