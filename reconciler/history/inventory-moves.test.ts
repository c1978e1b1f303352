// Tests that the refusal to undo a move names the command that moves the inventory or its entry back.
import { expect, it } from "vitest";
import { moveNotes, moveNotUndoneError } from "./inventory-moves.ts";

const shop = { name: "shop", displayPath: "stacks/shop" };
const address = "UserGroup/sellers";
const former = "http://10.0.0.5:8080";
const now = "https://svc.example.com";

it.each([
  [
    moveNotes.handedTo(address, "hr"),
    `\`svc inventory move ${address} PATH --to stacks/shop\`: PATH is the folder of stack "hr".`,
  ],
  [moveNotes.receivedFrom(address, "hr"), `move --to hr ${address} stacks/shop\`.`],
  [moveNotes.renamedFrom("old"), "name the Stack old again, and run"],
  [moveNotes.renamedFrom("old"), "`svc inventory move --renamed-from shop stacks/shop`."],
  [moveNotes.newAddress(former, now), `connect to ${former}, and run`],
  [moveNotes.newAddress(former, now), `move --former-url ${now} stacks/shop\`.`],
  [undefined, "`svc inventory move` moves it back."],
])("after the move %j the remedy is %j", (message, remedy) => {
  const run = { id: "r1", ...(message !== undefined && { message }) };
  expect(moveNotUndoneError(run, shop)).toMatchObject({
    code: "refused",
    message: expect.stringContaining("run r1 moved the inventory"),
    remedy: expect.stringContaining(remedy),
  });
});
