// `svc api METHOD PATH`: sends one request and prints the response.
import { Command, InvalidArgumentError } from "commander";
import { choicesRemedy } from "../../core/text/naming.ts";
import type { Method } from "../../core/operation/operation.ts";
import { connectionOptions } from "../shared/connection/connection.ts";
import { withExamples } from "../shared/help/examples.ts";
import { jsonOptions } from "../shared/output/table-options.ts";
import type { Flags } from "../runs/api.ts";

const methods: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Returns the `api` command. */
export function apiCommand(): Command {
  const command = new Command("api")
    .description("Send one request with your credential and print the JSON response.")
    .argument("<method>", methods.join(", "), methodOf)
    .argument("<path>", "such as /api/v1/regions")
    .option("-q, --query <name=value>", "query parameter; repeatable", appendQuery)
    .option("-d, --data <json>", "request body: JSON, @file, or - for standard input")
    .action(async (method: Method, path: string, flags: Flags) =>
      (await import("../runs/api.ts")).runApi(method, path, flags),
    );
  jsonOptions(command.optionsGroup("Output:"), "print errors as JSON too");
  return connectionOptions(
    withExamples(command, {
      read: "svc api GET /api/v1/regions",
      "read with a query": "svc api GET /api/v1/deployments -q first=10",
      "print some members": "svc api GET /api/v1/regions --jq '.items[].name'",
      "send a body from a file": "svc api POST /api/v1/user-groups -d @group.json",
    }),
  );
}

function methodOf(given: string): Method {
  const name = given.toUpperCase();
  const method = methods.find((one) => one === name);
  if (method !== undefined) return method;
  throw new InvalidArgumentError(choicesRemedy(name, methods));
}

function appendQuery(text: string, before: Flags["query"] = {}): Flags["query"] {
  const [, name, value] = /^([^=]+)=(.*)$/su.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError("Use name=value.");
  return { ...before, [name]: [...(before[name] ?? []), value] };
}
