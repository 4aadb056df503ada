import type { KeyboardEvent } from "react";

/**
 * Whether a key is about a character that an input method is composing. Safari ends the composition before it tells of the key that ended it
 * (https://bugs.webkit.org/show_bug.cgi?id=165004); that key has the code of all keys that an input method has taken.
 */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === 229;
}
