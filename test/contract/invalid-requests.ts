// Derives invalid requests from the schemas of an operation. The server must refuse each of them with 400.
import type { TObject, TSchema } from "typebox";
import type { Operation } from "../../core/operation/operation.ts";
import { exclusiveMembers } from "../../core/schema/member-rules.ts";
import { validator } from "../../core/schema/validate.ts";
import { isStrict, refusedQuery } from "./refused-requests.ts";
import type { Sample } from "./sample.ts";

/** A request with one error. */
export interface InvalidRequest {
  readonly title: string;
  readonly path: string;
  readonly body?: unknown;
  readonly raw?: string;
}

/** Returns every error that the schemas make possible. */
export function invalidRequests(operation: Operation, sample: Sample): readonly InvalidRequest[] {
  return [
    ...invalidPaths(operation, sample),
    ...invalidQueries(operation, sample),
    ...invalidBodies(operation, sample),
  ];
}

function invalidPaths(operation: Operation, { path, body }: Sample): readonly InvalidRequest[] {
  const plain = path.split("?")[0] ?? "";
  const given = plain.split("/");
  return operation.path.split("/").flatMap((step, index) => {
    const name = /^\{(\w+)\}$/.exec(step)?.[1];
    if (name === undefined) return [];
    const values = isInteger(operation.params, name) ? ["x", "0", "1.5", "2147483648"] : ["a%00b"];
    return values.map((value) => ({
      title: `the path's ${name} is ${value}`,
      path: given.with(index, value).join("/"),
      ...(body === undefined ? {} : { body }),
    }));
  });
}

function isInteger({ properties }: TObject, name: string): boolean {
  const property = properties[name];
  return property !== undefined && "type" in property && property.type === "integer";
}

function invalidQueries(operation: Operation, { path, body }: Sample): readonly InvalidRequest[] {
  const sign = path.includes("?") ? "&" : "?";
  const query = refusedQuery(operation);
  const title = `the query has ${query}`;
  return [{ title, path: `${path}${sign}${query}`, ...(body === undefined ? {} : { body }) }];
}

function invalidBodies(operation: Operation, { path, body }: Sample): readonly InvalidRequest[] {
  if (operation.body === undefined || body === undefined) {
    return operation.method === "GET" ? [] : [{ title: "there is a body", path, body: { a: 1 } }];
  }
  const wrong = (title: string, value: unknown): InvalidRequest => ({ title, path, body: value });
  const { required = [] } = operation.body as { required?: readonly string[] };
  return [
    wrong("the body is a list", [body]),
    wrong("the body is a text", "text"),
    ...(operation.bodyOptional
      ? []
      : [{ title: "there is no body", path }, wrong("it is null", null)]),
    { title: "the body is torn", path, raw: JSON.stringify(body).slice(0, -1) },
    { title: "the body is deep", path, raw: "[".repeat(300) + "]".repeat(300) },
    { title: "it has __proto__", path, raw: `{"__proto__":{"a":1}}` },
    ...(operation.verbatim === true || !isStrict(operation.body)
      ? []
      : [wrong("a member is unknown", { ...body, nonsense: 1 })]),
    ...required.map((name) => wrong(`${name} is missing`, withoutMember(body, name))),
    ...notExactlyOne(operation.body, body).map(({ what, value }) => wrong(what, value)),
    ...declaredBodyMembers(operation).flatMap((name) =>
      invalidValues
        .filter(({ value }) => !accepts(operation.body as TObject, name, value))
        .map(({ what, value }) => wrong(`${name} is ${what}`, { ...body, [name]: value })),
    ),
  ];
}

/** Returns the members that a body may have, even if no sample has them. */
export function declaredBodyMembers({ body }: Operation): readonly string[] {
  const schema: { readonly properties?: object } | undefined = body;
  return Object.keys(schema?.properties ?? {});
}

const invalidValues: readonly { readonly what: string; readonly value: unknown }[] = [
  { what: "an object of nonsense", value: { nonsense: [] } },
  { what: "a lone surrogate", value: "\ud800" },
  { what: "a list of objects", value: [{ nonsense: 1 }] },
];

/** Returns true for a member that accepts the value; no member accepts half a surrogate pair. */
function accepts({ properties }: TObject, name: string, value: unknown): boolean {
  const schema = properties[name];
  return schema !== undefined && typeof value !== "string" && validator(schema)(value).length === 0;
}

/** Returns bodies in which an object has none or all of the members of which it must have exactly one. */
function notExactlyOne(schema: TSchema, body: object): readonly { what: string; value: object }[] {
  const names = exclusiveMembers(schema);
  const { properties = {} } = schema as {
    readonly properties?: Readonly<Record<string, TSchema>>;
  };
  const none = Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
  const values = [1, true, "acme-inc", "a1B2c3D4e5F6"];
  const all = names.map((name) => {
    const isValid = validator(properties[name] ?? {});
    const value = values.find((one) => isValid(one).length === 0);
    if (value === undefined) throw new Error(`add a valid value for ${name}`);
    return [name, value] as const;
  });
  const own = [
    { what: `it has none of ${names.join(" and ")}`, value: none },
    {
      what: `it has all of ${names.join(" and ")}`,
      value: { ...body, ...Object.fromEntries(all) },
    },
  ];
  const inLists = Object.entries(properties).flatMap(([name, { items }]: [string, ListSchema]) =>
    notExactlyOne(items ?? {}, {}).map(({ what, value }) => ({
      what: `${name}: ${what}`,
      value: { ...body, [name]: [value] },
    })),
  );
  return names.length === 0 ? inLists : [...own, ...inLists];
}

interface ListSchema {
  readonly items?: TSchema;
}

function withoutMember(body: Readonly<Record<string, unknown>>, name: string): object {
  const { [name]: _, ...rest } = body;
  return rest;
}
