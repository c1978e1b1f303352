// An output of a command that records what it prints, so that a test needs no process.
import type { JsonValue } from "../../core/json.ts";
import type { Output } from "../../cli/shared/output/output.ts";

/** Returns an output, with its messages on standard error and its results in JSON. */
export function recordedOutput(): {
  readonly output: Output;
  readonly errors: readonly string[];
  readonly results: readonly JsonValue[];
} {
  const errors: string[] = [];
  const results: JsonValue[] = [];
  const record: Output["warn"] = (text) => void errors.push(text({ color: false, width: 100 }));
  const output: Output = {
    isJson: true,
    isText: false,
    isQuiet: false,
    color: false,
    result: ({ json }) => void results.push(json()),
    print: record,
    info: record,
    warn: record,
  };
  return { output, errors, results };
}
