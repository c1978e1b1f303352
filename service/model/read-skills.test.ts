// Skills of agents: front matter, names, and errors with their places.
import { expect, it } from "vitest";
import { compileModel } from "./compile.ts";
import { Problems } from "./problems.ts";
import { readSkills } from "./read-skills.ts";

const file = (path: string, content: string) => ({ path: `agents/skills/${path}`, content });

it("are read by name, with a title and an optional input", () => {
  const problems = new Problems();
  const files = [
    file("weekly.md", "---\ndescription: Compares weeks.\n---\n# Steps\n---\nOne.\n"),
    file(
      "sales/by-region.MD",
      "---\r\ntitle: By region\r\ndescription: x\r\nspace: sales\r\ninput: A region\r\n---",
    ),
  ];
  expect(readSkills(files, problems)).toEqual([
    { name: "by-region", title: "By region", description: "x", space: "sales", input: "A region" },
    { name: "weekly", title: "weekly", description: "Compares weeks." },
  ]);
  expect(problems.count).toBe(0);
});

it("have the name in their file, if it has one, which is unique", () => {
  const problems = new Problems();
  const found = readSkills(
    [
      file("one.md", "---\nname: weekly\ndescription: x\n---\n"),
      file("weekly.md", "---\ndescription: y\n---\n"),
    ],
    problems,
  );
  expect(found).toEqual([{ name: "weekly", title: "weekly", description: "x" }]);
  expect(problems.count).toBe(1);
});

it("fail a build with all their errors at their places", () => {
  const { model, errors } = compileModel([
    file("bare.md", "# No front matter\n"),
    file("open.md", "---\ndescription: never closed\n"),
    file("syntax.md", "---\ndescription: [a\n---\n"),
    file("fields.md", "---\ntitle: 7\nrole: x\n---\n"),
    file("a/twice.md", "---\ndescription: x\n---\n"),
    file("b/twice.md", "---\ndescription: x\n---\n"),
    { path: "agents/rules/any.md", content: "ignored" },
  ]);
  expect(model).toBeUndefined();
  const found = errors.map(
    ({ fileName, line, column, message }) => `${fileName}:${line}:${column}: ${message}`,
  );
  expect(found).toEqual([
    expect.stringMatching(/^agents\/skills\/b\/twice\.md:1:1: the skill twice is declared in /u),
    expect.stringMatching(/^agents\/skills\/bare\.md:1:1: a skill begins with front matter/u),
    expect.stringMatching(/^agents\/skills\/fields\.md:\d:\d: description /u),
    expect.stringMatching(/^agents\/skills\/fields\.md:2:8: title /u),
    expect.stringMatching(/^agents\/skills\/fields\.md:3:1: role /u),
    expect.stringMatching(/^agents\/skills\/open\.md:1:1: a skill begins/u),
    expect.stringMatching(/^agents\/skills\/syntax\.md:3:1: YAML syntax: flow sequence in /u),
  ]);
});
