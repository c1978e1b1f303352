// Compares measured values with earlier values, other products and targets. Current values come from the pages of the
// benchmarks.

/** A value of a page, and what it is compared with. */
interface ComparedValue {
  readonly name: string;
  /** The bench, the start of a table's title, and the row and the column in it. */
  readonly at: readonly [bench: string, table: string, row: string, column: string];
  /** Measured at commit c18b28a, with a load of 1. */
  readonly before?: string;
  /** Measured on the same machine. */
  readonly peers?: string;
  /** An amount with its unit that the value must not exceed, or must reach. */
  readonly atMost?: string;
  readonly atLeast?: string;
}

const wholePlan = "CPU of a no-op plan of 10000 groups in 1 embed";
const commands = "CPU of commands, built";
const startUp = "Start-up, built";
const applied = "plan, apply and reading back";
const terraform = "1000 resources, a run each";

const comparedValues: readonly ComparedValue[] = [
  {
    name: "plan of 10,000 groups without changes, to reading their pages and parsing the file",
    at: ["plan", wholePlan, "plan, from files to result, to both", "to its floor"],
    before: "10 x",
    atMost: "1.3 x",
  },
  {
    name: "the same plan, to reading the pages",
    at: ["plan", wholePlan, "the same, to the pages", "to its floor"],
    before: "170 x",
  },
  {
    name: "CPU of `svc plan` of one document",
    at: ["start", commands, "svc plan of one document", "median"],
    before: "830 ms",
    atMost: "250 ms",
  },
  {
    name: "CPU of `svc --help`",
    at: ["start", commands, "svc --help", "median"],
    before: "60 ms",
  },
  {
    name: "the Terraform provider until its handshake, to bare Node.js",
    at: ["start", startUp, "the Terraform provider, until its handshake", "to bare"],
    atMost: "2 x",
  },
  {
    name: "the Pulumi plugin until its port, to bare Node.js",
    at: ["start", startUp, "the Pulumi plugin, until its port", "to bare"],
    atMost: "2 x",
  },
  {
    name: "calls that create 1,000 groups",
    at: ["apply", "Create 1000 groups at 0 ms", applied, "calls"],
    before: "1001 writes",
    atMost: "20 writes",
  },
  {
    name: "calls that create 1,000 embed users",
    at: ["apply", "Create 1000 embed users at 0 ms", applied, "calls"],
    atMost: "10 writes",
  },
  {
    name: "1,000 groups created at 20 ms a call",
    at: ["apply", "Create 1000 groups at 20 ms", applied, "median"],
    peers: "9 s and 24 s",
    atMost: "1.5 s",
  },
  {
    name: "1,000 creates of Terraform",
    at: ["terraform", terraform, "apply", "calls"],
    atMost: "100 writes",
  },
  {
    name: "1,000 creates of Terraform with `-parallelism=100`",
    at: ["terraform", terraform, "apply -parallelism=100", "calls"],
    atMost: "10 writes",
  },
  {
    name: "CPU of a read at the service, to a bare route",
    at: ["requests", "CPU of one request", "GET one group", "to bare"],
    before: "11 to 25 x",
    atMost: "4 x",
  },
  {
    name: "CPU of a session of a known user, to a bare route with one insert",
    at: [
      "requests",
      "CPU of one request",
      "generate-session, user known; bare with one durable insert",
      "to bare",
    ],
    atMost: "5 x",
  },
  {
    name: "rate of users provisioned by SCIM, to a bare route",
    at: ["scim", "SCIM per second", "10000 users provisioned", "to bare"],
    atLeast: "0.33",
  },
  {
    name: "rate of SCIM filters by user name, of a core each, to a bare route",
    at: ["scim", "SCIM per second", "userName eq, of a core each", "to bare"],
    atLeast: "0.33",
  },
  {
    name: "rate of SCIM patches of a user, to a bare route",
    at: ["scim", "SCIM per second", "PATCH of one user", "to bare"],
    atLeast: "0.33",
  },
  {
    name: "CPU of a query that groups 1,000,000 rows, to the bare engine",
    at: ["queries", "CPU time of queries", "group by", "load less 5 ms, to bare"],
    atMost: "1.2 x",
  },
  {
    name: "memory of a plan of 10,000 objects",
    at: ["memory", "Memory of one process", "plan 10000", "peak"],
    atMost: "250 MiB",
  },
  {
    name: "memory of a plan of 100,000 objects",
    at: ["memory", "Memory of one process", "plan 100000", "peak"],
    atMost: "600 MiB",
  },
  {
    name: "memory of adopting 100,000 objects",
    at: ["memory", "Memory of one process", "adopt 100000", "peak"],
    atMost: "600 MiB",
  },
  {
    name: "memory of a controller for each source",
    at: ["controller", "Memory of a controller, 5 documents", "each source more", "heap"],
    atMost: "0.3 MiB",
  },
  {
    name: "the same, with 1,000 pending changes in each source",
    at: ["controller", "1,000 pending changes a source:", "each source more", "heap"],
    atMost: "0.3 MiB",
  },
  {
    name: "the same, and each source has its own files",
    at: ["controller", "and its own parsed files", "each source more", "heap"],
    atMost: "0.3 MiB",
  },
  {
    name: "growth of the service's reachable heap while objects come and go",
    at: ["churn", "Memory of the service", "reachable heap", "growth"],
    atMost: "1.05 x",
  },
  {
    name: "reads of two replicas, of a core each",
    at: ["replicas", "Reads of one group", "two replicas", "reads of a core each"],
    atLeast: "1.6 x",
  },
  {
    name: "reads a second of two replicas, of one: 1",
    at: ["replicas", "Reads of one group", "two replicas", "reads a second"],
    atLeast: "1.6 x",
  },
];

const introduction = `The column "before" was measured at commit c18b28a, with a load of 1, and "now" at the commits in the table below. "Peers"
are the fastest other tool and a generic reconciler, with the same calls. A dash means not measured.`;

/** Returns the section that compares, from the pages of the benches by name. */
export function comparisonSection(pages: ReadonlyMap<string, string>): string {
  const rows = comparedValues.map((compared) => {
    const { name, at, before, peers } = compared;
    const [bench, ...cell] = at;
    const page = pages.get(bench);
    const now = page === undefined ? undefined : (cellOf(page, cell) ?? missingCell);
    const aim = aimText(compared);
    const met = now === undefined || aim === undefined ? undefined : metText(now, compared);
    return `| ${[name, before, peers, now, aim, met].map((one) => one ?? "-").join(" | ")} |`;
  });
  const head = "|  | before | peers | now | aim | met |\n| --- | --: | --: | --: | --: | --- |";
  return ["## In short", introduction, [head, ...rows].join("\n")].join("\n\n");
}

function aimText({ atMost, atLeast }: ComparedValue): string | undefined {
  if (atMost !== undefined) return `at most ${atMost}`;
  return atLeast === undefined ? undefined : `at least ${atLeast}`;
}

/** Replaces a value that is missing on its page, because the bench was changed and has not run since. */
export const missingCell = "not on its page";

function metText(now: string, { atMost, atLeast }: ComparedValue): string | undefined {
  const aim = atMost ?? atLeast ?? "";
  const [measured, limit] = [amountIn(now, aim), amountIn(aim, aim)];
  if (measured === undefined || limit === undefined) return undefined;
  const isMet = atMost === undefined ? measured >= limit : measured <= limit;
  return isMet ? "yes" : "**no**";
}

const amount = /(?<number>\d+(?:\.\d+)?)(?: (?<unit>[A-Za-z]+))?/gu;

/** Returns the amount in a text that has the unit of another; times are in milliseconds. Undefined if there is none. */
function amountIn(text: string, other: string): number | undefined {
  const unit = unitIn(other);
  const found = [...text.matchAll(amount)].find(([one]) => unitIn(one) === unit);
  return found && Number(found.groups?.["number"]) * (found.groups?.["unit"] === "s" ? 1000 : 1);
}

function unitIn(text: string): string | undefined {
  const unit = [...text.matchAll(amount)][0]?.groups?.["unit"];
  return unit === "s" ? "ms" : unit;
}

/** Returns a cell of a table. A row is found by its first cell, or by its first two. */
function cellOf(
  page: string,
  [title, name, column]: readonly [title: string, row: string, column: string],
): string | undefined {
  const table = page.split("\n\n").flatMap((part, index, parts) => {
    const isTable = part.startsWith("|");
    return isTable && (parts[index - 1] ?? "").includes(title) ? [part] : [];
  })[0];
  const [head = [], , ...rows] = (table ?? "").split("\n").map(cellsOf);
  const row = rows.find(([one = "", two = ""]) => one === name || `${one} ${two}` === name);
  return row?.[head.indexOf(column)];
}

function cellsOf(line: string): readonly string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}
