// References, identities and the digest of a resolved stack.
import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { Type } from "typebox";
import { defineKind, type Kind, defineObserve } from "../../core/kind/kind.ts";
import { defineOperation } from "../../core/operation/operation.ts";
import { field } from "../../core/schema/traits.ts";
import { resolve } from "./resolve-manifests.ts";
import { noGrants } from "../operator/grants.ts";
import { checkDocument } from "./document.ts";
import { parse } from "./parse.ts";
import type { ResolveResult, Stack } from "../model/index.ts";

const listThings = defineOperation({
  id: "listThings",
  area: "things",
  source: "proposed",
  permission: { action: "All", scope: "account" },
  method: "GET",
  path: "/api/v1/things",
  summary: "List things",
  effect: "read",
  answer: Type.Object({}),
  list: "cursor",
});

const Name = Type.String({ minLength: 1, maxLength: 12 });

function kind(name: string, key: readonly string[], spec: Kind["spec"]): Kind {
  const declaration = {
    name,
    plural: `${name.toLowerCase()}s`,
    doc: "A throw-away kind.",
    key,
    spec,
  };
  return defineKind(
    {
      ...declaration,
      shape: "item",
      scope: key.slice(0, -1),
      status: Type.Object({}),
      examples: [],
    },
    () => ({
      observe: defineObserve({ cost: "list", needs: [listThings], read: async () => [] }),
      create: [],
      update: [],
      delete: [],
    }),
  );
}

const motto = Type.Optional(field(Name, { doc: "Its motto." }));
const team = kind("Team", ["name"], Type.Object({ name: Name, motto }));
const squad = kind(
  "Squad",
  ["team", "title"],
  Type.Object({
    team: field(Name, { doc: "Its team.", refersTo: "Team" }),
    title: Name,
    mates: Type.Optional(
      field(Type.Array(Name), {
        doc: "Others.",
        refersTo: "Squad",
        within: { team: "team" },
        order: "set",
      }),
    ),
  }),
);
// Named after the object that it refers to, so that its own key comes from a reference.
const badge = kind(
  "Badge",
  ["of"],
  Type.Object({ of: field(Name, { doc: "Bearer.", refersTo: "Team" }) }),
);
const ring = kind(
  "Ring",
  ["badge"],
  Type.Object({ badge: field(Name, { doc: "Badge.", refersTo: "Badge" }) }),
);
const invite: Kind = {
  ...kind("Invite", ["of"], Type.Object({ of: Name, motto })),
  createsImplicitly: { kind: "Team", key: ["of"] },
  sharesFields: { kind: "Team", key: ["of"], fields: { motto: "motto" } },
};
const seat: Kind = {
  ...kind("Seat", ["row", "title"], Type.Object({ row: Name, title: Name })),
  limit: { what: "seats in one row", max: 2, remedy: "Use another row." },
};
const kinds = new Map([team, squad, badge, ring, invite, seat].map((type) => [type.name, type]));

const stack: Stack = {
  name: "demo",
  target: undefined,
  folder: "/stack",
  inventoryFile: "/stack/.svc/demo.inventory.json",
  policy: { prune: false, maxDeletes: 10, concurrency: 8, requestsPerSecond: undefined },
};
const scope = {
  variables: new Map(),
  environment: [],
  grants: noGrants,
  env: {},
};

/** Each line is `Kind name {spec}`. */
function resolved(...lines: readonly string[]): ResolveResult {
  const text = lines.map((line) => {
    const [, of, name, spec] = /^(\w+) (\S+) (.+)$/.exec(line) ?? [];
    return `apiVersion: svc/v1\nkind: ${of}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
  });
  const { documents, diagnostics } = parse("a.yaml", text.join("---\n"));
  expect(diagnostics).toEqual([]);
  const checked = documents.map((document) => checkDocument(document, { scope, kinds }));
  return resolve({
    stack,
    documents: checked.flatMap(({ desired, isValid }) => (isValid && desired) || []),
    invalidDocuments: checked.flatMap(({ desired, isValid }) => (!isValid && desired) || []),
  });
}

function errorsOf(...lines: readonly string[]): readonly string[] {
  const { desired, diagnostics } = resolved(...lines);
  expect(desired).toBeUndefined();
  return diagnostics.map(
    ({ code, place, path, summary, remedy }) =>
      `${place?.line}:${place?.column} ${code} ${path}: ${summary}. ${remedy}`,
  );
}

const acme = "Team acme { name: acme-corp }";

describe("references", () => {
  it("resolve to the last part of the target's key", () => {
    const { desired } = resolved("Squad one { team: acme, title: first }", acme);
    expect(desired?.objects[0]).toMatchObject({
      spec: { team: "acme-corp", title: "first" },
      key: "acme-corp/first",
      scope: { team: "acme-corp" },
      dependsOn: ["Team/acme"],
    });
  });

  it("may be full addresses, or external", () => {
    const { desired } = resolved(
      acme,
      "Squad one { team: Team/acme, title: x }",
      "Squad two { team: { external: other }, title: x }",
    );
    expect(desired?.objects.map(({ key, dependsOn: needs }) => [key, needs])).toEqual([
      ["acme-corp", []],
      ["acme-corp/x", ["Team/acme"]],
      ["other/x", []],
    ]);
  });

  it("resolve through keys that are references", () => {
    const { desired } = resolved("Ring r { badge: b }", "Badge b { of: acme }", acme);
    expect(desired?.objects.map(({ key }) => key)).toEqual(["acme-corp", "acme-corp", "acme-corp"]);
  });

  it("that are unknown are reported, with a suggestion", () => {
    expect(
      errorsOf(acme, "Squad s { team: acmee, title: x }", "Squad t { team: Squad/s, title: y }"),
    ).toEqual([
      '9:15 reference-unknown /spec/team: the stack has no Team named "acmee". Did you mean "acme"? To refer to an object outside the stack, write { external: acmee }.',
      '14:15 reference-unknown /spec/team: "Squad/s" is not the address of a Team. To refer to an object outside the stack, write { external: Squad/s }.',
    ]);
  });

  it("by the name at the service are reported, with the address of the document", () => {
    expect(errorsOf(acme, "Squad s { team: acme-corp, title: x }")).toEqual([
      '9:15 reference-unknown /spec/team: the stack has no Team named "acme-corp". Did you mean Team/acme? To refer to an object outside the stack, write { external: acme-corp }.',
    ]);
  });

  it("to a renamed or removed document say so first", () => {
    const renamed = `Team corp,"lifecycle":{"movedFrom":"Team/old-name"} { name: acme-corp }`;
    expect(
      errorsOf(
        renamed,
        "Squad s { team: old-name, title: x }",
        "Squad t { team: nowhere, title: x }",
        "Squad u { team: Team/acme, title: x }",
      ).map((text) => text.slice(text.indexOf("the stack"))),
    ).toEqual([
      'the stack has no Team named "old-name". It was renamed to "corp". To refer to an object outside the stack, write { external: old-name }.',
      'the stack has no Team named "nowhere". Declare it, or change the reference. To refer to an object outside the stack, write { external: nowhere }.',
      'the stack has no Team named "acme". Declare it, or change the reference. To refer to an object outside the stack, write { external: acme }.',
    ]);
  });

  it("to a document with errors are not reported as unknown", () => {
    expect(errorsOf("Team acme { nam: x }", "Squad s { team: acme, title: x }")).toEqual([]);
  });

  it("of a document with errors are checked too", () => {
    expect(errorsOf("Squad s { team: nowhere, titel: x }")[0]).toContain(
      "reference-unknown /spec/team",
    );
  });

  it("must name objects of the same parent", () => {
    const lines = [
      acme,
      "Team other { name: other }",
      "Squad a { team: other, title: a }",
      "Squad b { team: acme, title: b, mates: [c, a] }",
      "Squad c { team: acme, title: c }",
    ];
    expect(errorsOf(...lines)).toEqual([
      '19:42 reference-mismatch /spec/mates/1: Squad "a" belongs to team "other", but this document to "acme-corp". Name a Squad with the same team.',
    ]);
  });

  it("must not be cyclic", () => {
    const lines = [
      acme,
      "Squad a { team: acme, title: a, mates: [b] }",
      "Squad b { team: acme, title: b, mates: [a] }",
      "Squad c { team: acme, title: c, mates: [c] }",
    ];
    expect(errorsOf(...lines).map((line) => line.replace(/\. .*/, ""))).toEqual([
      "9:39 reference-cycle /spec/mates/0: cyclic reference: Squad/a -> Squad/b -> Squad/a",
      "19:39 reference-cycle /spec/mates/0: cyclic reference: Squad/c -> Squad/c",
    ]);
  });

  it("that are external must be valid values of the field", () => {
    expect(errorsOf("Squad s { team: { external: far-too-long-a-name }, title: x }")[0]).toContain(
      '4:15 out-of-bounds /spec/team: "spec.team" must have at most 12 characters',
    );
  });
});

describe("duplicates", () => {
  it("two documents of one address are refused", () => {
    expect(errorsOf(acme, "Team acme { name: other }")).toEqual([
      "8:19 duplicate-address /metadata/name: Team/acme is already declared at a.yaml:1:1. Rename or remove one of them.",
    ]);
  });

  it("two documents of one live object are refused", () => {
    expect(errorsOf(acme, "Team again { name: acme-corp }")).toEqual([
      "9:15 duplicate-identity /spec/name: Team/again and Team/acme (a.yaml:1:1) describe the same object: acme-corp. Remove one of them, or change its name.",
    ]);
  });
});

it("two documents that set a field of one live object to different values are refused", () => {
  const named = "Team acme { name: acme-corp, motto: first }";
  expect(errorsOf(named, "Invite one { of: acme-corp, motto: second }")).toEqual([
    "9:31 conflicting-values /spec/motto: Invite/one and Team/acme (a.yaml:1:1) set motto of the same Team to different values. Set it in one of the two documents, or to the same value.",
  ]);
});

it("more objects of one scope than the server accepts are refused", () => {
  const seats = ["a", "b", "c"].map((title) => `Seat ${title} { row: first, title: ${title} }`);
  const other = "Seat d { row: second, title: a }";
  expect(resolved(...seats.slice(1), other).diagnostics).toEqual([]);
  expect(errorsOf(...seats, other)).toEqual([
    "14:14 out-of-bounds /spec/row: Seat/c is one of 3 seats in one row, which can have 2. Use another row.",
  ]);
});

describe("the digest", () => {
  const lines = [
    acme,
    "Squad a { team: acme, title: a, mates: [b, c] }",
    "Squad b { team: acme, title: b }",
    "Squad c { team: acme, title: c }",
    "Badge d { of: acme }",
  ];
  const digest = resolved(...lines).desired?.digest;

  it("is independent of the order of documents and fields", () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(lines, { minLength: lines.length }),
        fc.boolean(),
        (all, flip) => {
          const written = flip
            ? all.map((line) => line.replace("team: acme, title: a,", "title: a, team: acme,"))
            : all;
          const swapped = flip
            ? written.map((line) => line.replace("[b, c]", "[c, b, c]"))
            : written;
          expect(resolved(...swapped).desired?.digest).toBe(digest);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("differs for another desired state", () => {
    const other = lines.map((line) => line.replace("title: c", "title: d"));
    expect(resolved(...other).desired?.digest).not.toBe(digest);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
  });
});

it("resolves a large stack in linear time", () => {
  const place = { file: "a.yaml", line: 1, column: 1 };
  const document = { file: "a.yaml", place, value: {}, hasErrors: false, locate: () => place };
  const common = { labels: {}, document };
  const owner = {
    address: "Team/acme",
    kind: team,
    name: "acme",
    spec: { name: "acme" },
    ...common,
  };
  const squads = Array.from({ length: 20_000 }, (_, i) => {
    const spec = { team: "acme", title: `t${i}`, ...(i > 0 && { mates: [`s${i - 1}`] }) };
    return { address: `Squad/s${i}`, kind: squad, name: `s${i}`, spec, ...common };
  });
  const { desired } = resolve({ stack, documents: [...squads, owner] });
  expect(desired?.objects).toHaveLength(20_001);
});
