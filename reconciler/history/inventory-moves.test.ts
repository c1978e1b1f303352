// Tests that the refusal to undo a move names the command that moves the inventory or its entry back.
import { expect, it } from "vitest";
import type { MoveRecord } from "../model/index.ts";
import { moveNotUndoneError } from "./inventory-moves.ts";

const shop = { name: "shop", displayPath: "stacks/shop" };
const address = "UserGroup/sellers";
const former = "http://10.0.0.5:8080";
const now = "https://svc.example.com";

const given: MoveRecord = { type: "entry-to", address, stack: "hr" };
const received: MoveRecord = { type: "entry-from", address, stack: "hr" };
const renamed: MoveRecord = { type: "name", from: "old" };
const served: MoveRecord = { type: "server", from: former, to: now };

it.each([
  [
    given,
    `\`svc inventory move ${address} PATH --to stacks/shop\`: PATH is the folder of stack "hr".`,
  ],
  [received, `move --to hr ${address} stacks/shop\`.`],
  [renamed, "name the Stack old again, and run"],
  [renamed, "`svc inventory move --renamed-from shop stacks/shop`."],
  [served, `connect to ${former}, and run`],
  [served, `move --former-url ${now} stacks/shop\`.`],
])("after the move %j the remedy is %j", (move, remedy) => {
  expect(moveNotUndoneError({ id: "r1", message: "a note", move }, shop)).toMatchObject({
    code: "refused",
    message: expect.stringContaining("run r1 moved the inventory (a note)"),
    remedy: expect.stringContaining(remedy),
  });
});

it("names the commands in general for a run of an earlier version, whatever its message says", () => {
  const message = `${address} from stack hr`;
  expect(moveNotUndoneError({ id: "r1", message }, shop)).toMatchObject({
    message: expect.stringContaining(`run r1 moved the inventory (${message})`),
    remedy: expect.stringMatching(/^`svc inventory move ADDRESS --to STACK` moves an entry back/u),
  });
});
