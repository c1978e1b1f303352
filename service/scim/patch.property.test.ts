// Generated patches: they change a user in the same way as a naive model of values.
import fc from "fast-check";
import { expect, test } from "vitest";
import { equal, type JsonObject } from "../../core/json.ts";
import { propertyRuns } from "../../test/support/arbitrary-values.ts";
import { userType } from "./attributes.ts";
import { applyChanges, attributeChanges, patchOperations } from "./patch.ts";

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

interface Email {
  value?: string;
  type?: string;
  primary?: boolean;
}

/** The values that a patch can change here: single values by path, and emails. */
interface Model {
  readonly single: Map<string, string>;
  emails: Email[];
}

/** An operation in a request, and its effect on the model. */
interface Step {
  readonly sent: object;
  readonly apply: (model: Model) => void;
}

const value = fc.constantFrom("a", "b", "c");
const type = fc.constantFrom("work", "home");
const path = fc.constantFrom(
  "title",
  "name.givenName",
  "name.familyName",
  `${enterprise}:department`,
  `${enterprise}:manager.value`,
);
const set = fc.constantFrom("add", "Replace", "Add", "replace");
const email = fc.record({ value, type, primary: fc.boolean() }, { requiredKeys: ["value"] });
const emails = fc
  .array(email, { minLength: 1, maxLength: 3 })
  .filter((list) => list.filter(({ primary }) => primary === true).length < 2);

/** Keeps only the email that became primary last as the primary one. */
function makePrimary(model: Model, latest: Email | undefined): void {
  if (latest?.primary !== true) return;
  for (const one of model.emails) {
    if (one !== latest && one.primary === true) one.primary = false;
  }
}

function addEmails(model: Model, given: readonly Email[]): void {
  let latest: Email | undefined;
  for (const one of given) {
    if (model.emails.some((other) => equal({ ...other }, { ...one }))) continue;
    const fresh = { ...one };
    model.emails.push(fresh);
    if (fresh.primary === true) latest = fresh;
  }
  makePrimary(model, latest);
}

function setEmail(model: Model, wanted: string, change: Email): void {
  const matching = model.emails.filter((one) => one.type === wanted);
  if (matching.length === 0) model.emails.push({ type: wanted, ...change });
  for (const one of matching) Object.assign(one, change);
}

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(set, path, value).map<Step>(([op, at, given]) => ({
    sent: { op, path: at.toUpperCase(), value: given },
    apply: ({ single }) => void single.set(at, given),
  })),
  fc.tuple(set, path, value).map<Step>(([op, at, given]) => ({
    sent: { op, value: { [at]: given } },
    apply: ({ single }) => void single.set(at, given),
  })),
  fc.tuple(fc.constantFrom("remove", "Remove"), path).map<Step>(([op, at]) => ({
    sent: { op, path: at },
    apply: ({ single }) => void single.delete(at),
  })),
  fc.tuple(set, value, value).map<Step>(([op, givenName, familyName]) => ({
    sent: { op, path: "name", value: { givenName, familyName, unknown: "x" } },
    apply: ({ single }) => {
      single.set("name.givenName", givenName).set("name.familyName", familyName);
    },
  })),
  fc.constant<Step>({
    sent: { op: "remove", path: "name" },
    apply: ({ single }) => {
      single.delete("name.givenName");
      single.delete("name.familyName");
    },
  }),
  emails.map<Step>((given) => ({
    sent: { op: "add", path: "emails", value: given },
    apply: (model) => addEmails(model, given),
  })),
  emails.map<Step>((given) => ({
    sent: { op: "replace", value: { emails: given } },
    apply: (model) => void (model.emails = given.map((one) => ({ ...one }))),
  })),
  fc.tuple(set, type, value).map<Step>(([op, wanted, given]) => ({
    sent: { op, path: `emails[type eq "${wanted}"].value`, value: given },
    apply: (model) => setEmail(model, wanted, { value: given }),
  })),
  type.map<Step>((wanted) => ({
    sent: { op: "remove", path: `emails[type eq "${wanted}"]` },
    apply: (model) => (model.emails = model.emails.filter((one) => one.type !== wanted)),
  })),
  value.map<Step>((removed) => ({
    sent: { op: "remove", path: "emails", value: [{ value: removed }] },
    apply: (model) => (model.emails = model.emails.filter((one) => one.value !== removed)),
  })),
  fc.constant<Step>({
    sent: { op: "remove", path: "emails.type" },
    apply: (model) => {
      for (const one of model.emails) delete one.type;
    },
  }),
  fc.constantFrom("password", "roles", "urn:acme:2.0:User:x").map<Step>((unknown) => ({
    sent: { op: "add", path: unknown, value: "x" },
    apply: () => undefined,
  })),
);

/** Returns the resource that the model represents. */
function resourceOf({ single, emails: list }: Model): JsonObject {
  const at = (wanted: string) => single.get(wanted);
  const object = (members: Readonly<Record<string, unknown>>): JsonObject | undefined => {
    const entries = Object.entries(members).filter(([, one]) => one !== undefined);
    return entries.length === 0 ? undefined : (Object.fromEntries(entries) as JsonObject);
  };
  const manager = object({ value: at(`${enterprise}:manager.value`) });
  return object({
    userName: "ann",
    active: true,
    title: at("title"),
    name: object({ givenName: at("name.givenName"), familyName: at("name.familyName") }),
    emails: list.length === 0 ? undefined : list,
    [enterprise]: object({ department: at(`${enterprise}:department`), manager }),
  }) as JsonObject;
}

test("a patch changes a user as the model says", () => {
  fc.assert(
    fc.property(fc.array(steps, { minLength: 1, maxLength: 12 }), (all) => {
      const model: Model = { single: new Map(), emails: [] };
      for (const { apply } of all) apply(model);
      const operations = patchOperations({ Operations: all.map(({ sent }) => sent as JsonObject) });
      const before: JsonObject = { userName: "ann", active: true };
      const after = applyChanges(userType, before, attributeChanges(userType, operations));
      expect(after).toEqual(resourceOf(model));
      expect(before).toEqual({ userName: "ann", active: true });
    }),
    propertyRuns(3),
  );
});
