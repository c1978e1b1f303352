// Tests faults with real Terraform: interrupts, failing servers and invalid configurations, and that state and logs contain
// no secrets.
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { liveState } from "../../support/live-state.ts";
import type { Proxy } from "../../support/fault-proxy.ts";
import type { TestService } from "../../support/test-service.ts";
import {
  providerConfiguration,
  describeWithEngines,
  type Workspace,
} from "../../engines/terraform-workspace.ts";
import {
  type FixtureOptions,
  initWorkspace,
  setUpTerraformFixture,
} from "../../engines/terraform-fixture.ts";
import { listen } from "../../support/listen.ts";

describeWithEngines("faults", (engine) => {
  let service: TestService;
  let proxy: Proxy;
  let workspace: Workspace;
  setUpTerraformFixture(engine, (fixture) => {
    ({ service, proxy, workspace } = fixture);
  });

  async function workspaceFor(
    url: string,
    { env: more, ...options }: FixtureOptions = {},
  ): Promise<Workspace> {
    const env = { SVC_API_URL: url, SVC_API_KEY: service.adminKey, ...more };
    return initWorkspace(engine, { env, ...options });
  }

  const groups = (count: number, more: JsonObject = {}): JsonObject =>
    providerConfiguration({
      ...more,
      resource: {
        svc_user_group: Object.fromEntries(
          Array.from({ length: count }, (_, at) => [`g${at}`, { name: `group-${at}` }]),
        ),
      },
    });

  it("an interrupted apply keeps created objects in the state, and the next apply creates only the others", async () => {
    await workspace.write(groups(20));
    const running = workspace.start("apply", "-auto-approve", "-parallelism=1");
    proxy.arm(3, async () => {
      running.interrupt();
      await sleep(500);
      return "pass";
    });
    const stopped = await running.ended;
    expect(stopped.code).not.toBe(0);
    expect(stopped.output).not.toContain("Plugin did not respond");
    const created = Object.keys(await liveState(service)).filter((name) =>
      name.startsWith("UserGroup/"),
    );
    const listed = await workspace.run("state", "list");
    expect(listed.output.split("\n").filter((line) => line !== "")).toHaveLength(created.length);
    expect(created.length).toBeLessThan(20);
    proxy.arm();
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    const all = Object.entries(await liveState(service)).filter(([name]) =>
      name.startsWith("UserGroup/"),
    );
    expect(all).toHaveLength(20);
    expect(all.every(([, spec]) => spec !== "twice")).toBe(true);
  });

  it("reports a lost response and does not create the object twice", async () => {
    await workspace.write(groups(1));
    proxy.arm(1, "lose-answer");
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    proxy.arm();
    expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });

  it("refuses to create an existing object and shows its import id", async () => {
    await service.send("POST", "/api/v1/user-groups", { body: { name: "group-0" } });
    await workspace.write(groups(1));
    const { code, output } = await workspace.run("apply", "-auto-approve");
    expect(code).toBe(1);
    expect(output).toContain("UserGroup group-0 already exists");
    expect(output).toContain("Import it with the id group-0");
  });

  it.each([
    [500, "500"],
    [429, "429"],
    [401, "Check that the credential belongs to this server"],
    [undefined, "Check the URL, and that the server is running"],
  ] as const)(
    "reports a server that responds with %s before anything else",
    async (status, message) => {
      const server = createServer((_, answer) => {
        answer.writeHead(status ?? 200, { "content-type": "application/json" });
        answer.end("{}");
      });
      const url = await listen(server);
      if (status === undefined) server.close();
      const other = await workspaceFor(url);
      try {
        await other.write(groups(1, { provider: { svc: { retries: 0 } } }));
        const { code, output } = await other.run("plan");
        expect(code).toBe(1);
        expect(output).toContain("Cannot connect to the server");
        expect(output.replace(/\s+/g, " ")).toContain(message);
        expect(output).not.toContain("    at ");
      } finally {
        await other.dispose();
        server.closeAllConnections();
        server.close();
      }
    },
  );

  it("points to the exact attribute of an error", async () => {
    const deployment = { name: "d", region: "r", release: { version: "latest" } };
    await workspace.write(
      providerConfiguration({
        resource: { svc_deployment: { d: deployment }, svc_user_group: { g: { name: "" } } },
      }),
    );
    const { code, output } = await workspace.run("validate", "-json");
    expect(code).toBe(1);
    const { diagnostics } = JSON.parse(output) as { diagnostics: UiDiagnostic[] };
    const locations = diagnostics.map(({ detail, range, snippet }) => [
      detail.split(/ (?:must|has) /u)[0],
      lineAt(workspace.text, range.start.line),
      snippet.context,
    ]);
    expect(locations.toSorted(([one = ""], [other = ""]) => one.localeCompare(other))).toEqual([
      ["name", '"name": ""', "resource.svc_user_group.g"],
      ["release.version", '"version": "latest"', "resource.svc_deployment.d.release"],
    ]);
  });

  it("points into nested values of an HCL configuration, as far as Terraform resolves them", async () => {
    const text = `resource "svc_deployment" "d" {
  name   = "d"
  region = "r"
  release = {
    version = "latest"
  }
}
resource "svc_notification" "n" {
  deployment = "main"
  workbook   = "w"
  schedule   = "0 9 * * *"
  filters = [
    { member = "orders.status", operator = "equals" },
    { member = "status", operator = "equals" },
  ]
}
`;
    await writeFile(join(workspace.folder, "by-hand.tf"), text);
    const { code, output } = await workspace.run("validate", "-json");
    expect(code).toBe(1);
    const { diagnostics } = JSON.parse(output) as { diagnostics: UiDiagnostic[] };
    const locations = diagnostics.map(({ detail, range }) => [
      detail.split(/ (?:must|has) /u)[0],
      lineAt(text, range.start.line),
    ]);
    expect(locations.toSorted(([one = ""], [other = ""]) => one.localeCompare(other))).toEqual([
      ["filters[1].member", '{ member = "status", operator = "equals" },'],
      ["release.version", 'version = "latest"'],
    ]);
  });

  it("points to an error in the provider block", async () => {
    await workspace.write(groups(1, { provider: { svc: { auth_scheme: "basic" } } }));
    const { code, output } = await workspace.run("validate");
    expect(code).toBe(1);
    expect(output).toContain('"auth_scheme": "basic"');
    expect(output).toContain("Use bearer or");
  });

  it("masks a secret that the server repeats in a validation error", async () => {
    const secret = 'postgres://svc:"battery"@staple';
    const own = await workspaceFor(proxy.url, { env: { TF_VAR_database: secret } });
    const database = { deployment: "main", name: "DATABASE_URL", value: "${var.database}" };
    try {
      await own.write(
        providerConfiguration({
          variable: { database: { type: "string", ephemeral: true } },
          resource: { svc_environment_variable: { database } },
        }),
      );
      proxy.arm(1, "refuse");
      const { code, output } = await own.run("apply", "-auto-approve");
      expect(code).toBe(1);
      expect(output).toContain("refused body.env_variables[0].value");
      expect(output).not.toContain("battery");
    } finally {
      await own.dispose();
    }
  });

  it("writes no secret to state, plan or log", async () => {
    const secret = "correct-horse-battery-staple";
    const env = { TF_LOG: "TRACE", TF_LOG_PATH: "terraform.log", TF_VAR_token: secret };
    const own = await workspaceFor(proxy.url, { env, startsProvider: true });
    try {
      await own.write(
        providerConfiguration({
          variable: { token: { type: "string", ephemeral: true } },
          resource: {
            svc_environment_variable: {
              token: { deployment: "main", name: "API_TOKEN", value: "${var.token}" },
            },
          },
        }),
      );
      expect(await own.run("plan", "-out=saved.plan")).toMatchObject({ code: 0 });
      const shown = await own.run("show", "-json", "saved.plan");
      expect(shown.code).toBe(0);
      expect(shown.output).not.toContain(secret);
      expect(await own.run("apply", "saved.plan")).toMatchObject({ code: 0 });
      expect(await own.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
      const everything = await own.allText();
      expect(everything).toContain("value_version");
      expect(everything).not.toContain(secret);
    } finally {
      await own.dispose();
    }
  });
});

interface UiDiagnostic {
  readonly detail: string;
  readonly range: { readonly start: { readonly line: number } };
  readonly snippet: { readonly context: string };
}

function lineAt(text: string, at: number): string | undefined {
  return text.split("\n")[at - 1]?.trim();
}
