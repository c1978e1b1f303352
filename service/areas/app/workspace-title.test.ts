// Tests which title of the workspace a language selects.
import { expect, it } from "vitest";
import { acceptedLanguages, workspaceTitle } from "./workspace-title.ts";

const creatorMode = {
  workspaceTitle: "Analytics",
  localizedTitles: [
    { locale: "de", title: "Auswertungen" },
    { locale: "pt-BR", title: "Análises" },
  ],
};

it.each([
  ["de", "Auswertungen"],
  ["de-AT", "Auswertungen"],
  ["PT-br", "Análises"],
  ["pt", "Analytics"],
  ["fr", "Analytics"],
  ["", "Analytics"],
])("comes from the language or its parent, else the general one: %s", (language, title) => {
  expect(workspaceTitle({ creatorMode }, [language])).toBe(title);
});

it("comes from the first language with one", () => {
  expect(workspaceTitle({ creatorMode }, ["fr", "pt-BR", "de"])).toBe("Análises");
});

it("is empty where the account hides it, or has none", () => {
  expect(
    workspaceTitle({ creatorMode: { ...creatorMode, showWorkspaceTitle: false } }, ["de"]),
  ).toBeUndefined();
  expect(workspaceTitle({}, ["de"])).toBeUndefined();
});

it("reads languages by preference, without those that are not acceptable", () => {
  expect(acceptedLanguages("fr;q=0.5, de-CH, en;q=0, *;q=0.1,de ; q=0.9")).toEqual([
    "de-CH",
    "de",
    "fr",
    "*",
  ]);
  expect(acceptedLanguages(undefined)).toEqual([]);
});
