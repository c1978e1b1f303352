// `svc api METHOD PATH`: sends one request and prints the response.
import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError } from "commander";
import { Failure } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { closestMatch } from "../../core/naming.ts";
import type { Method } from "../../core/operation.ts";
import { type ConnectionFlags, connectionOptions } from "../shared/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { jsonText } from "../../reconciler/report/json-text.ts";
import { runAction } from "../shared/run-action.ts";
import { readStandardInput } from "../shared/streams.ts";
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
    if (flags.data === "-" && flags.apiKeyFile === "-") {
      throw new Failure("usage", "standard input cannot provide both the body and the API key");
    }
    const body = flags.data === undefined ? undefined : bodyOf(await textOf(flags.data));
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

async function textOf(data: string): Promise<string> {
  if (data === "-") return readStandardInput(limits.bodyBytes);
  if (!data.startsWith("@")) return data;
  try {
    return readFileSync(data.slice(1), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure("usage", `cannot read ${data.slice(1)}: ${code ?? "unknown"}`, {
      cause: error,
    });
  }
}

function bodyOf(text: string): JsonValue {
  if (text.length > limits.bodyBytes) {
    throw new Failure("usage", `the body exceeds ${limits.bodyBytes} bytes`);
  }
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new Failure("usage", "the body is not valid JSON", {
      remedy: "quote it for the shell, or write it to a file and pass --data @file",
    });
  }
}
