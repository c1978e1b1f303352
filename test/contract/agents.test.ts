// Tests the skills of agents: those of the served build of a branch, by space, and who may read them.
import { afterAll, beforeAll, expect, it } from "vitest";
import { build, type ModelService, startModelService } from "./data-model-service.ts";

const path = "/api/v1/deployments/1/agent-skills";

let service: ModelService;
beforeAll(async () => {
  service = await startModelService();
});
afterAll(async () => service.close());

const skill = (more = "", description = "Compares weeks."): string =>
  `---\ndescription: ${description}\n${more}---\nCompare them.\n`;

async function names(query = ""): Promise<readonly string[]> {
  const { status, body } = await service.send("GET", `${path}${query}`);
  expect(status).toBe(200);
  return (body["skills"] as { name: string }[]).map(({ name }) => name);
}

it("come from the build that the environment of a branch serves", async () => {
  expect(await names()).toEqual([]);
  const dev = await service.enter();
  await service.put(skill(), "agents/skills/weekly.md", {});
  await service.put(skill("space: sales\ninput: A region\n"), "agents/skills/by-region.md", {});
  await service.put("not read", "agents/rules/tone.md", {});
  expect(await service.buildEnded(dev)).toMatchObject({ status: "built" });
  const { body } = await service.send("GET", `${path}?branchName=${dev}`);
  expect(body).toEqual({
    skills: [
      {
        name: "by-region",
        title: "by-region",
        description: "Compares weeks.",
        space: "sales",
        input: "A region",
      },
      { name: "weekly", title: "weekly", description: "Compares weeks." },
    ],
  });
  expect(await names(`?branchName=${dev}&space=support`)).toEqual(["weekly"]);
  expect(await names()).toEqual([]);

  // A failed build does not change the served data.
  await service.put("no front matter", "agents/skills/weekly.md", {});
  expect(await service.buildEnded(dev)).toMatchObject({
    status: "failed",
    errorText: expect.stringContaining("agents/skills/weekly.md:1:1: a skill begins with front"),
  });
  expect(await names(`?branchName=${dev}`)).toEqual(["by-region", "weekly"]);
});

it("are refused for a branch that does not exist or is not served, and without the permission", async () => {
  expect((await service.send("GET", `${path}?branchName=none`)).status).toBe(404);
  await service.done("POST", `${build}/branches`, { name: "idle" });
  expect(await service.send("GET", `${path}?branchName=idle`)).toMatchObject({
    status: 400,
    body: { message: "no environment serves the branch idle" },
  });
  const status = async (role: string) =>
    (await service.as(await service.userKey(role)).send("GET", path)).status;
  expect([await status("AIBIUser"), await status("AIBIViewer")]).toEqual([200, 403]);
});
