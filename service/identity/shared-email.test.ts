// Tests the error for an email that users share.
import { expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { sharedEmail } from "./shared-email.ts";

it("names the first users who share an email, and counts the others", () => {
  const users = Array.from({ length: 5000 }, (_, id) => ({ id, username: `user-${id}` }));
  const { message } = sharedEmail("team@example.com", users);
  expect(message).toContain(`and ${5000 - limits.placesNamed} more share the email`);
  expect(message.length).toBeLessThan(400);
  expect(sharedEmail("team@example.com", users.slice(0, 2)).message).toContain(
    '"user-0" (ID 0) and "user-1" (ID 1) share',
  );
});
