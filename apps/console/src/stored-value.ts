import { useSyncExternalStore } from "react";

export type StoredValue<T> = {
  get: () => T;
  set: (value: T) => void;
  use: () => T;
  /** Forgets what is stored, so that the default holds. Answers the way back. */
  reset: () => () => void;
  /** Tells of every change, those of other tabs included. */
  subscribe: (listener: () => void) => () => void;
};

/** A value kept in this browser and shared by its tabs. `parse` turns what is stored (or null) into a valid value. */
export function storedValue<T>(key: string, parse: (text: string | null) => T, write: (value: T) => string | null): StoredValue<T> {
  let current = parse(localStorage.getItem(key));
  const listeners = new Set<() => void>();
  const change = (value: T) => {
    current = value;
    for (const listener of listeners) listener();
  };
  addEventListener("storage", (event) => {
    if (event.key === key) change(parse(event.newValue));
  });
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const store = (text: string | null, value: T) => {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    change(value);
  };
  return {
    get: () => current,
    set: (value) => store(write(value), value),
    reset() {
      const [text, value] = [localStorage.getItem(key), current];
      store(null, parse(null));
      return () => store(text, value);
    },
    use: () => useSyncExternalStore(subscribe, () => current),
    subscribe,
  };
}
