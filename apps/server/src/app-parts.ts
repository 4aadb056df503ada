import type { Deps } from "./deps.ts";
import { startLiveEvents, type LiveEvents } from "./events/live-events.ts";
import { createDirectory, type Directory } from "./intake/directory.ts";
import { createIntake, type Intake } from "./intake/intake.ts";
import { createMail, type Mail } from "./mails/mail.ts";

/** What the app's routes share and what outlives them: call `stop` after the app has closed. */
export type AppParts = { liveEvents: LiveEvents; directory: Directory; intake: Intake; mail: Mail; stop: () => Promise<void> };

export async function startAppParts(deps: Deps): Promise<AppParts> {
  const { pools, logger, tracing } = deps;
  const directory = createDirectory(pools.app, deps);
  await directory.ready;
  const intake = createIntake({ pool: pools.app, directory, logger, tracing });
  const liveEvents = await startLiveEvents(pools.app, logger);
  const mail = createMail(deps);
  const stop = async (): Promise<void> => {
    await mail.stop();
    await liveEvents.stop();
    await directory.close();
  };
  return { liveEvents, directory, intake, mail, stop };
}
