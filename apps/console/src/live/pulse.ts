type Pulse<Kind> = {
  /** Its promise settles when what it asked for has been answered. */
  run: (kinds: ReadonlySet<Kind>) => Promise<unknown>;
  /** What a call for a kind asks for once more, after the pause. */
  after: (kind: Kind) => readonly Kind[];
  pauseMs: number;
};

/**
 * Runs at once when it is called, and again for what it is called for meanwhile: when the pause is over and the run before has settled, so that slow
 * answers only put the next run off.
 */
export function pulsed<Kind>({ run, after, pauseMs }: Pulse<Kind>): (kinds: readonly Kind[]) => void {
  let called = new Set<Kind>();
  let echo: readonly Kind[] = [];
  let isBeating = false;

  async function beat(): Promise<void> {
    isBeating = true;
    while (called.size + echo.length > 0) {
      const kinds = new Set([...called, ...echo]);
      echo = [...called].flatMap(after);
      called = new Set();
      await Promise.all([run(kinds), new Promise((resolve) => setTimeout(resolve, pauseMs))]);
    }
    isBeating = false;
  }

  return (kinds) => {
    for (const kind of kinds) called.add(kind);
    if (!isBeating) void beat();
  };
}
