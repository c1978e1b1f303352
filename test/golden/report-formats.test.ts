// Compares reports in every format with golden files, and tests the rules of each format and that reports contain no secret.
import { Ajv } from "ajv";
import sarifSchema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" with { type: "json" };
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Diagnostic, Place } from "../../core/diagnostics.ts";
import type { JsonObject } from "../../core/json.ts";
import { validator } from "../../core/schema/validate.ts";
import { limits } from "../../core/limits/limits.ts";
import { jsonText } from "../../reconciler/report/json-text.ts";
import { type ReportFormat, formatNames } from "../../reconciler/report/format-names.ts";
import { renderReport, reportJson } from "../../reconciler/report/render.ts";
import type { Report } from "../../reconciler/report/report.ts";
import { reportSchema } from "../../reconciler/report/schema.ts";
import { sarifJson } from "../../reconciler/report/sarif.ts";
import { anyApplied, hostileText } from "../support/arbitrary-reports.ts";
import { sampleChange, sampleField, samplePlan } from "../support/sample-plans.ts";
import { appliedReport, planReport, sampleReports } from "../support/sample-reports.ts";

/** HTML is tested in a browser. */
const fileExtensions: Readonly<Record<Exclude<ReportFormat, "html">, string>> = {
  markdown: "md",
  sarif: "sarif.json",
  junit: "xml",
  github: "github",
};

const namedReports = Object.entries<Report>(sampleReports);
/** The report that is cut is checked by what it holds. */
const shownReports = namedReports.filter(([name]) => name !== "huge");
/** Members of the other reports are in these, too, or checked by the schema. SARIF shows the findings only. */
const inSarif = ["applied", "failure", "manifestErrors"];
const inJson = [
  "applied",
  "deletes",
  "drift",
  "failure",
  "manifestErrors",
  "replace",
  "secrets",
  "unmanaged",
  "valid",
];
const formatCases = shownReports.flatMap(([name, report]) =>
  formatNames.flatMap((form) =>
    form === "html" || (form === "sarif" && !inSarif.includes(name))
      ? []
      : [[`${name}.${fileExtensions[form]}`, form, report] as const],
  ),
);

describe("a report reads", () => {
  it.each(formatCases)("as forms/%s.golden says", async (file, form, report) => {
    await expect(renderReport(form, report)).toMatchFileSnapshot(`./forms/${file}.golden`);
  });

  it.each(shownReports.filter(([name]) => inJson.includes(name)))(
    "as forms/%s.json.golden says",
    async (name, report) => {
      const text = jsonText(reportJson(report));
      await expect(text).toMatchFileSnapshot(`./forms/${name}.json.golden`);
    },
  );
});

/** Returns the schema of the package, converted to a later draft. */
function sarifValidator() {
  const { $schema: _, id: __, ...schema } = sarifSchema;
  return new Ajv({ strict: false, unicodeRegExp: false, validateFormats: false }).compile(schema);
}

describe("a report as SARIF", () => {
  const isSarif = sarifValidator();

  it.each(namedReports)("keeps the schema: %s", (_, report) => {
    expect(isSarif(JSON.parse(jsonText(sarifJson(report)))), JSON.stringify(isSarif.errors)).toBe(
      true,
    );
  });

  it("conforms to the schema for any plan, and the schema rejects invalid reports", () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        expect(isSarif(JSON.parse(jsonText(sarifJson(report))))).toBe(true);
      }),
    );
    expect(isSarif({ ...sarifJson(sampleReports.empty), version: "3" })).toBe(false);
  });

  it("puts findings about no document at the Stack, and those that are nowhere beside the results", () => {
    const diagnostics = [{ code: "not-verifiable", severity: "warning", summary: "s" }] as const;
    const plan = samplePlan([], { diagnostics });
    const place = { file: "stack.yaml", line: 4, column: 9 };
    const runOf = (places: ReadonlyMap<string, Place>): unknown => {
      const report = { type: "plan", plan, kinds: [], manifestDiagnostics: [], places } as const;
      return (sarifJson(report)["runs"] as readonly unknown[])[0];
    };
    const physicalLocation = {
      artifactLocation: { uri: "stack.yaml" },
      region: { startLine: 4, startColumn: 9 },
    };
    expect(runOf(new Map([[`Stack/${plan.basis.stack}`, place]]))).toMatchObject({
      results: [{ ruleId: "not-verifiable", locations: [{ physicalLocation }] }],
    });
    expect(runOf(new Map())).toMatchObject({
      invocations: [
        {
          executionSuccessful: true,
          toolExecutionNotifications: [{ level: "warning", message: { text: "s" } }],
        },
      ],
      results: [],
    });
  });

  it("gives a finding the same fingerprint in every run, on whichever line it is", () => {
    const at = (line: number): unknown => {
      const [first] = sampleReports.manifestErrors.manifestDiagnostics;
      const manifestDiagnostics =
        first === undefined ? [] : [{ ...first, place: { file: "x", line, column: 1 } }];
      const { runs } = sarifJson({ type: "manifests", manifestDiagnostics, stack: undefined });
      const [run] = runs as readonly { readonly results: readonly JsonObject[] }[];
      return run?.results[0]?.["partialFingerprints"];
    };
    expect(at(1)).toEqual(at(2));
  });
});

describe("a report as JSON", () => {
  const violations = validator(reportSchema());
  const plainJson = (report: Report): unknown => JSON.parse(jsonText(reportJson(report)));

  it.each(namedReports.filter(([, { type: of }]) => of !== "failure"))(
    "keeps its documented schema: %s",
    (_, report) => {
      expect(violations(plainJson(report))).toEqual([]);
    },
  );

  it.each(["plan", "drift"] as const)("of a %s has what the manifests and it report", (type) => {
    const [found] = sampleReports.manifestErrors.manifestDiagnostics;
    const diagnostics = [{ code: "not-owned", severity: "error", summary: "s" }] as const;
    const plan = samplePlan([], { diagnostics });
    const json = plainJson(planReport(plan, type, found === undefined ? [] : [found]));
    expect(json).toMatchObject({ diagnostics: [{ code: found?.code }, { code: "not-owned" }] });
  });

  it("conforms to the schema for any plan, and the schema rejects invalid reports", () => {
    const reports = anyReport.filter(({ type: of }) => of !== "failure");
    fc.assert(
      fc.property(reports, (report) => {
        expect(violations(plainJson(report))).toEqual([]);
      }),
    );
    const bare = plainJson(sampleReports.empty) as JsonObject;
    expect(violations({ ...bare, cost: undefined })).not.toEqual([]);
    expect(violations({ ...bare, more: 1 })).not.toEqual([]);
  });
});

/** Reports without resource types, so the secret fields of desired objects are unknown. */
const anyReport: fc.Arbitrary<Report> = fc.oneof(
  anyApplied.map(({ plan }): Report => ({ ...planReport(plan), kinds: [] })),
  anyApplied.map(({ plan }): Report => ({ ...planReport(plan, "drift"), kinds: [] })),
  fc.tuple(anyApplied, hostileText).map(([{ plan }, key]): Report => ({
    ...planReport(plan, "drift"),
    kinds: [],
    unmanaged: [{ kind: "Plain", key, id: key }],
  })),
  anyApplied.map((applied): Report => ({ ...appliedReport(applied), kinds: [] })),
  anyApplied.map(({ plan }) => manifestErrors(plan.diagnostics)),
  hostileText.map((text): Report => ({
    type: "failure",
    code: "conflict",
    message: text,
    remedy: text,
  })),
);

function manifestErrors(found: readonly Diagnostic[]): Report {
  return { type: "manifests", manifestDiagnostics: found, stack: undefined };
}

describe("no report format contains", () => {
  it("the value of a sensitive field, nor the desired state of an unknown resource type", () => {
    fc.assert(
      fc.property(anyReport, fc.constantFrom(...formatNames), (report, form) => {
        expect(renderReport(form, report)).not.toContain("SECRET");
      }),
    );
    for (const form of formatNames) {
      expect(renderReport(form, sampleReports.secrets)).not.toMatch(/hunter2|s3cr3t|t0k3n/u);
    }
  });

  it("terminal control sequences", () => {
    fc.assert(
      fc.property(anyReport, fc.constantFrom(...formatNames), (report, form) => {
        const steering = /[^\P{C}\n\u200c\u200d\p{Cn}\p{Co}]|[\u2028\u2029]/u;
        expect(renderReport(form, report)).not.toMatch(steering);
      }),
    );
  });
});

const forged = [
  "</details>",
  "<!--",
  "-->",
  "@team",
  "```",
  "`",
  "<b>",
  "|",
  "::error::x",
  "&",
  "]]>",
];
const forging = fc
  .array(fc.oneof(fc.constantFrom(...forged, "\n", "%0A"), fc.string()), { maxLength: 8 })
  .map((parts) => parts.join(""));

/** Returns a failure, manifest errors and a plan that contain the text in every text field. */
function reportsContaining(text: string): readonly Report[] {
  const diagnostic = {
    code: "deprecated",
    severity: "warning",
    summary: text,
    remedy: text,
  } as const;
  const plan = { ...sampleReports.creates.plan, diagnostics: [diagnostic] };
  const changes = plan.changes.map((change) => ({ ...change, address: `Plain/${text}` }));
  const basis = { ...plan.basis, stack: text, origin: text };
  return [
    { type: "failure", code: text, message: text, remedy: text },
    { type: "manifests", manifestDiagnostics: [diagnostic], stack: undefined },
    planReport({ ...plan, changes, basis }),
  ];
}

describe("a report as Markdown", () => {
  it("contains text from outside only as code", () => {
    fc.assert(
      fc.property(forging, (text) => {
        for (const report of reportsContaining(text)) {
          const left = withoutCode(renderReport("markdown", report));
          for (const line of left.split("\n")) expect(line).toMatch(ours);
        }
      }),
      { examples: [["`"], ["``` x"], ["` `"], ["\n```\n</details>"]] },
    );
  });

  it.each(namedReports)("fits a comment: %s", (_, report) => {
    expect(renderReport("markdown", report).length).toBeLessThanOrEqual(limits.markdownCharacters);
  });

  it("shows destructive changes first, reports the truncation, and closes every block", () => {
    const text = renderReport("markdown", sampleReports.huge);
    expect(text.length).toBeGreaterThan(limits.markdownCharacters * 0.9);
    expect(text).toContain("- Plain/old-39\n");
    const left = Number(/\*\*Truncated: (\d+) entries of 3040 omitted/u.exec(text)?.[1]);
    expect(text.match(/^[-~] Plain/gmu)).toHaveLength(3040 - left);
    expect(text.match(/<details/gu)).toHaveLength(text.match(/<\/details>/gu)?.length ?? 0);
  });

  it("fits even if one change is too large", () => {
    const fields = Array.from({ length: 5000 }, (_, index) =>
      sampleField({ path: `/${"long".repeat(200)}${index}`, before: "a", after: "b" }),
    );
    const change = sampleChange("update", "Plain/north", { fields });
    const text = renderReport(
      "markdown",
      planReport(samplePlan(Array.from({ length: 5 }, () => change))),
    );
    expect(text.length).toBeLessThanOrEqual(limits.markdownCharacters);
    expect(text).toContain("more lines");
  });
});

/** Every line of a report outside of code, with placeholders for code spans. */
const ours =
  /^(?:|<!-- svc [a-z]+ [\w%.!~*'()-]* -->|### [A-Za-z ]+¤?|¤ \(¤\)|¤|On ¤\.|\*\*.*\*\*.*|\|.*\||<details(?: open)?>|<summary>[\w :,;'+-]+<\/summary>|<\/details>|… \d+ more not shown|The manifests contain errors\.|\d+ objects?)$/u;

/**
 * Removes fences and code spans by the rules of CommonMark: a run of the same length (or longer for a fence) closes
 * them.
 */
function withoutCode(text: string): string {
  const left: string[] = [];
  let fence = 0;
  for (const line of text.split("\n")) {
    const run = /^(`{3,})[a-z]*$/u.exec(line)?.[1]?.length ?? 0;
    if (fence > 0) {
      if (run >= fence && /^`+$/u.test(line)) fence = 0;
    } else if (run > 0) fence = run;
    else left.push(line.replace(/(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)/gu, "¤"));
  }
  expect(fence).toBe(0);
  return left.join("\n");
}

describe("a report as annotations", () => {
  it("has one command on each line, and none from a value", () => {
    fc.assert(
      fc.property(forging, (text) => {
        for (const report of reportsContaining(text)) {
          const lines = renderReport("github", report).trimEnd().split("\n");
          for (const line of lines) expect(line).toMatch(/^::(?:error|warning|notice) [^:]*::/u);
        }
      }),
    );
  });
});

describe("a report as JUnit", () => {
  it("is well-formed XML with correct counts, for any content", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyReport,
          forging.chain((text) => fc.constantFrom(...reportsContaining(text))),
        ),
        (report) => {
          const text = renderReport("junit", report);
          const bare = text.replace(
            /<\/?[a-z-]+(?: [a-z]+="[^"<&]*(?:&[a-z]+;[^"<&]*)*")*\/?>/gu,
            "",
          );
          expect(bare.replace(/^<\?xml[^>]*\?>/u, "")).not.toMatch(
            /[<>]|&(?!(?:amp|lt|gt|quot|apos);)/u,
          );
          const suite =
            /<testsuite name="[^"]*" tests="(\d+)" failures="(\d+)" errors="(\d+)" skipped="(\d+)">/u;
          const counts = suite.exec(text)?.slice(1).map(Number);
          const count = (tag: string): number => text.split(`<${tag}`).length - 1;
          expect(counts).toEqual(["testcase ", "failure ", "error ", "skipped "].map(count));
          expect(Number(counts?.[0])).toBeGreaterThan(0);
        },
      ),
    );
  });
});
