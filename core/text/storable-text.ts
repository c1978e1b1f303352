// Texts that not every database can store.

/** Returns why a text cannot be stored in every database, or undefined. */
export function unstorableTextReason(text: string): string | undefined {
  if (text.includes("\u0000")) return "has a null character in a text; remove it";
  return text.isWellFormed() ? undefined : "has half a surrogate pair in a text; complete it";
}
