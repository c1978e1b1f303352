// Tests `svc why` on the real service: its report of one object, with everything that prevents a change of it.
import { afterEach, beforeEach, expect, it } from "vitest";
import { validator } from "../../core/schema/validate.ts";
import type { JsonObject } from "../../core/json.ts";
import { whyJson } from "../../reconciler/report/json.ts";
import { reportSchema } from "../../reconciler/report/schema.ts";
import { whyText } from "../../reconciler/report/why-text.ts";
import type { ObjectExplanation } from "../../reconciler/verbs/object-explanation.ts";
import { why, type WhyOptions } from "../../reconciler/why.ts";
import { kinds } from "../../resources/index.ts";
import { everyKind } from "../support/every-kind.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../support/test-stack.ts";

let service: TestService;
let stack: TestStack;

const at = new Date("2026-11-20T20:00:00Z");
const group = (name: string, spec: JsonObject = {}, lifecycle?: JsonObject): Doc => {
  return { kind: "UserGroup", name, spec: { name, ...spec }, ...(lifecycle && { lifecycle }) };
};

async function openStack(policy: JsonObject = {}): Promise<void> {
  stack = await makeStack({ url: service.url, key: service.adminKey, policy });
}

async function explain(
  address: string,
  more: Partial<WhyOptions> = {},
): Promise<ObjectExplanation> {
  const verdict = await why({ ...stack.options, address, now: () => at, ...more });
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.diagnostics));
  const { explanation } = verdict;
  const json = JSON.parse(JSON.stringify(whyJson(explanation, { kinds }))) as JsonObject;
  expect(validator(reportSchema())(json)).toEqual([]);
  return explanation;
}

function explanationPage(explanation: ObjectExplanation): string {
  return whyText(explanation, { color: false, width: 100, kinds });
}

function obstacleCodes({ obstacles }: ObjectExplanation): readonly string[] {
  return obstacles.map(({ code }) => code);
}

async function editOutOfBand(name: string, change: JsonObject): Promise<void> {
  const { body } = await service.send("GET", "/api/v1/user-groups?first=1000");
  const { items } = body as { items: readonly { id: number; name: string }[] };
  const id = items.find((one) => one.name === name)?.id;
  const { status } = await service.send("PATCH", `/api/v1/user-groups/${id}`, { body: change });
  expect(status).toBe(200);
}

beforeEach(async () => {
  service = await startService();
});

afterEach(async () => {
  await stack.dispose();
  await service.close();
});

it("shows a field as it is declared, was applied and is live, with who moved", async () => {
  await openStack();
  await stack.write([group("north", { description: "one" })]);
  await stack.apply();
  await editOutOfBand("north", { name: "north", description: "by hand" });
  await stack.write([group("north", { description: "two" })]);
  const reported = await explain("UserGroup/north");
  expect(reported.fields.filter(({ inSync: alike }) => !alike)).toEqual([
    {
      field: "description",
      declared: "two",
      lastApplied: "one",
      live: "by hand",
      hidden: false,
      unverified: false,
      inSync: false,
    },
  ]);
  expect(reported.change).toMatchObject({
    action: "update",
    direction: "conflict",
    fields: [{ path: "/description", base: "one" }],
  });
  expect(reported.obstacles).toEqual([]);
  const text = explanationPage(reported);
  expect(text).toContain("documents.yaml:1:1");
  expect(text).toMatch(/owned {5}id \d+, applied /u);
  expect(text).toContain('    last applied "one"');
  expect(text).toContain('(changed here and on the server; last applied: "one")');
});

it("counts a declared value as alike only where it was applied and is live", async () => {
  await openStack();
  const tenant: Doc = { kind: "EmbedTenant", name: "acme", spec: { name: "acme-tenant" } };
  const viewers = (more: JsonObject): Doc => {
    return { kind: "EmbedGroup", name: "v", spec: { embedTenant: "acme", name: "v", ...more } };
  };
  await stack.write([tenant, viewers({})]);
  await stack.apply();
  await stack.write([tenant, viewers({ description: "zz" })]);
  const reported = await explain("EmbedGroup/v");
  expect(reported.fields.filter(({ inSync: alike }) => !alike)).toMatchObject([
    { field: "description", declared: "zz", lastApplied: undefined, live: undefined },
  ]);
  expect(explanationPage(reported)).toContain("in sync: 2 of 3 fields");
  await stack.apply();
  const after = await explain("EmbedGroup/v");
  expect(after.fields.every(({ inSync: alike }) => alike)).toBe(true);
  await stack.write([tenant, viewers({})]);
  expect(explanationPage(await explain("EmbedGroup/v"))).toContain(
    "  in sync: 2 of 3 fields\n  not declared: description\n",
  );
});

it("shows a closed window with its next opening, and only if there is something to write", async () => {
  await openStack({
    windows: [
      {
        effect: "allow",
        schedule: "0 9 * * mon-fri",
        duration: "8h",
        reason: "office",
        owner: "ops",
      },
    ],
  });
  await stack.write([group("north")]);
  const reported = await explain("UserGroup/north");
  expect(reported.obstacles).toEqual([
    {
      code: "window",
      reason: "outside the windows of the Stack that allow changes (office)",
      remedy: "Wait until 2026-11-23T09:00:00Z, or ask ops.",
    },
  ]);
  expect(explanationPage(reported)).toContain("blocked: outside the windows of the Stack");
  await stack.apply({ now: () => new Date("2026-11-20T12:00:00Z") });
  expect(await explain("UserGroup/north")).toMatchObject({ obstacles: [], change: undefined });
});

it("shows protection, and that others too use up the delete limit", async () => {
  await openStack({ maxDeletes: 1 });
  await stack.write([group("north", {}, { protect: true }), group("south"), group("east")]);
  await stack.apply();
  await stack.write([group("east")]);
  const north = await explain("UserGroup/north");
  expect(north.declared).toBeUndefined();
  expect(north.owned?.lifecycle).toEqual({ protect: true });
  expect(obstacleCodes(north)).toEqual(["protected", "delete-limit"]);
  expect(north.obstacles[0]?.remedy).toContain("svc protect --off");
  expect(obstacleCodes(await explain("UserGroup/south"))).toEqual(["delete-limit", "plan"]);
});

it("shows what is required and impossible, and what has no owner", async () => {
  await openStack();
  const tenant: Doc = { kind: "EmbedTenant", name: "acme", spec: { name: "acme-tenant" } };
  const inside: Doc = {
    kind: "EmbedGroup",
    name: "viewers",
    spec: { embedTenant: "acme", name: "viewers" },
  };
  await stack.write([tenant]);
  await stack.apply();
  await stack.loseInventory();
  await stack.write([tenant, inside]);
  const acme = await explain("EmbedTenant/acme");
  expect(obstacleCodes(acme)).toEqual(["not-owned", "plan"]);
  expect(acme.owned).toBeUndefined();
  expect(acme.live?.id).toBeDefined();
  const viewers = await explain("EmbedGroup/viewers");
  expect(obstacleCodes(viewers)).toEqual(["dependency", "plan"]);
  expect(viewers.obstacles[0]?.remedy).toBe("See `svc why EmbedTenant/acme`.");
  expect(viewers.obstacles[1]?.reason).toMatch(/, and 1 more error$/u);
  const adopted = await explain("EmbedGroup/viewers", { adopt: () => true });
  expect(adopted.obstacles).toEqual([]);
});

it("shows the ignore rules", async () => {
  await openStack();
  const ignore = [{ path: "/spec/description", reason: "edited by hand", expires: "2027-03-01" }];
  await stack.write([group("north", { description: "one" }, { ignore })]);
  await stack.apply();
  await editOutOfBand("north", { name: "north", description: "by hand" });
  const reported = await explain("UserGroup/north");
  expect(reported.change).toBeUndefined();
  expect(reported.notes.map(({ code }) => code)).toEqual(["ignored-difference", "last-change"]);
  expect(explanationPage(reported)).toContain(
    "ignore /spec/description: edited by hand, until the end of 2027-03-01",
  );
});

it("shows no secret", async () => {
  await openStack();
  const [deployment] = everyKind.filter(({ kind }) => kind === "Deployment");
  if (deployment === undefined) throw new Error("there is no example");
  const secret: Doc = {
    kind: "EnvironmentVariable",
    name: "password",
    spec: { deployment: deployment.name, name: "DB_PASSWORD", value: "hunter2-value" },
  };
  await stack.write([deployment, secret]);
  await stack.apply();
  const reported = await explain("EnvironmentVariable/password");
  const value = reported.fields.find(({ field }) => field === "value");
  expect(value).toEqual({ field: "value", hidden: true, unverified: true, inSync: true });
  expect(explanationPage(reported)).toContain(
    "  in sync: 2 of 3 fields\n  cannot be verified: value\n",
  );
  expect(JSON.stringify(reported) + explanationPage(reported)).not.toContain("hunter2-value");
});

it("knows only what is declared or owned", async () => {
  await openStack();
  await stack.write([group("north")]);
  await expect(explain("UserGroup/nroth")).rejects.toMatchObject({
    code: "not_found",
    remedy: "Did you mean UserGroup/north?",
  });
});
