// Ways to get a request wrong, derived from its operation's schemas: each has to be refused with 400.
import type { TObject } from "typebox";
import type { Operation } from "../../core/operation.ts";
import { validator } from "../../core/validate.ts";
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
    ...declaredBodyMembers(operation).flatMap((name) =>
      invalidValues
        .filter(({ value }) => !accepts(operation.body as TObject, name, value))
        .map(({ what, value }) => wrong(`${name} is ${what}`, { ...body, [name]: value })),
    ),
  ];
}

/** The members that a body may have, whether or not a sample has them. */
export function declaredBodyMembers({ body }: Operation): readonly string[] {
  const schema: { readonly properties?: object } | undefined = body;
  return Object.keys(schema?.properties ?? {});
}

const invalidValues: readonly { readonly what: string; readonly value: unknown }[] = [
  { what: "an object of nonsense", value: { nonsense: [] } },
  { what: "a lone surrogate", value: "\ud800" },
  { what: "a list of objects", value: [{ nonsense: 1 }] },
];

/** True for a member that is free to hold this; half a character is held by none. */
function accepts({ properties }: TObject, name: string, value: unknown): boolean {
  const schema = properties[name];
  return schema !== undefined && typeof value !== "string" && validator(schema)(value).length === 0;
}

function withoutMember(body: Readonly<Record<string, unknown>>, name: string): object {
  const { [name]: _, ...rest } = body;
  return rest;
}
