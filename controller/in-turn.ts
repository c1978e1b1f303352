// Runs asynchronous work one after the other.

/** Returns a function that runs each work after the one before has ended, however that ended. */
export function inTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let latest: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = latest.then(work);
    latest = done.catch(() => undefined);
    return done;
  };
}
