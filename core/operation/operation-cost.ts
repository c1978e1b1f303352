// The cost of a call in rate limits: the same at the service, which counts it, and at clients, which respect it. Pure.
import { isObject } from "../json.ts";
import type { Operation } from "./operation.ts";

/** The number of items of a request that cost as much as one simple call. */
export const itemsPerCost = 10;

/**
 * Returns the cost of a call with this body: the cost that its operation declares, and more for the items of its lists.
 */
export function callCost(operation: Operation, body: unknown): number {
  return operation.cost + itemCost(operation, body);
}

/** Returns the cost of the items of a request. Counts the lists that are members of its body, such as `users`. */
export function itemCost(operation: Operation, body: unknown): number {
  if (!costsByItems(operation) || !isObject(body)) return 0;
  let items = 0;
  for (const name in body) {
    const value = body[name];
    if (Array.isArray(value)) items += value.length;
  }
  return Math.floor(items / itemsPerCost);
}

/** Returns whether the body has lists of items. A document that is stored as sent is one item. */
export function costsByItems({ body, verbatim, protocol }: Operation): boolean {
  if (body === undefined || verbatim === true) return false;
  if (protocol !== undefined) return true;
  const { properties = {} } = body as { readonly properties?: Readonly<Record<string, unknown>> };
  return Object.values(properties).some(isList);
}

function isList(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, anyOf } = schema;
  return type === "array" || (Array.isArray(anyOf) && anyOf.some(isList));
}
