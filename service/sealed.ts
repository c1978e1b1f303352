// Every place where the database holds something sealed: what a rotation of the key has to go through.

/** The place of a variable's value. */
export function variablePlace(of: {
  readonly deployment_id: number;
  readonly name: string;
}): string {
  return `variable ${of.deployment_id} ${of.name}`;
}

/** The place of what came of a write that named an idempotency key. */
export function idempotencyPlace({ id }: { readonly id: string }): string {
  return `idempotency ${id}`;
}
