// Runs the jq expression of --jq on a result: jq itself, compiled to WebAssembly, without access to files or the environment.
import { Failure } from "../../../core/errors.ts";
import type { JsonValue } from "../../../core/json.ts";

/** Converts a result to text. Fails with `invalid` if the expression does not fit the result. */
export type JqFilter = (value: JsonValue) => string;

/** Exit code of jq for an expression that is not valid. */
const compileError = 3;

/** Compiles an expression. Fails with `usage` if it is not valid. */
export async function compileJq(expression: string): Promise<JqFilter> {
  // Loaded only for the option.
  const { loadJq } = await import("jq-wasm/inline");
  const jq = await loadJq();
  const run = (input: string, program: string) => jq.raw(input, program, ["-r"]);
  // Compiles the expression without running it.
  const checked = run("null", `if false then (${expression}\n) else empty end`);
  if (checked.exitCode === compileError) {
    throw new Failure("usage", `--jq: ${messageOf(checked.stderr)}`);
  }
  return (value) => {
    const { stdout, stderr, exitCode } = run(JSON.stringify(value), `(${expression}\n)`);
    if (exitCode === 0) return stdout;
    throw new Failure("invalid", `--jq: ${messageOf(stderr)}`, {
      remedy: "The command itself succeeded. Its whole result is printed.",
    });
  };
}

/** Returns the first line of an error of jq. */
function messageOf(stderr: string): string {
  const [first = ""] = stderr.split("\n");
  return first.replace(/^jq: error(?: \(at [^)]*\))?:? */u, "").replace(/, line \d+.*$/u, "");
}
