// Tests that the examples in the documentation of the Terraform provider are correct.
import { expect, it } from "vitest";
import { keyOf } from "../../core/kind/identity.ts";
import { normalize } from "../../core/spec/normalize.ts";
import { readTargetForImport } from "../../provider/bridge/read-target.ts";
import { dataModel } from "../../resources/data-model.ts";
import { terraformType } from "../../core/text/naming.ts";
import { resolveReferences } from "../../scripts/resolve-references.ts";
import { terraformPages } from "../../scripts/terraform-docs.ts";
import { everyKind, everySingleton } from "../support/every-kind.ts";

const docPages = [...terraformPages("1.2.3")];

it("import the example with the import id of the object", () => {
  const objects = resolveReferences([...everyKind, ...everySingleton]);
  const shown = docPages.filter(([path]) => path.includes("/resources/"));
  expect(shown.length).toBeGreaterThan(5);
  for (const [path, text] of shown) {
    const [, type, name, id = ""] = /to = (svc_\w+)\.(\S+)\n {2}id = (.+)\n/.exec(text) ?? [];
    const one = objects.find(
      ({ kind, name: own }) => terraformType(kind.name) === type && own === name,
    );
    if (one === undefined) throw new Error(`${path} imports an object that is not an example`);
    expect([path, JSON.parse(id)]).toEqual([path, keyOf(one.kind, normalize(one.kind, one.spec))]);
  }
});

it("do not import objects without an ID by ID, and contain no manifest syntax", () => {
  const pages = new Map(docPages);
  const page = (type: string) => pages.get(`docs/resources/${type}.md`) ?? "";
  expect(page("role")).toContain("or `id=ID` with the server's id");
  expect(page("embed_user")).toContain("or `embedTenant/id=ID` with the server's id");
  for (const type of ["data_model", "deployment_access", "group_membership", "tenant_settings"]) {
    expect(page(type)).toContain("Use the natural key `");
    expect(page(type)).not.toContain("id=ID");
  }
  expect(docPages.filter(([, text]) => text.includes("external:"))).toEqual([]);
  expect(() => readTargetForImport(dataModel, "main/id=5")).toThrow("is not an import id");
});

it("of data sources do not mention replacement", () => {
  const sources = docPages.filter(([path]) => path.includes("/data-sources/"));
  expect(sources.length).toBeGreaterThan(5);
  expect(sources.filter(([, text]) => text.includes("Changing this forces"))).toEqual([]);
});

it("show the import command and an example of each data source", () => {
  const text = (path: string) => new Map(docPages).get(`docs/${path}.md`);
  const command = "terraform import svc_embed_user.acme-jane 'acme-stores/jane-4711'";
  expect(text("resources/embed_user")).toContain(command);
  expect(text("data-sources/embed_user")).toContain(
    'data "svc_embed_user" "example" {\n  embed_tenant = "acme-stores"\n  external_id  = "jane-4711"\n}',
  );
  expect(text("data-sources/embed_users")).toContain('  embed_tenant = "acme-stores"\n}');
  expect(text("data-sources/user_groups")).toContain('data "svc_user_groups" "example" {}');
});
