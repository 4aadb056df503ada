/** Once one of a row has failed and is to be tried again, none begins any more: what came after it would be overtaken by it. */
export type Row = { hasFailed: boolean };

/** The place of one in a row of things that are to begin in that order. */
export type Turn = {
  row: Row;
  /** Resolves when all that came before have passed. */
  isMine: Promise<void>;
  /** Lets the next one come; calling it again does nothing. */
  pass: () => void;
};

/** Hands out the turns of one row. */
export function createTurns(): () => Turn {
  const row: Row = { hasFailed: false };
  let last = Promise.resolve();
  return () => {
    const isMine = last;
    const { promise: hasPassed, resolve: pass } = Promise.withResolvers<void>();
    last = Promise.all([isMine, hasPassed]).then(() => undefined);
    return { row, isMine, pass };
  };
}
