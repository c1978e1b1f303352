// Hashes a secret for the store: the hash finds the secret again and does not reveal it.
import { hash } from "node:crypto";

/** Hashes a generated secret for storage: SHA-256 in hexadecimal, which is sufficient for random secrets. */
export function secretHash(secret: string): string {
  return hash("sha256", secret, "hex");
}
