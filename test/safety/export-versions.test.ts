// Tests that an export omits a version which follows a channel, and writes a version that is on hold.
import { expect, it } from "vitest";
import { exportStack } from "../../reconciler/export/export.ts";
import { kinds } from "../../resources/index.ts";
import { startService } from "../support/test-service.ts";
import { makeStack } from "../support/test-stack.ts";

it("a version on a channel is left out with a note, and under a hold it is written", async () => {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  try {
    const deployment = (name: string, release: Readonly<Record<string, string | boolean>>) => ({
      kind: "Deployment",
      name,
      spec: { name, region: "aws-us-east-1", release },
    });
    await stack.write([
      deployment("following", { channel: "release" }),
      deployment("held", { channel: "release", hold: true }),
    ]);
    await stack.apply();
    const { connection } = stack.options;
    const exported = await exportStack({
      connection,
      kinds,
      only: ["Deployment"],
      split: "one",
      stack: "taken",
    });
    const text = exported.files.map((file) => file.text).join("\n");
    const releaseOf = (name: string) =>
      new RegExp(`name: ${name}\\nspec:[^]*?release:\\n((?: {4}.*\\n?)*)`, "u").exec(text)?.[1];
    expect(releaseOf("following")).toBe("    channel: release\n    hold: false\n");
    expect(releaseOf("held")).toMatch(
      /^ {4}channel: release\n {4}version: [\d.]+\n {4}hold: true\n$/u,
    );
    expect(
      exported.diagnostics.filter(({ summary }) => summary.includes("changes on its own")),
    ).toMatchObject([
      {
        code: "not-exported",
        severity: "info",
        summary: expect.stringContaining("release.version of"),
      },
    ]);
  } finally {
    await stack.dispose();
    await service.close();
  }
});
