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
  const { change, ...value } = watched(parse(localStorage.getItem(key)));
  addEventListener("storage", (event) => {
    if (event.key === key) change(parse(event.newValue));
  });
  // A page that the browser had put by, and shows again by the way back, was told of nothing meanwhile.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) change(parse(localStorage.getItem(key)));
  });
  const store = (text: string | null, next: T) => {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    change(next);
  };
  return {
    ...value,
    set: (next) => store(write(next), next),
    reset() {
      const [text, former] = [localStorage.getItem(key), value.get()];
      store(null, parse(null));
      return () => store(text, former);
    },
  };
}

/** A text that each tab has for itself; it outlives a reload. A new tab begins with that of the tab used last. */
export function tabValue(key: string): Pick<StoredValue<string | null>, "get" | "set" | "use"> {
  const { change, get, use } = watched(sessionStorage.getItem(key) ?? localStorage.getItem(key));
  const store = () => {
    const text = get();
    if (text !== null) for (const storage of [sessionStorage, localStorage]) storage.setItem(key, text);
  };
  addEventListener("focus", store);
  store();
  return {
    get,
    use,
    set(text) {
      change(text);
      store();
    },
  };
}

function watched<T>(first: T) {
  let current = first;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const get = (): T => current;
  return {
    get,
    subscribe,
    use: () => useSyncExternalStore(subscribe, get),
    change: (value: T) => {
      current = value;
      for (const listener of listeners) listener();
    },
  };
}
