// Generates public IDs of dashboards and reports.
import { randomInt } from "node:crypto";

const length = 12;
const characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Returns 12 random letters and digits. */
export function generatePublicId(): string {
  const pick = () => characters[randomInt(characters.length)];
  return Array.from({ length }, pick).join("");
}
