// Tests for what is reported if no one confirms: after Ctrl-C, after a no, and without a terminal.
import { afterEach, beforeEach, expect, it } from "vitest";
import { validator } from "../../../core/schema/validate.ts";
import { failureSchema } from "../../../reconciler/report/failure-schema.ts";
import { recordedOutput } from "../../../test/support/recorded-output.ts";
import { reportUnconfirmed } from "./confirmation.ts";

const args = process.argv;
const streams = [process.stdin, process.stderr];
const terminals = streams.map(({ isTTY }) => isTTY);

beforeEach(() => {
  process.argv = ["node", "svc", "adopt", "."];
});

afterEach(() => {
  process.argv = args;
  for (const [at, stream] of streams.entries()) stream.isTTY = terminals[at] === true;
});

/** A command at a terminal or not, that a signal stopped with an exit code or not; and what it printed. */
function command({ terminal, stopped }: { readonly terminal: boolean; readonly stopped?: number }) {
  for (const stream of streams) stream.isTTY = terminal;
  const { output, errors, results } = recordedOutput();
  const controller = new AbortController();
  if (stopped !== undefined) controller.abort();
  const interrupt = {
    signal: controller.signal,
    setPrompting: () => undefined,
    exitCode: () => stopped,
    dispose: () => undefined,
  };
  return { context: { output, signal: controller.signal, interrupt }, errors, results };
}

it.each([
  [{ terminal: true }, 5, "declined", "not confirmed", undefined],
  [
    { terminal: false },
    5,
    "confirmation_required",
    "no terminal to ask for confirmation",
    "To confirm, run: svc adopt . --yes",
  ],
  ...[130, 143].flatMap((code) =>
    [true, false].map(
      (terminal) =>
        [
          { terminal, stopped: code },
          code,
          "aborted",
          "stopped",
          "Run the same command again to continue.",
        ] as const,
    ),
  ),
] as const)("a command %o exits with %i: %s", (how, exit, code, start, remedy) => {
  const { context, errors, results } = command(how);
  expect(reportUnconfirmed(context, { facts: { adopts: ["User/ana"] } })).toBe(exit);
  const message = `${start}: nothing was written`;
  expect(errors).toEqual([
    `error: ${message} [${code}]${remedy === undefined ? "" : `\n  ${remedy}`}`,
  ]);
  const [result] = results;
  expect(validator(failureSchema())(JSON.parse(JSON.stringify(result)))).toEqual([]);
  expect(result).toMatchObject({
    report: "failure",
    error: { code, message },
    adopts: ["User/ana"],
  });
});

it("the consequence replaces the default one", () => {
  const { context, errors } = command({ terminal: true });
  reportUnconfirmed(context, { consequence: "svc did not delete a role: viewer" });
  expect(errors).toEqual(["error: not confirmed: svc did not delete a role: viewer [declined]"]);
});
