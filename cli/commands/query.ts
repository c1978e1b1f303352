// `svc query DEPLOYMENT QUERY`: runs a query on the data API of a deployment.
import { Command, Option } from "commander";
import { connectionOptions } from "../shared/connection/connection.ts";
import { tableOptions } from "../shared/output/table-options.ts";
import { waitTimeout } from "../shared/wait/wait-timeout.ts";
import { branchOption } from "../shared/options/branch-option.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/query.ts";

/** Returns the `query` command. */
export function queryCommand(): Command {
  const command = new Command("query")
    .description(
      "Run a query on the data model that an environment serves, and print its rows. " +
        "Queries --branch, otherwise the open dev-mode branch of your credential, otherwise production. " +
        "Obtains a data API token that expires within an hour, and waits while the query runs.",
    )
    .argument("<deployment>", "ID or name of the deployment")
    .argument("<query>", "the query: JSON, @file, or - for standard input")
    .addOption(branchOption("whose environment to query"))
    .addOption(
      new Option("--dry-run", "check the query and print it with its defaults").conflicts("sql"),
    )
    .option("--sql", "print the statement and its values")
    .option(
      "--excel",
      "write an apostrophe before values of --output csv that a spreadsheet would run as a formula",
    )
    .option("--timeout <seconds>", "longest wait for the query (default: 600)", waitTimeout)
    .action(async (deployment: string, query: string, flags: Flags) =>
      (await import("../runs/query.ts")).runQuery(deployment, query, flags),
    );
  return connectionOptions(
    tableOptions(
      withExamples(command, {
        "count orders": 'svc query main \'{"measures": ["orders.count"]}\'',
        "the statement of a query in a file": "svc query main @query.json --sql",
        "rows as CSV": "svc query main @query.json --output csv > rows.csv",
        "rows for a spreadsheet": "svc query main @query.json --output csv --excel > rows.csv",
      }),
      true,
    ),
  );
}
