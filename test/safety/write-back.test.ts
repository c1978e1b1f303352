// Tests writing live values into the files of a stack: only the differing fields change, and no template, overlay or secret.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { updateStack } from "../../reconciler/export/update.ts";
import { replaceFile } from "../../reconciler/export/write.ts";
import type { VerbOptions } from "../../reconciler/verbs/session.ts";
import { adopt } from "../../reconciler/adopt.ts";
import { apply } from "../../reconciler/apply.ts";
import { plan } from "../../reconciler/plan.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { changeSummaries, makeStack } from "../support/test-stack.ts";

const head = [
  "apiVersion: svc/v1",
  "kind: Stack",
  "metadata: { name: written }",
  "spec:",
  "  manifests: ['*.yaml']",
  "  variables: { team: growth }",
  "  overlays:",
  "    - { target: { name: patched }, patch: { spec: { description: by overlay } } }",
  "",
].join("\n");

const groups = [
  "# Groups, by hand.",
  "apiVersion: svc/v1",
  "kind: UserGroup",
  "metadata: { name: plain }      # its address",
  "spec:",
  "  name:        plain",
  '  description: "as declared"   # shown to people',
  "---",
  "apiVersion: svc/v1",
  "kind: UserGroup",
  "metadata: { name: templated }",
  "spec: { name: '${team}-templated', description: 'of ${team}' }",
  "---",
  "apiVersion: svc/v1",
  "kind: UserGroup",
  "metadata: { name: patched }",
  "spec: { name: patched }",
  "---",
  "apiVersion: svc/v1",
  "kind: UserGroup",
  "metadata: { name: gone }",
  "spec: { name: gone }",
  "",
].join("\n");

const user = [
  "apiVersion: svc/v1",
  "kind: User",
  "metadata: { name: jane }",
  "spec:",
  "  email: jane@corp.example",
  "  username: jane",
  "  groups: # in no order",
  "    - templated  # her team",
  "    - plain",
  "",
].join("\n");

let service: TestService;
let folder: string;
let options: VerbOptions;

beforeAll(async () => {
  service = await startService();
  const created = await makeStack({ url: service.url, key: service.adminKey });
  folder = await mkdtemp(join(tmpdir(), "svc-written-"));
  options = { ...created.options, paths: [folder], cwd: folder };
  await created.dispose();
  for (const [name, text] of Object.entries({
    "stack.yaml": head,
    "groups.yaml": groups,
    "people.yaml": user,
  })) {
    await writeFile(join(folder, name), text);
  }
  await apply({ ...options, approve: async () => true });
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await service.close();
});

async function groupIds(): Promise<Readonly<Record<string, number>>> {
  const { body } = await service.send("GET", "/api/v1/user-groups");
  const { items } = body as { items: readonly { id: number; name: string }[] };
  return Object.fromEntries(items.map(({ id, name }) => [name, id]));
}

/** Writes back. Returns the changed files and the diagnostics. */
async function update(more: { readonly onlyDeclared?: true } = {}) {
  const only = ["UserGroup", "User"];
  const done = await updateStack({ ...options, split: "kind", only, ...more });
  if (!done.ok) throw new Error(JSON.stringify(done.diagnostics));
  for (const file of done.files) replaceFile(file.path, file.text);
  const reported = done.diagnostics.filter(({ code }) => code === "not-written-back");
  return {
    changed: done.changed,
    added: done.added,
    reported: reported.map(({ summary }) => summary),
  };
}

const read = (name: string) => readFile(join(folder, name), "utf8");

describe("a write-back", () => {
  it("changes nothing where nothing differs", async () => {
    const first = await update();
    expect(first).toEqual({ changed: {}, added: ["User/admin-svc.localhost"], reported: [] });
    expect(await read("groups.yaml")).toBe(groups);
    expect(await read("people.yaml")).toBe(user);
    expect(await update()).toEqual({ changed: {}, added: [], reported: [] });
  });

  it("writes the changed fields into their lines, and reports what it leaves", async () => {
    const ids = await groupIds();
    const redescribe = (name: string, description: string) =>
      service.send("PATCH", `/api/v1/user-groups/${ids[name]}`, { body: { description } });
    await redescribe("plain", "${edited} by hand");
    await redescribe("growth-templated", "edited too");
    await redescribe("patched", "edited as well");
    await service.send("DELETE", `/api/v1/user-groups/${ids["gone"]}`);
    await service.send("POST", "/api/v1/user-groups", { body: { name: "new" } });
    const { body } = await service.send("GET", "/api/v1/users");
    const { items } = body as { items: readonly { id: number; email: string }[] };
    const id = items.find(({ email }) => email === "jane@corp.example")?.id;
    await service.send("PUT", `/api/v1/users/${id}/groups`, { body: { groups: ["plain", "new"] } });

    const done = await update();
    expect(done.changed).toEqual({ "UserGroup/plain": ["/description"], "User/jane": ["/groups"] });
    expect(done.added).toEqual(["UserGroup/new"]);
    const left = "is not updated";
    expect(done.reported).toEqual([
      `/description of UserGroup/templated ${left}: a template or a secret source provides the value`,
      `/description of UserGroup/patched ${left}: an overlay changes the document`,
      `UserGroup/gone ${left}: it is not on the server; its document is kept`,
    ]);
    expect(await read("groups.yaml")).toBe(
      groups.replace('"as declared"', () => '"$${edited} by hand"'),
    );
    expect(await read("people.yaml")).toBe(
      user
        .replace("    - templated  # her team\n", "")
        .replace("    - plain\n", "    - plain\n    - new\n"),
    );
    expect(await read("user-groups.yaml")).toContain("name: new");

    await adopt(options);
    const planned = await plan(options);
    if (!planned.ok) throw new Error(JSON.stringify(planned.diagnostics));
    expect(
      changeSummaries(planned.plan.changes.filter(({ action }) => action !== "none")).toSorted(),
    ).toEqual([
      "create UserGroup/gone",
      "update UserGroup/patched /description",
      "update UserGroup/templated /description",
    ]);
  });

  it("adds nothing where only what is declared is asked for, and names the others as external", async () => {
    await service.send("POST", "/api/v1/user-groups", { body: { name: "undeclared" } });
    const { body } = await service.send("GET", "/api/v1/users");
    const { items } = body as { items: readonly { id: number; email: string }[] };
    const id = items.find(({ email }) => email === "jane@corp.example")?.id;
    const moved = { groups: ["plain", "undeclared"] };
    await service.send("PUT", `/api/v1/users/${id}/groups`, { body: moved });
    const done = await update({ onlyDeclared: true });
    expect([done.added, done.changed["User/jane"]]).toEqual([[], ["/groups"]]);
    expect(await read("people.yaml")).toMatch(/- \{ *external: undeclared *\}/u);
    expect((await plan(options)).ok).toBe(true);
  });

  it("keeps a list out of the document of a user whose memberships are declared one by one", async () => {
    for (const name of ["first", "second"])
      await service.send("POST", "/api/v1/user-groups", { body: { name } });
    const created = await service.send("POST", "/api/v1/users", {
      body: { username: "sam", email: "sam@corp.example" },
    });
    const { id } = created.body as { id: number };
    const member = { body: { groups: ["first", "second"] } };
    expect((await service.send("PUT", `/api/v1/users/${id}/groups`, member)).status).toBe(200);
    const stack = await makeStack({ url: service.url, key: service.adminKey, name: "memberships" });
    try {
      const spec = { group: { external: "first" }, user: { external: "sam@corp.example" } };
      await stack.write([{ kind: "GroupMembership", name: "sam-first", spec }]);
      await stack.apply({ adopt: () => true });
      const only = ["User", "GroupMembership"];
      const written = await updateStack({ ...stack.options, only, split: "kind" });
      if (!written.ok) expect.fail(JSON.stringify(written.diagnostics));
      expect(written.added.filter((name) => name.includes("sam"))).toEqual([
        "User/sam-corp.example",
        "GroupMembership/second-sam-corp.example",
      ]);
      expect(written.added.filter((name) => name.startsWith("GroupMembership/"))).toHaveLength(1);
      for (const file of written.files) replaceFile(file.path, file.text);
      const planned = await plan(stack.options);
      expect(planned.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    } finally {
      await stack.dispose();
    }
  });

  it("adds nothing that another stack of the same store owns, and says how much that is", async () => {
    const at = { url: service.url, key: service.adminKey, inventory: "service" };
    const [ours, others] = [
      await makeStack({ ...at, name: "ours" }),
      await makeStack({ ...at, name: "others" }),
    ];
    const group = (name: string) => ({ kind: "UserGroup", name, spec: { name } });
    try {
      await ours.write([group("kept-by-ours")]);
      await ours.apply();
      await others.write([group("kept-by-others")]);
      await others.apply();
      const written = await updateStack({ ...ours.options, only: ["UserGroup"], split: "kind" });
      if (!written.ok) expect.fail(JSON.stringify(written.diagnostics));
      expect(written.added).not.toContain("UserGroup/kept-by-others");
      expect(written.diagnostics).toContainEqual(
        expect.objectContaining({ code: "owned-by-other-stack", severity: "info" }),
      );
    } finally {
      await ours.dispose();
      await others.dispose();
    }
  });
});
