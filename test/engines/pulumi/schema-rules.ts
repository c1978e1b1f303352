// Checks Pulumi's rules for package schemas, as far as they apply to this package. Each problem has its path.
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";

const parts =
  /^(?:name|displayName|version|description|keywords|license|publisher|homepage|repository|logoUrl|pluginDownloadURL|meta|config|provider|types|resources|functions|language)$/;
const token = /^svc:index:[A-Za-z]\w*$/;
const primitive = /^(?:string|integer|number|boolean)$/;

/** Returns one line for each broken rule. */
export function schemaProblems(schema: JsonObject): readonly string[] {
  const rules = new RuleChecker(members(schema["types"]));
  for (const name of Object.keys(schema))
    if (!parts.test(name)) rules.report(name, "is not a known member");
  if (!/^\d+\.\d+\.\d+$/.test(textOf(schema["version"])))
    rules.report("version", "is not a version");
  rules.shape("config", { properties: members(schema["config"])["variables"] ?? {} });
  rules.resource("provider", members(schema["provider"]));
  for (const group of ["types", "resources", "functions"]) {
    for (const [name, one] of Object.entries(members(schema[group]))) {
      const at = `${group}/${name}`;
      if (!token.test(name)) rules.report(at, "is not a token");
      if (group === "types") rules.shape(at, members(one));
      if (group === "resources") rules.resource(at, members(one));
      if (group === "functions") {
        rules.shape(`${at}/inputs`, members(members(one)["inputs"]));
        rules.shape(`${at}/outputs`, members(members(one)["outputs"]));
      }
    }
  }
  return [...rules.problems, ...rules.unusedTypes()];
}

class RuleChecker {
  readonly problems: string[] = [];
  readonly #types: JsonObject;
  readonly #used = new Set<string>();

  constructor(types: JsonObject) {
    this.#types = types;
  }

  report(at: string, problem: string): void {
    this.problems.push(`${at} ${problem}`);
  }

  unusedTypes(): readonly string[] {
    const unused = Object.keys(this.#types).filter((name) => !this.#used.has(name));
    return unused.map((name) => `types/${name} is not used`);
  }

  resource(at: string, resource: JsonObject): void {
    const { inputProperties = {}, requiredInputs = [], properties = {} } = resource;
    this.shape(at, resource);
    this.shape(`${at}/inputs`, { properties: inputProperties, required: requiredInputs });
    for (const name of ["id", "urn"]) {
      if (name in members(properties)) this.report(`${at}/${name}`, "is reserved by Pulumi");
    }
  }

  /** Checks an object: its properties and the required ones. */
  shape(at: string, { properties = {}, required = [] }: JsonObject): void {
    for (const [name, one] of Object.entries(members(properties))) {
      this.property(`${at}/${name}`, members(one));
    }
    for (const name of Array.isArray(required) ? required.map(textOf) : []) {
      if (!(name in members(properties)))
        this.report(`${at}/${name}`, "is required but not declared");
    }
  }

  property(at: string, spec: JsonObject): void {
    this.type(at, spec);
    const { default: fallback, type } = spec;
    const fits = type === "integer" ? "number" : type;
    if (fallback !== undefined && typeof fallback !== fits)
      this.report(at, "has a default of another type");
  }

  /** Requires exactly one form: primitive, list, map, reference or union. */
  type(at: string, { type, items, additionalProperties, $ref, oneOf }: JsonObject): void {
    const forms = [
      typeof type === "string" && primitive.test(type) && oneOf === undefined,
      type === "array" && isObject(items),
      type === "object" && isObject(additionalProperties),
      typeof $ref === "string",
      Array.isArray(oneOf) && oneOf.length > 1,
    ].filter(Boolean);
    if (forms.length !== 1) this.report(at, "has not exactly one form");
    if (isObject(items)) this.type(`${at}[]`, items);
    if (isObject(additionalProperties)) this.type(`${at}{}`, additionalProperties);
    const alternatives = (Array.isArray(oneOf) ? oneOf : []).map(members);
    if (alternatives.some((one) => one["type"] === "array" || one["type"] === "object"))
      this.report(at, "is a union with a list or a map, which the Python SDK cannot write");
    for (const one of alternatives) this.type(`${at}|`, one);
    if (typeof $ref !== "string" || $ref === "pulumi.json#/Any") return;
    const [, name = ""] = /^#\/types\/(.+)$/.exec($ref) ?? [];
    this.#used.add(name);
    if (!(name in this.#types)) this.report(at, `refers to ${$ref}, which is not declared`);
  }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function members(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
