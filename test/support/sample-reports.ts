// Sample reports: one for each situation that a report format has to show.
import type { Diagnostic, Place } from "../../core/diagnostics.ts";
import type { ApplyResult } from "../../reconciler/model/index.ts";
import type { AppliedReport, PlanReport, Report } from "../../reconciler/report/report.ts";
import { sampleChange, sampleField, samplePlan } from "./sample-plans.ts";
import { everyTrait, plain } from "./sample-kinds.ts";

const kinds = [everyTrait, plain];
const places = new Map<string, Place>([
  ["Plain/north", { file: "infra/plain.yaml", line: 3, column: 1 }],
  ["Plain/south", { file: "infra/plain, two: %.yaml", line: 9, column: 1 }],
]);

/** Returns a report of this plan. */
export function planReport(
  plan: PlanReport["plan"],
  of: PlanReport["type"] = "plan",
  found: readonly Diagnostic[] = [],
): PlanReport {
  return { type: of, plan, kinds, manifestDiagnostics: found, places };
}

/** Returns a report of this apply. */
export function appliedReport(applied: ApplyResult): AppliedReport {
  return { type: "apply", applied, kinds, manifestDiagnostics: [], places };
}

const updates = samplePlan([
  sampleChange("update", "Plain/north", {
    direction: "conflict",
    fields: [
      sampleField({ path: "/name", before: "North", after: "north", direction: "conflict" }),
      sampleField({
        path: "/note",
        before: "```\n@team <b>look</b> | [x](http://evil.example)",
        after: "</details>\n<script>alert(1)</script> %0A::error::no",
        direction: "drifted",
      }),
    ],
  }),
  sampleChange("update", "Plain/south", {
    direction: "drifted",
    fields: [sampleField({ path: "/name", before: "x`y", after: "south", direction: "drifted" })],
  }),
  sampleChange("update", "Plain/west", {
    fields: [sampleField({ path: "/name", before: "West", after: "west" })],
  }),
  sampleChange("none", "Plain/recorded"),
]);

const notOwned: Diagnostic = {
  code: "not-owned",
  severity: "error",
  summary: "Plain/south exists already, and this stack did not create it",
  remedy: "run `svc adopt Plain/south` to adopt it",
  address: "Plain/south",
};

function unsupported(address: string, verb: string): Diagnostic {
  const summary = `the server cannot ${verb} it`;
  return { code: "not-supported", severity: "error", summary, address };
}

const deletes = samplePlan(
  [
    sampleChange("delete", "Plain/parent", { cascadeCounts: { Plain: 3 } }),
    sampleChange("delete", "Plain/child", { cascadedBy: "Plain/parent" }),
    sampleChange("delete", "Plain/stuck", { blockedBy: [{ code: "not-supported" }] }),
    sampleChange("refuse", "Plain/south", { blockedBy: [{ code: "not-owned" }] }),
    sampleChange("orphan", "Plain/kept", { lifecycle: { protect: true, onRemoval: "orphan" } }),
    sampleChange("forget", "Plain/forgotten", { abandoned: true }),
  ],
  { diagnostics: [notOwned, unsupported("Plain/stuck", "delete")] },
);

const rootNotOwned: Diagnostic = {
  code: "not-owned",
  severity: "error",
  summary: "Plain/root exists already, and this stack did not create it",
  remedy: "run `svc adopt Plain/root` to adopt it",
  address: "Plain/root",
};

/** One object blocks all others, through any number of steps. */
const chain = samplePlan(
  [
    sampleChange("refuse", "Plain/root", { blockedBy: [{ code: "not-owned" }] }),
    ...Array.from({ length: 7 }, (_, index) => {
      const needed = index === 0 ? "Plain/root" : `Plain/leaf-${Math.floor((index - 1) / 2)}`;
      return sampleChange("create", `Plain/leaf-${index}`, {
        desired: { name: `leaf-${index}` },
        dependsOn: [needed],
        blockedBy: [{ code: "dependency", address: needed }],
      });
    }),
    sampleChange("update", "Plain/both", {
      dependsOn: ["Plain/leaf-6"],
      blockedBy: [{ code: "not-supported" }, { code: "dependency", address: "Plain/leaf-6" }],
    }),
    sampleChange("create", "Plain/free", { desired: { name: "free" } }),
  ],
  { diagnostics: [rootNotOwned, unsupported("Plain/both", "update")] },
);

const sampleDiagnostics: readonly Diagnostic[] = [
  {
    code: "unknown-field",
    severity: "error",
    summary: 'there is no field "naem"',
    remedy: 'Did you mean "name"?',
    place: { file: "infra/a:b,c%d.yaml", line: 12, column: 5 },
    path: "/spec/naem",
    address: "Plain/north",
  },
  {
    code: "deprecated",
    severity: "warning",
    summary: 'the value "\u001b[31m]]>&<\ufffe" is old\n::error::forged',
    place: { file: "<stdin>", line: 1, column: 1 },
  },
  { code: "not-verifiable", severity: "info", summary: "notes of 1 object stay unseen" },
];

const applied: ApplyResult = {
  plan: samplePlan([]),
  outcomes: [
    { address: "Plain/north", action: "create", result: "done", failure: undefined },
    {
      address: "Plain/south",
      action: "update",
      result: "failed",
      failure: { code: "conflict", message: "the name <b>is</b> taken", remedy: "choose another" },
    },
    {
      address: "Plain/west",
      action: "replace",
      result: "skipped",
      failure: { code: "aborted", message: "Plain/south failed" },
    },
    { address: "Plain/east", action: "update", result: "done", failure: undefined },
  ],
  stopped: undefined,
  residual: [
    sampleChange("update", "Plain/east", {
      direction: "drifted",
      fields: [
        sampleField({
          path: "/name",
          before: "East",
          after: "east",
          direction: "drifted",
          cause: "normalized",
        }),
      ],
    }),
  ],
  unverified: undefined,
  calls: 44,
  writeCalls: 12,
};

const huge = samplePlan([
  ...Array.from({ length: 40 }, (_, index) => sampleChange("delete", `Plain/old-${index}`)),
  ...Array.from({ length: 3000 }, (_, index) =>
    sampleChange("update", `Plain/number-${index}`, {
      fields: [sampleField({ path: "/name", before: "`".repeat(7), after: `name ${index}` })],
    }),
  ),
]);

/** One report for each situation, by name. */
export const sampleReports = {
  empty: planReport(samplePlan([])),
  creates: planReport(
    samplePlan([
      sampleChange("create", "Plain/north", { desired: { name: "north" } }),
      sampleChange("create", "Plain/gone", { desired: { name: "gone" }, direction: "drifted" }),
    ]),
  ),
  updates: planReport(updates),
  drift: planReport(updates, "drift"),
  unmanaged: {
    ...planReport(updates, "drift"),
    unmanaged: [
      { kind: "Plain", key: "by hand", id: "17" },
      { kind: "Plain", key: "</details>\n`::error::", id: undefined },
    ],
  },
  deletes: planReport(deletes),
  chain: planReport(chain),
  chainDrift: planReport(chain, "drift"),
  replace: planReport(
    samplePlan([
      sampleChange("replace", "Plain/new-name", {
        from: { key: "old-name", scope: {} },
        fields: [sampleField({ path: "/name", before: "old", after: "new", replaces: true })],
      }),
    ]),
  ),
  secrets: planReport(
    samplePlan([
      sampleChange("create", "Unknown/secretive", { desired: { password: "hunter2" } }),
      sampleChange("update", "Plain/north", {
        fields: [
          sampleField({ path: "/token", before: "s3cr3t", after: "t0k3n", sensitive: true }),
          sampleField({ path: "/key", after: "t0k3n", sensitive: true, reason: "fingerprint" }),
        ],
      }),
    ]),
  ),
  diagnostics: planReport(samplePlan([]), "plan", sampleDiagnostics),
  manifestErrors: { type: "manifests", manifestDiagnostics: sampleDiagnostics, stack: undefined },
  valid: {
    type: "manifests",
    manifestDiagnostics: [],
    stack: { name: "shop", objects: 3, digest: "abc" },
  },
  applied: appliedReport(applied),
  huge: planReport(huge),
  failure: {
    type: "failure",
    code: "unreachable",
    message: "cannot reach `http://one.example`:\nrefused <!--",
    remedy: "check the address",
  },
} as const satisfies Readonly<Record<string, Report>>;
