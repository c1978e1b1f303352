// Tests the graph of a stack: layers, dependencies, and the Graphviz format.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { graph } from "../../reconciler/verbs/graph.ts";
import { noGrants } from "../../reconciler/operator/grants.ts";
import { graphDot, graphText } from "../../reconciler/report/graph-text.ts";
import { kinds } from "../../resources/index.ts";
import { documentText } from "../support/test-stack.ts";

it("lists documents without dependencies first, and every document with its dependencies", async () => {
  const folder = await mkdtemp(join(tmpdir(), "svc-graph-"));
  try {
    const documents = [
      { kind: "EmbedGroup", name: "viewers", spec: { embedTenant: "acme", name: "viewers" } },
      { kind: "EmbedTenant", name: "acme", spec: { name: "acme-corp" } },
      { kind: "UserGroup", name: "sellers", spec: { name: "sellers" } },
    ];
    const stack = { apiVersion: "svc/v1", kind: "Stack", metadata: { name: "shop" } };
    const texts = [JSON.stringify(stack), ...documents.map((one) => documentText(one))];
    await writeFile(join(folder, "stack.yaml"), texts.join("\n---\n"));
    const options = {
      paths: [folder],
      cwd: folder,
      kinds,
      variables: {},
      grants: noGrants,
      env: {},
    };
    const result = await graph(options);
    if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
    expect(graphText(result)).toBe(
      [
        "1.",
        "  EmbedTenant/acme",
        "  UserGroup/sellers",
        "",
        "2.",
        "  EmbedGroup/viewers  depends on EmbedTenant/acme",
        "",
        "Stack shop: 3 objects in 2 layers, 1 dependency.",
      ].join("\n"),
    );
    expect(graphDot(result)).toContain('  "EmbedGroup/viewers" -> "EmbedTenant/acme";');
    await writeFile(join(folder, "stack.yaml"), "kind: [");
    expect((await graph(options)).ok).toBe(false);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
