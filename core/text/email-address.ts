// Checks email addresses.

const domainLabel = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const emailPattern = new RegExp(
  `^[a-z0-9!#$%&'*+/=?^_\`{|}~-]+(?:\\.[a-z0-9!#$%&'*+/=?^_\`{|}~-]+)*@(?:${domainLabel}\\.)+${domainLabel}$`,
  "i",
);
const emailMaxLength = 254;

/** Returns whether a text is an address that mail can be sent to. */
export function isEmailAddress(text: string | null | undefined): text is string {
  return text != null && text.length <= emailMaxLength && emailPattern.test(text);
}
