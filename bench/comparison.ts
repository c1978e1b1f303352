// Compares the figures of the benches with earlier figures, other products and the aims. What is measured now comes from their pages.

/** A figure of a page, and what it is compared with. */
interface ComparedFigure {
  readonly name: string;
  /** The bench, the start of a table's title, and the row and the column in it. */
  readonly at: readonly [bench: string, table: string, row: string, column: string];
  /** Measured at commit c18b28a, with a load of 1. */
  readonly before?: string;
  /** Measured on the same machine. */
  readonly peers?: string;
  readonly aim?: string;
}

const wholePlan = "CPU of a no-op plan of 10000 groups in 1 embed";
const commands = "CPU of commands, built";
const startUp = "Start-up, built";
const applied = "plan, apply and reading back";
const terraform = "1000 resources, a run each";

const figures: readonly ComparedFigure[] = [
  {
    name: "plan of 10,000 groups without changes, to reading their pages and parsing the file",
    at: ["plan", wholePlan, "plan, from files to result, to both", "to its floor"],
    before: "10 x",
    aim: "1.3 x",
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
    aim: "250 ms",
  },
  {
    name: "CPU of `svc --help`",
    at: ["start", commands, "svc --help", "median"],
    before: "60 ms",
  },
  {
    name: "the Terraform provider until its handshake, to bare Node.js",
    at: ["start", startUp, "the Terraform provider, until its handshake", "to bare"],
    aim: "2 x",
  },
  {
    name: "the Pulumi plugin until its port, to bare Node.js",
    at: ["start", startUp, "the Pulumi plugin, until its port", "to bare"],
    aim: "2 x",
  },
  {
    name: "calls (writes) that create 1,000 groups",
    at: ["apply", "Create 1000 groups at 0 ms", applied, "calls (writes)"],
    before: "(1001)",
    aim: "(20)",
  },
  {
    name: "calls (writes) that create 1,000 embed users",
    at: ["apply", "Create 1000 embed users at 0 ms", applied, "calls (writes)"],
    aim: "(10)",
  },
  {
    name: "1,000 groups created at 20 ms a call",
    at: ["apply", "Create 1000 groups at 20 ms", applied, "median"],
    peers: "9 s and 24 s",
    aim: "1.5 s",
  },
  {
    name: "1,000 creates of Terraform",
    at: ["terraform", terraform, "apply", "calls"],
    aim: "100 writes",
  },
  {
    name: "1,000 creates of Terraform with `-parallelism=100`",
    at: ["terraform", terraform, "apply -parallelism=100", "calls"],
    aim: "10 writes",
  },
  {
    name: "CPU of a read at the service, to a bare route",
    at: ["requests", "CPU of one request", "GET one group", "to bare"],
    before: "11 to 25 x",
    aim: "4 x",
  },
  {
    name: "CPU of a session of a known user, to a bare route with one insert",
    at: [
      "requests",
      "CPU of one request",
      "generate-session, user known; bare with one durable insert",
      "to bare",
    ],
    aim: "5 x",
  },
  {
    name: "memory of a plan of 10,000 objects",
    at: ["memory", "Memory of one process", "plan 10000", "peak"],
    aim: "250 MiB",
  },
  {
    name: "memory of a plan of 100,000 objects",
    at: ["memory", "Memory of one process", "plan 100000", "peak"],
    aim: "600 MiB",
  },
  {
    name: "memory of adopting 100,000 objects",
    at: ["memory", "Memory of one process", "adopt 100000", "peak"],
    aim: "600 MiB",
  },
  {
    name: "memory of a controller for each source",
    at: ["controller", "Memory of a controller", "each source more", "heap"],
    aim: "0.3 MiB",
  },
  {
    name: "growth of the service's reachable heap while objects come and go",
    at: ["churn", "Memory of the service", "reachable heap", "growth"],
    aim: "1.05 x",
  },
  {
    name: "reads of two replicas, of a core each",
    at: ["replicas", "Reads of one group", "two replicas", "reads of a core each"],
    aim: "1.6 x",
  },
  {
    name: "reads a second of two replicas, of one: 1",
    at: ["replicas", "Reads of one group", "two replicas", "reads a second"],
    aim: "1.6 x",
  },
];

const introduction = `Measured before: at commit c18b28a, with a load of 1. Peers: the fastest other tool and a generic reconciler, with the same
calls. A dash: not measured.`;

/** Returns the section that compares, from the pages of the benches by name. */
export function comparisonSection(pages: ReadonlyMap<string, string>): string {
  const rows = figures.map(({ name, at: [bench, ...at], before, peers, aim }) => {
    const now = cellOf(pages.get(bench) ?? "", at);
    return `| ${[name, before, peers, now, aim].map((cell) => cell ?? "-").join(" | ")} |`;
  });
  const head = "|  | before | peers | now | aim |\n| --- | --: | --: | --: | --: |";
  return ["## In short", introduction, [head, ...rows].join("\n")].join("\n\n");
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
