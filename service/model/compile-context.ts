// The context of a compilation: the security context of whoever asks, which the code of a data model reads as
// `COMPILE_CONTEXT.securityContext`.
import { Failure } from "../../core/errors.ts";
import { canonical, type JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import type { SourceFile } from "./problems.ts";

/** Whose context it is. */
export interface ContextOwner {
  /** Undefined if it is unknown, because the token carries none. */
  readonly securityContext: JsonObject | undefined;
  /** Whether this is an embed session or an external user. */
  readonly isEmbedded: boolean;
}

/** The value of `COMPILE_CONTEXT` as canonical JSON: equal contexts have equal texts. */
export type CompileContext = string;

/** The context without a caller, which builds and checks use. */
export const noCompileContext: CompileContext = contextOf({});

/**
 * Returns the context of a caller. Throws `invalid` for one that a model cannot read as it was sent, and without a context, or
 * with an empty one, for external users: a model may open every row then.
 */
export function compileContextOf({ securityContext, isEmbedded }: ContextOwner): CompileContext {
  const text = contextOf(securityContext ?? {});
  if (text === noCompileContext && isEmbedded) {
    throw new Failure(
      "invalid",
      "the data model reads COMPILE_CONTEXT, and the external user has no security context; create the session with one",
    );
  }
  const problem = contextProblem(text);
  if (problem === undefined) return text;
  throw new Failure(
    "invalid",
    `the data model reads COMPILE_CONTEXT, and the security context ${problem}`,
  );
}

function contextOf(securityContext: JsonObject): CompileContext {
  return canonical({ securityContext });
}

/** Returns what of a context a model cannot read. */
function contextProblem(context: CompileContext): string | undefined {
  if (context.length > limits.compileContextLength)
    return `has more than ${limits.compileContextLength} characters as JSON; send less`;
  // The sandbox marks references in texts with them.
  if (/[\uFDD0-\uFDEF]/u.test(context))
    return "has a character of U+FDD0 to U+FDEF, which Unicode reserves; remove it";
  let problem: string | undefined;
  JSON.parse(context, (name, value: unknown) => {
    if (Number.isInteger(value) && !Number.isSafeInteger(value))
      problem = `has a number beyond 2^53 as ${name}, which JSON rounds; send it as text`;
  });
  return problem;
}

/** The first place where the code of a data model reads the context. */
export interface ContextReader {
  readonly file: SourceFile;
  readonly offset: number;
}

/** Returns the error of code with what to do if a member of the context is missing. */
export function withContextRemedy(message: string, reader: ContextReader | undefined): string {
  if (reader === undefined || !/\bundefined\b|\bnot defined\b/u.test(message)) return message;
  return `${message}; if a security context lacks the value, as that of builds does, write a default`;
}
