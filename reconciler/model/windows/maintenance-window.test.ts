// Tests of maintenance windows: active rules, reasons, next opening, time zones, daylight saving and matching.
import { describe, expect, it } from "vitest";
import { windowStatusFor, expiredRulesAt, type WindowSubject } from "./maintenance-window.ts";
import { type Freeze, type WindowRuleSet, windowRuleErrors, type Window } from "./window-schema.ts";

const group: WindowSubject = { kind: "UserGroup", name: "north", labels: { team: "growth" } };

function setOf(windows: readonly Window[], freezes: readonly Freeze[] = []): WindowRuleSet {
  return { by: "the Stack", windows, freezes };
}

const office: Window = {
  effect: "allow",
  schedule: "0 9 * * mon-fri",
  duration: "8h",
  timeZone: "Europe/Berlin",
  reason: "staff is on site",
};

/** Returns `open`, or when changes are next allowed. */
function openAt(
  sets: readonly WindowRuleSet[],
  at: string,
  subjects: readonly WindowSubject[] = [group],
) {
  const { closures, opens } = windowStatusFor(sets, subjects, new Date(at));
  return closures.length === 0 ? "open" : (opens?.toISOString() ?? "never");
}

describe("an allowing window", () => {
  // A Friday, in winter time.
  it.each([
    ["2026-11-20T07:59:59Z", "2026-11-20T08:00:00.000Z"],
    ["2026-11-20T08:00:00Z", "open"],
    ["2026-11-20T15:59:59Z", "open"],
    ["2026-11-20T16:00:00Z", "2026-11-23T08:00:00.000Z"],
    ["2026-11-21T12:00:00Z", "2026-11-23T08:00:00.000Z"],
  ])("at %s: %s", (at, expected) => {
    expect(openAt([setOf([office])], at)).toBe(expected);
  });

  it("allows together with other allowing windows", () => {
    const night: Window = { ...office, schedule: "0 22 * * *", duration: "2h", timeZone: "UTC" };
    expect(openAt([setOf([office, night])], "2026-11-20T23:30:00Z")).toBe("open");
    expect(openAt([setOf([office, night])], "2026-11-21T00:00:00Z")).toBe(
      "2026-11-21T22:00:00.000Z",
    );
  });

  it("has no effect after its last day", () => {
    const until = [setOf([{ ...office, expires: "2026-11-20" }])];
    expect(openAt(until, "2026-11-20T20:00:00Z")).toBe("2026-11-21T00:00:00.000Z");
    expect(openAt(until, "2026-11-21T00:00:00Z")).toBe("open");
    expect(expiredRulesAt(until, new Date("2026-11-21T00:00:00Z"))).toEqual([
      "the window that allows of the Stack (staff is on site)",
    ]);
  });
});

describe("a denying rule", () => {
  const backups: Window = {
    effect: "deny",
    schedule: "30 9 * * *",
    duration: "1h",
    timeZone: "Europe/Berlin",
    reason: "backups run",
  };
  const freeze: Freeze = {
    from: "2026-12-20T18:00:00+01:00",
    to: "2027-01-04T08:00:00+01:00",
    reason: "end of the year",
    owner: "ops",
  };

  it("wins over an allowing window", () => {
    const { closures, opens } = windowStatusFor(
      [setOf([office, backups])],
      [group],
      new Date("2026-11-20T08:45:00Z"),
    );
    expect(closures.map(({ why, reason }) => [why, reason])).toEqual([["deny", "backups run"]]);
    expect(opens?.toISOString()).toBe("2026-11-20T09:30:00.000Z");
  });

  it("names a cascaded object only if the rule matches no changed object", () => {
    const cascaded: WindowSubject = { ...group, name: "south", cascadedFrom: "UserGroup/all" };
    const at = new Date("2026-12-25T12:00:00Z");
    const cascadedOf = (subjects: readonly WindowSubject[]) =>
      windowStatusFor([setOf([], [freeze])], subjects, at).closures.map((one) => one.cascaded);
    expect(cascadedOf([cascaded, group])).toEqual([undefined]);
    expect(cascadedOf([cascaded])).toEqual([
      { kind: "UserGroup", name: "south", cascadedFrom: "UserGroup/all" },
    ]);
  });

  it("blocks until the end of a freeze, then until the next allowing window", () => {
    expect(openAt([setOf([], [freeze])], "2026-12-20T16:59:59Z")).toBe("open");
    expect(openAt([setOf([], [freeze])], "2026-12-20T17:00:00Z")).toBe("2027-01-04T07:00:00.000Z");
    expect(openAt([setOf([office], [freeze])], "2026-12-31T12:00:00Z")).toBe(
      "2027-01-04T08:00:00.000Z",
    );
  });

  it("is not lifted by an allowing window of another set", () => {
    const always: Window = { ...office, schedule: "* * * * *", duration: "1h" };
    const operator: WindowRuleSet = { by: "the operator", windows: [], freezes: [freeze] };
    const { closures } = windowStatusFor(
      [operator, setOf([always])],
      [group],
      new Date("2026-12-24T12:00:00Z"),
    );
    expect(closures).toEqual([
      { by: "the operator", why: "freeze", reason: "end of the year", owner: "ops" },
    ]);
  });

  it("may block for more than a year", () => {
    const always: Window = { ...backups, schedule: "* * * * *", duration: "2m" };
    expect(openAt([setOf([always])], "2026-11-20T08:45:00Z")).toBe("never");
    const later: Freeze = { ...freeze, to: "2030-01-01T00:00:00Z" };
    expect(openAt([setOf([], [later])], "2026-12-24T12:00:00Z")).toBe("never");
  });
});

describe("daylight saving in Berlin", () => {
  const night: Window = {
    effect: "deny",
    schedule: "30 2 * * *",
    duration: "1h",
    timeZone: "Europe/Berlin",
    reason: "backups run",
  };

  // On 28 March 2027 the clock goes from 02:00 to 03:00, at 01:00 UTC.
  it.each([
    ["2027-03-27T01:30:00Z", "2027-03-27T02:30:00.000Z"],
    ["2027-03-28T00:59:59Z", "open"],
    ["2027-03-28T01:00:00Z", "2027-03-28T02:00:00.000Z"],
    ["2027-03-29T00:30:00Z", "2027-03-29T01:30:00.000Z"],
  ])("a skipped start time moves right after the gap: %s", (at, expected) => {
    expect(openAt([setOf([night])], at)).toBe(expected);
  });

  // On 31 October 2027 the clock goes from 03:00 back to 02:00, at 01:00 UTC: 02:30 is at 00:30 and at 01:30.
  it.each([
    ["2027-10-31T00:30:00Z", "2027-10-31T01:30:00.000Z"],
    ["2027-10-31T01:29:59Z", "2027-10-31T01:30:00.000Z"],
    ["2027-10-31T01:30:00Z", "open"],
    ["2027-11-01T01:30:00Z", "2027-11-01T02:30:00.000Z"],
  ])("of a start time that occurs twice, the first counts: %s", (at, expected) => {
    expect(openAt([setOf([night])], at)).toBe(expected);
  });

  it("a window lasts for its duration in elapsed time", () => {
    const over: Window = { ...night, schedule: "0 22 * * *", duration: "8h" };
    expect(openAt([setOf([over])], "2027-03-27T22:00:00Z")).toBe("2027-03-28T05:00:00.000Z");
    expect(openAt([setOf([over])], "2027-10-30T22:00:00Z")).toBe("2027-10-31T04:00:00.000Z");
  });
});

describe("the match of a rule", () => {
  const freeze: Freeze = { to: "2027-01-01T00:00:00Z", reason: "it is busy", owner: "ops" };
  const at = "2026-11-20T12:00:00Z";
  const north: WindowSubject = group;

  it.each<[object, string]>([
    [{}, "closed"],
    [{ kinds: ["UserGroup"] }, "closed"],
    [{ kinds: ["Deployment"] }, "open"],
    [{ names: ["n*th"] }, "closed"],
    [{ names: ["*"] }, "closed"],
    [{ names: ["north*north"] }, "open"],
    [{ names: ["nor"] }, "open"],
    [{ labels: { team: "growth" } }, "closed"],
    [{ labels: { team: "growth", tier: "1" } }, "open"],
    [{ kinds: ["UserGroup"], names: ["south"] }, "open"],
  ])("%j: %s", (match, expected) => {
    const status = openAt([setOf([], [{ ...freeze, match }])], at, [north]);
    expect(status === "open" ? "open" : "closed").toBe(expected);
  });

  it("treats unknown labels as matching", () => {
    const unlabeled = { ...group, labels: undefined };
    const set = setOf([], [{ ...freeze, match: { labels: { team: "other" } } }]);
    expect(openAt([set], at, [unlabeled])).toBe("2027-01-01T00:00:00.000Z");
  });

  it("allows a change once all its subjects may be changed", () => {
    const sets = [
      setOf(
        [{ ...office, match: { kinds: ["Deployment"] } }],
        [{ ...freeze, to: "2026-11-21T00:00:00Z", match: { names: ["north"] } }],
      ),
    ];
    const app: WindowSubject = { kind: "Deployment", name: "app", labels: {} };
    expect(openAt(sets, at, [app])).toBe("open");
    expect(openAt(sets, at, [north])).toBe("2026-11-21T00:00:00.000Z");
    expect(openAt(sets, at, [app, north])).toBe("2026-11-23T08:00:00.000Z");
    expect(openAt(sets, at, [])).toBe("open");
  });
});

describe("windowRuleErrors", () => {
  it.each<[Partial<Window>, string]>([
    [{ schedule: "0 9 * *" }, "/windows/0/schedule"],
    [{ schedule: "0 0 30 2 *" }, "/windows/0/schedule"],
    [{ schedule: "99 * * * *" }, "/windows/0/schedule"],
    [{ timeZone: "Mars/North" }, "/windows/0/timeZone"],
    [{ duration: "30s" }, "/windows/0/duration"],
    [{ duration: "367d" }, "/windows/0/duration"],
    [{ expires: "2027-02-30" }, "/windows/0/expires"],
  ])("reports %j at %s", (wrong, path) => {
    const found = windowRuleErrors({ windows: [{ ...office, ...wrong }], freezes: [] });
    expect(found.map((one) => one.path)).toEqual([path]);
  });

  it.each<[Partial<Freeze>, string]>([
    [{ to: "2027-13-01T00:00:00Z" }, "/freezes/0/to"],
    [{ from: "2027-01-02T00:00:00Z", to: "2027-01-01T00:00:00Z" }, "/freezes/0/to"],
  ])("reports %j at %s", (wrong, path) => {
    const freeze = { to: "2027-01-01T00:00:00Z", reason: "it is busy", owner: "ops", ...wrong };
    expect(windowRuleErrors({ windows: [], freezes: [freeze] }).map((one) => one.path)).toEqual([
      path,
    ]);
  });
});
