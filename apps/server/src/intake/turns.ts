/** The place of one in a row of things that are to begin in that order. */
export type Turn = {
  /** Resolves when all that came before have passed. */
  isMine: Promise<void>;
  /** Lets the next one come; calling it again does nothing. */
  pass: () => void;
};

/** Hands out the turns of one row. */
export function createTurns(): () => Turn {
  let last = Promise.resolve();
  return () => {
    const isMine = last;
    const { promise: hasPassed, resolve: pass } = Promise.withResolvers<void>();
    last = Promise.all([isMine, hasPassed]).then(() => undefined);
    return { isMine, pass };
  };
}
