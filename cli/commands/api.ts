// `svc api METHOD PATH`: sends one request and prints the response.
import { Command, InvalidArgumentError } from "commander";
import { closestMatch } from "../../core/naming.ts";
import type { Method } from "../../core/operation.ts";
import { type ConnectionFlags, connectionOptions } from "../shared/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { jsonText } from "../../reconciler/report/json-text.ts";
import { readBody } from "../shared/request-body.ts";
import { runAction } from "../shared/run-action.ts";
import { withClient } from "../shared/with-client.ts";

interface Flags extends ConnectionFlags {
  readonly query?: Readonly<Record<string, readonly string[]>>;
  readonly data?: string;
}

const methods: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Returns the `api` command. */
export function apiCommand(): Command {
  const command = new Command("api")
    .description("Send one request with your credential and print the JSON response.")
    .argument("<method>", methods.join(", "), methodOf)
    .argument("<path>", "such as /api/v1/regions")
    .option("-q, --query <name=value>", "query parameter; repeatable", appendQuery)
    .option("-d, --data <json>", "request body: JSON, @file, or - for standard input")
    .action((method: Method, path: string, flags: Flags) => send(method, path, flags));
  return connectionOptions(command);
}

function send(method: Method, path: string, flags: Flags): Promise<void> {
  return runAction({ output: "text", color: false }, async ({ signal }) => {
    const body = flags.data === undefined ? undefined : await readBody(flags.data, flags);
    return withClient(flags, signal, async (client) => {
      const answer = await client.request(method, path, { query: flags.query ?? {}, body });
      if (answer.body !== undefined) process.stdout.write(jsonText(answer.body));
      return exitCodes.done;
    });
  });
}

function methodOf(given: string): Method {
  const name = given.toUpperCase();
  const method = methods.find((one) => one === name);
  if (method !== undefined) return method;
  const meant = closestMatch(name, methods);
  throw new InvalidArgumentError(
    `Use one of ${methods.join(", ")}.${meant === undefined ? "" : ` (Did you mean ${meant}?)`}`,
  );
}

function appendQuery(text: string, before: Flags["query"] = {}): Flags["query"] {
  const [, name, value] = /^([^=]+)=(.*)$/su.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError("Use name=value.");
  return { ...before, [name]: [...(before[name] ?? []), value] };
}
