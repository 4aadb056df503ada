import type { Browser } from "playwright-core";

/** A tab that is told what to do, without anything listening to what it does. */
export type UnwatchedTab = {
  send: (method: string, params?: object) => Promise<unknown>;
  /** Resolves with what a script is worth in the page, waited for if it is a promise. */
  evaluate: (script: string) => Promise<unknown>;
  close: () => Promise<void>;
};

/** A message of the browser's protocol that comes back from a tab; events have no id. */
type Answer = { id?: number; result?: unknown; error?: { message: string } };
type Waiting = { resolve: (result: unknown) => void; reject: (error: Error) => void };

/**
 * Opens a tab in the profile `browserContextId`. A driver listens to the network of each tab of its own, and Chromium then keeps what the tab
 * has read, up to 100 MB, in the tab's process: no such tab's memory says what the page itself holds.
 */
export async function openUnwatchedTab(browser: Browser, browserContextId: string): Promise<UnwatchedTab> {
  const session = await browser.newBrowserCDPSession();
  const { targetId } = await session.send("Target.createTarget", { url: "about:blank", browserContextId });
  // In flat mode the driver would take the answers for its own.
  const { sessionId } = await session.send("Target.attachToTarget", { targetId, flatten: false });
  const waiting = new Map<number, Waiting>();
  session.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { id, result, error }: Answer = JSON.parse(message);
    const asker = id === undefined ? undefined : waiting.get(id);
    if (id === undefined || asker === undefined) return;
    waiting.delete(id);
    if (error === undefined) asker.resolve(result);
    else asker.reject(new Error(error.message));
  });
  let asked = 0;
  const send = async (method: string, params: object = {}): Promise<unknown> => {
    const id = (asked += 1);
    const answered = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    await session.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method, params }) });
    return answered;
  };
  await send("Page.enable");
  return {
    send,
    async evaluate(expression) {
      const answer = (await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })) as {
        result: { value?: unknown };
        exceptionDetails?: { text: string; exception?: { description?: string } };
      };
      const { exceptionDetails: fault } = answer;
      if (fault !== undefined) throw new Error(fault.exception?.description ?? fault.text);
      return answer.result.value;
    },
    async close() {
      await session.send("Target.closeTarget", { targetId });
      await session.detach();
    },
  };
}
