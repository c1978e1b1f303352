// Plans by example: renames, keys that pass on, what is live and whose it is, removals, losses, refusals.
import { describe, expect, it } from "vitest";
import {
  clearing,
  entryOf,
  house,
  type Planned,
  planFor,
  town,
  wishFor,
} from "../support/planning.ts";

const words = (planned: Planned) =>
  planFor(planned).changes.map(({ action, address, fields }) =>
    [action, address, ...fields.map(({ path }) => path)].join(" "),
  );
const codes = (planned: Planned) => planFor(planned).diagnostics.map(({ code }) => code);
const wish = (name: string, called = name, more = {}) =>
  wishFor(town, name, { spec: { name: called, ...more } });
const entry = (name: string, id: string, called = name) =>
  entryOf(town, name, { spec: { name: called }, id });
const live = (id: string, called: string, more = {}) => ({
  kind: town,
  id,
  spec: { name: called, ...more },
});

describe("a document that was renamed", () => {
  const renamed = { wishes: [wish("new", "ulm")], world: [live("1", "ulm")] };

  it("keeps its object, which is only recorded elsewhere", () => {
    const planned = { ...renamed, entries: [entry("old", "1", "ulm")] };
    expect(words(planned)).toEqual(["none Town/new", "forget Town/old"]);
    expect(planFor(planned).changes[1]?.needs).toEqual(["Town/new"]);
  });

  it("keeps it also when a crash has recorded it at both addresses", () => {
    const entries = [entry("old", "1", "ulm"), entry("new", "1", "ulm")];
    expect(words({ ...renamed, entries })).toEqual(["forget Town/old"]);
    expect(words({ ...renamed, entries: entries.toReversed() })).toEqual(["forget Town/old"]);
  });
});

describe("a document and its object that both get another name", () => {
  const before = {
    world: [live("1", "ulm", { motto: "7" }), live("2", "bonn")],
    entries: [
      entryOf(town, "a", { spec: { name: "ulm", motto: "7" }, id: "1" }),
      entry("b", "2", "bonn"),
    ],
  };
  const said = (wishes: Planned["wishes"], more = {}) =>
    planFor({ ...before, wishes, ...more }).diagnostics.filter(
      ({ code }) => code === "likely-rename",
    );

  it("are told to be one, whether the old one is deleted or kept", () => {
    const wishes = [wish("new", "ulm-2", { motto: "7" }), wish("b", "bonn")];
    const told = {
      address: "Town/new",
      remedy: expect.stringContaining("`movedFrom: Town/a`") as string,
    };
    expect(said(wishes)).toMatchObject([told]);
    expect(said(wishes, { prune: false })).toMatchObject([told]);
  });

  it("are not where they say other things, several are as much alike, or it is said already", () => {
    expect(said([wish("new", "ulm-2", { motto: "8" }), wish("b", "bonn")])).toEqual([]);
    const two = [wish("new", "x", { motto: "7" }), wish("newer", "y", { motto: "7" })];
    expect(said([...two, wish("b", "bonn")])).toEqual([]);
    const moved = { ...wish("new", "ulm-2", { motto: "7" }), rules: { movedFrom: "Town/a" } };
    expect(said([moved, wish("b", "bonn")])).toEqual([]);
  });
});

describe("what is in something that is renamed", () => {
  const home = (name: string, parent: string, called: string) =>
    wishFor(house, name, { spec: { town: called, name: "one" }, needs: [`Town/${parent}`] });
  const inUlm = { town: "ulm", name: "one" };
  const before = {
    world: [live("1", "ulm"), { kind: house, id: "2", spec: inUlm }],
    entries: [entry("a", "1", "ulm"), entryOf(house, "h", { spec: inUlm, id: "2" })],
  };

  it("goes along, and is only recorded under its new key", () => {
    const wishes = [wish("a", "bonn"), home("h", "a", "bonn")];
    expect(words({ ...before, wishes })).toEqual(["update Town/a /name", "none House/h"]);
  });

  it("goes along also when its document is renamed", () => {
    const wishes = [wish("a", "bonn"), home("new", "a", "bonn")];
    expect(words({ ...before, wishes })).toEqual([
      "update Town/a /name",
      "none House/new",
      "forget House/h",
    ]);
  });

  it("is not taken over unasked where nobody owns it", () => {
    const wishes = [wish("a", "bonn"), home("h", "a", "bonn")];
    const planned = { ...before, entries: before.entries.slice(0, 1), wishes };
    expect(words(planned)).toEqual(["update Town/a /name", "refuse House/h"]);
    expect(codes(planned)).toEqual(["not-ours"]);
  });

  it("is made anew where it is wished for in what gets the old name", () => {
    const wishes = [wish("a", "bonn"), wish("b", "ulm"), home("h", "b", "ulm")];
    expect(words({ ...before, wishes })).toEqual([
      "update Town/a /name",
      "create Town/b",
      "replace House/h",
    ]);
  });

  it("is no other document's that is in what gets the old name", () => {
    const wishes = [wish("a", "bonn"), wish("b", "ulm"), home("new", "b", "ulm")];
    expect(words({ ...before, wishes })).toEqual([
      "delete House/h",
      "update Town/a /name",
      "create Town/b",
      "create House/new",
    ]);
  });
});

describe("what is in something that was renamed by another hand, or by a run that was killed", () => {
  const inBonn = { town: "bonn", name: "one" };
  const world = [live("1", "bonn"), { kind: house, id: "2", spec: inBonn }];
  const entries = [
    entry("a", "1", "ulm"),
    entryOf(house, "h", { spec: { ...inBonn, town: "ulm" } }),
  ];
  const home = (called: string) =>
    wishFor(house, "h", { spec: { town: called, name: "one" }, needs: ["Town/a"] });

  it("is still ours", () => {
    expect(words({ world, entries, wishes: [wish("a", "ulm"), home("ulm")] })).toEqual([
      "update Town/a /name",
      "none House/h",
    ]);
    expect(words({ world, entries, wishes: [wish("a", "bonn"), home("bonn")] })).toEqual([
      "none Town/a",
      "none House/h",
    ]);
  });

  it("is deleted where it is no longer declared, with what it is in or alone", () => {
    expect(words({ world, entries, wishes: [wish("a", "bonn")] })).toEqual([
      "none Town/a",
      "delete House/h",
    ]);
    const { changes } = planFor({ world, entries, wishes: [wish("b")] });
    expect(changes.map(({ action, key, carriedBy }) => [action, key, carriedBy])).toEqual([
      ["create", "b", undefined],
      ["delete", "bonn/one", "Town/a"],
      ["delete", "bonn", undefined],
    ]);
  });
});

describe("a key that changes", () => {
  it("renames the object in place where the kind can", () => {
    const [change] = planFor({
      wishes: [wish("a", "bonn")],
      world: [live("1", "ulm")],
      entries: [entry("a", "1", "ulm")],
    }).changes;
    expect(change).toMatchObject({ action: "update", id: "1", from: { key: "ulm" }, key: "bonn" });
  });

  it("replaces the object where the kind cannot", () => {
    const spec = { town: "ulm", name: "one" };
    expect(
      words({
        wishes: [wishFor(house, "h", { spec: { ...spec, name: "two" } })],
        world: [{ kind: house, id: "1", spec }],
        entries: [entryOf(house, "h", { spec, id: "1" })],
      }),
    ).toEqual(["replace House/h /name"]);
  });

  it("waits for the object of ours that has it, through any number of steps", () => {
    const { changes } = planFor({
      wishes: [wish("a", "bonn"), wish("b", "kiel"), wish("c", "ulm")],
      world: [live("1", "ulm"), live("2", "bonn")],
      entries: [entry("a", "1", "ulm"), entry("b", "2", "bonn")],
    });
    expect(changes.map(({ address, action, layer }) => [address, action, layer])).toEqual([
      ["Town/b", "update", 0],
      ["Town/a", "update", 1],
      ["Town/c", "create", 2],
    ]);
    expect(changes.map(({ needs }) => needs)).toEqual([[], ["Town/b"], ["Town/a"]]);
  });

  it("comes after the delete of the object that had it", () => {
    const { changes } = planFor({
      wishes: [wish("a", "bonn")],
      world: [live("1", "ulm"), live("2", "bonn")],
      entries: [entry("a", "1", "ulm"), entry("b", "2", "bonn")],
    });
    expect(changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      "delete Town/b",
      "update Town/a",
    ]);
  });

  it("is refused where who has it is kept, is somebody else's, or wants this one's", () => {
    const world = [live("1", "ulm"), live("2", "bonn")];
    const wishes = [wish("a", "bonn")];
    const own = entry("a", "1", "ulm");
    const entries = [own, entry("b", "2", "bonn")];
    expect(codes({ wishes, world, entries, prune: false })).toContain("cannot-do");
    expect(codes({ wishes, world, entries: [own] })).toEqual(["not-ours"]);
    const swap = { wishes: [...wishes, wish("b", "ulm")], world, entries };
    expect(words(swap)).toEqual(["refuse Town/a", "refuse Town/b"]);
    expect(codes(swap)).toEqual(["cannot-do", "cannot-do"]);
  });

  it("is exchanged where both are replaced, since all are deleted before any is made", () => {
    const spec = (name: string) => ({ town: "ulm", name });
    const of = (name: string, called: string) => wishFor(house, name, { spec: spec(called) });
    const world = ["1", "2"].map((id) => ({ kind: house, id, spec: spec(id) }));
    const entries = ["1", "2"].map((id) => entryOf(house, `h${id}`, { spec: spec(id), id }));
    const { changes } = planFor({ wishes: [of("h1", "2"), of("h2", "1")], world, entries });
    expect(changes.map(({ action, layer }) => `${action} ${layer}`)).toEqual([
      "replace 0",
      "replace 0",
    ]);
  });
});

describe("what is live", () => {
  it("is refused when several objects answer to one document", () => {
    const planned = { wishes: [wish("a", "ulm")], world: [live("1", "ulm"), live("2", "ulm")] };
    expect(words(planned)).toEqual(["refuse Town/a"]);
    expect(codes(planned)).toEqual(["ambiguous-live"]);
  });

  it("is another stack's for good, adopted or not", () => {
    const planned = {
      wishes: [wish("a")],
      world: [live("1", "a")],
      otherStacks: new Map([["Town/a", "other"]]),
    };
    expect(codes(planned)).toEqual(["other-stack"]);
    expect(codes({ ...planned, adopt: true })).toEqual(["other-stack"]);
  });

  it("is nobody's until it is adopted", () => {
    const planned = { wishes: [wish("a")], world: [live("1", "a")] };
    expect(codes(planned)).toEqual(["not-ours"]);
    expect(words({ ...planned, adopt: true })).toEqual(["adopt Town/a"]);
  });

  it("is drifted where somebody deleted it, and unshipped where a create was only begun", () => {
    const gone = (pending: boolean) =>
      planFor({
        wishes: [wish("a")],
        entries: [entryOf(town, "a", { spec: { name: "a" }, pending })],
      }).changes.map(({ action, direction }) => `${action} ${direction}`);
    expect(gone(false)).toEqual(["create drifted"]);
    expect(gone(true)).toEqual(["create unshipped"]);
  });

  it("is written again where a create was begun and what it wrote cannot be read", () => {
    const spec = { name: "a", code: "secret" };
    const planned = (pending: boolean) => ({
      wishes: [wishFor(town, "a", { spec })],
      world: [live("1", "a")],
      entries: [entryOf(town, "a", { spec, pending, id: "1" })],
    });
    expect(words(planned(false))).toEqual([]);
    expect(words(planned(true))).toEqual(["update Town/a /code"]);
  });
});

describe("what is no longer declared", () => {
  const entries = [entry("a", "1"), entry("b", "2")];
  const world = [live("1", "a"), live("2", "b")];

  it("is deleted, or kept and told where the stack does not prune", () => {
    expect(words({ wishes: [wish("a")], world, entries })).toEqual(["delete Town/b"]);
    const kept = { wishes: [wish("a")], world, entries, prune: false };
    expect(words(kept)).toEqual(["orphan Town/b"]);
    expect(codes(kept)).toEqual(["orphan"]);
  });

  it("is kept when nothing at all is declared", () => {
    const planned = { wishes: [], world, entries };
    expect(words(planned)).toEqual(["orphan Town/a", "orphan Town/b"]);
    expect(codes(planned)).toEqual(["empty-input"]);
  });

  it("is let alone when it is not the object that we made, but one of its name", () => {
    const again = [live("1", "a"), live("9", "b")];
    expect(words({ wishes: [wish("a")], world: again, entries })).toEqual(["forget Town/b"]);
  });

  it("goes with what it is in, without a call of its own", () => {
    const spec = { town: "b", name: "h" };
    const { changes } = planFor({
      wishes: [wish("a")],
      world: [...world, { kind: house, id: "3", spec }],
      entries: [...entries, entryOf(house, "h", { spec, id: "3" })],
    });
    expect(changes.map(({ address, carriedBy }) => [address, carriedBy])).toEqual([
      ["House/h", "Town/b"],
      ["Town/b", undefined],
    ]);
  });
});

describe("what relies on something that is made anew", () => {
  const inside = { town: "ulm", name: "h", twin: "ulm" };
  const wishes = (land: string) => [
    wishFor(town, "t", { spec: { name: "ulm", land } }),
    wishFor(house, "h", { spec: inside, needs: ["Town/t"] }),
  ];
  const entries = [
    entryOf(town, "t", { spec: { name: "ulm", land: "here" }, id: "1" }),
    entryOf(house, "h", { spec: inside, id: "2" }),
  ];
  const { twin: _, ...seen } = inside;
  const world = [live("1", "ulm", { land: "here" }), { kind: house, id: "2", spec: seen }];

  it("is made anew too where it goes with it", () => {
    expect(words({ wishes: wishes("here"), world, entries })).toEqual([]);
    expect(words({ wishes: wishes("there"), world, entries })).toEqual([
      "replace Town/t /land",
      "replace House/h /twin",
    ]);
  });

  it("has its references written again where it stays", () => {
    const elsewhere = { town: "bonn", name: "h", twin: "ulm" };
    const planned = {
      wishes: [
        wishFor(town, "t", { spec: { name: "ulm", land: "there" } }),
        wishFor(house, "h", { spec: elsewhere, needs: ["Town/t"] }),
      ],
      world: [
        world[0] ?? live("1", "ulm"),
        { kind: house, id: "2", spec: { town: "bonn", name: "h" } },
      ],
      entries: [entries[0] ?? entry("t", "1"), entryOf(house, "h", { spec: elsewhere, id: "2" })],
    };
    expect(words(planned)).toEqual(["replace Town/t /land", "update House/h /twin"]);
  });
});

describe("a server that lacks an operation", () => {
  const wishes = [wishFor(town, "a", { spec: { name: "a", motto: null } })];
  const entries = [entryOf(town, "a", { spec: { name: "a", motto: null }, id: "1" })];
  const world = [live("1", "a", { motto: "onward" })];

  it("cannot clear what only that operation clears, which is said and not a change", () => {
    expect(words({ wishes, world, entries })).toEqual(["update Town/a /motto"]);
    const lacking = { wishes, world, entries, lacks: [clearing] };
    expect(words(lacking)).toEqual([]);
    expect(codes(lacking)).toEqual(["cannot-clear"]);
  });
});

describe("a change that cannot happen", () => {
  it("holds up what needs it, through any number of steps, and nothing else", () => {
    const { changes } = planFor({
      wishes: [
        wishFor(house, "h", { spec: { town: "a", name: "h" }, needs: ["Town/a"] }),
        wish("a"),
        wish("b"),
      ],
      world: [live("1", "a")],
    });
    expect(changes.map(({ address, blockedBy }) => [address, blockedBy.length > 0])).toEqual([
      ["Town/a", true],
      ["Town/b", false],
      ["House/h", true],
    ]);
  });

  it("leaves a plan that is frozen and says the same when it is saved", () => {
    const made = planFor({ wishes: [wish("a")] });
    expect(Object.isFrozen(made.changes[0]?.precondition)).toBe(true);
    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
  });
});
