import { useState } from "react";
import { draftPrefix, session } from "../session/session.ts";

type NoteDraft = {
  text: string;
  write: (text: string) => void;
  /** What was sent is no draft any more; what was typed since stays. */
  sent: (text: string) => void;
};

/** A note that was begun on a message waits there until it is added: another message may be opened, and the page loaded anew. */
export function useNoteDraft(tenantCode: string, messageId: string): NoteDraft {
  const key = `${draftPrefix}${session.user()?._id}.${tenantCode}.${messageId}`;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? "");
  const write = (next: string): void => {
    setText(next);
    if (next === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, next);
  };
  return { text, write, sent: (added) => sessionStorage.getItem(key) === added && write("") };
}
