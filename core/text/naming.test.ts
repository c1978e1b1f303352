// Tests the suggestions for misspelled names.
import { expect, it } from "vitest";
import {
  choicesRemedy,
  closestMatch,
  didYouMean,
  lowerFirst,
  upperFirst,
  oneTypoMatch,
  quoted,
  sentences,
} from "./naming.ts";

it("suggests for a short name what differs in one letter, or the only longer name", () => {
  expect(closestMatch("eq", ["in", "equals", "notEquals"])).toBe("equals");
  expect(closestMatch("deb", ["dev", "prod"])).toBe("dev");
  expect(closestMatch("foo", ["bar", "for-all"])).toBeUndefined();
});

it("counts a letter at another place as one edit", () => {
  expect(oneTypoMatch("tpye", ["type"])).toBe("type");
  expect(oneTypoMatch("tpyes", ["type"])).toBeUndefined();
});

it("prefers two swapped neighbours to two other edits", () => {
  expect(closestMatch("tpye", ["tape", "typo", "type"])).toBe("type");
});

it("suggests the nearest name as the caller writes it, or nothing", () => {
  expect(didYouMean("lien", ["line", "bar"])).toBe("Did you mean line?");
  expect(didYouMean("lien", ["line", "bar"], quoted)).toBe('Did you mean "line"?');
  expect(didYouMean("lien", ["bar"])).toBeUndefined();
});

it("lists the choices after the nearest", () => {
  expect(choicesRemedy("lien", ["line", "bar"])).toBe("Did you mean line? Use one of line, bar.");
  expect(choicesRemedy("number", ["line", "bar"])).toBe("Use one of line, bar.");
  expect(choicesRemedy("tcsh", ["bash", "fish"])).toBe("Use one of bash, fish.");
  expect(choicesRemedy("deb", ["dev"])).toBe("Did you mean dev?");
  expect(choicesRemedy("prod", ["dev"])).toBe("Use dev.");
});

it("joins the sentences that there are", () => {
  expect(sentences(undefined, "One.", "", "Two.")).toBe("One. Two.");
});

it("begins in lower case, except with an abbreviation", () => {
  expect(["Tabs are", "YAML is", "a"].map(lowerFirst)).toEqual(["tabs are", "YAML is", "a"]);
  expect(["tabs are", "YAML is", ""].map(upperFirst)).toEqual(["Tabs are", "YAML is", ""]);
});
