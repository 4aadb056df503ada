import { useState } from "react";
import { session } from "../session.ts";

const prefix = "crossdock.note.";

// What nobody has sent is nobody else's business: it goes with the session that was ended on purpose.
session.subscribe(() => {
  if (!session.hasSignedOut()) return;
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
});

type NoteDraft = {
  text: string;
  write: (text: string) => void;
  /** What was sent is no draft any more; what was typed since stays. */
  sent: (text: string) => void;
};

/** A note that was begun on a message waits there until it is added: another message may be opened, and the page loaded anew. */
export function useNoteDraft(tenantCode: string, messageId: string): NoteDraft {
  const key = `${prefix}${session.user()?._id}.${tenantCode}.${messageId}`;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? "");
  const write = (next: string): void => {
    setText(next);
    if (next === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, next);
  };
  return { text, write, sent: (added) => sessionStorage.getItem(key) === added && write("") };
}
