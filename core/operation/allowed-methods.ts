// Refuses methods of HTTP that a path does not have.
import { Failure } from "../errors.ts";

/** The refusal of a request whose method its path does not have. */
export interface RefusedMethod {
  /** The value of the `Allow` header. */
  readonly allow: string;
  readonly failure: Failure;
}

/** Returns the refusal of a method that the path does not have; undefined if the path has it. */
export function refuseMethod(
  method: string,
  methods: readonly string[],
): RefusedMethod | undefined {
  if (methods.includes(method)) return undefined;
  const allow = methods.join(", ");
  const text = `this path does not support ${method}; use ${allow}`;
  return { allow, failure: new Failure("method_not_allowed", text) };
}
