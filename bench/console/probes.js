// The part of the measurements that runs in the page, put there before the page's own scripts; hence JavaScript.
(() => {
  let firstRowMs = null;
  let frames = [];
  let isRecording = false;

  /** Resolves with the time right after the frame in which `isThere` first holds was painted by the main thread. */
  function painted(isThere) {
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + 20_000;
      const look = () => {
        if (performance.now() > deadline) return reject(new Error("nothing changed on the page"));
        if (!isThere()) return requestAnimationFrame(look);
        // Posted in a frame, a message is delivered after that frame's style, layout and paint.
        const { port1, port2 } = new MessageChannel();
        port1.addEventListener("message", () => resolve(performance.now()), { once: true });
        port1.start();
        return port2.postMessage(null);
      };
      requestAnimationFrame(look);
    });
  }

  function read({ selector, property }) {
    const element = document.querySelector(selector);
    if (element === null) return null;
    if (property === "text") return element.textContent;
    if (property === "box") return JSON.stringify(element.getBoundingClientRect());
    return getComputedStyle(element).getPropertyValue(property);
  }

  globalThis.bench = {
    watchFirstRow: (selector) =>
      void painted(() => document.querySelector(selector)?.textContent.includes("SKU-")).then((at) => {
        firstRowMs = at;
      }),
    firstRowMs: () => firstRowMs,

    /** Milliseconds from a change of a setting, told as another tab would tell it, to the frame that shows it. */
    async timeSwitch({ key, value, shows }) {
      const before = read(shows);
      const started = performance.now();
      localStorage.setItem(key, value);
      dispatchEvent(new StorageEvent("storage", { key, newValue: value, storageArea: localStorage }));
      return (await painted(() => read(shows) !== before)) - started;
    },

    startFrames() {
      [frames, isRecording] = [[], true];
      let last = performance.now();
      const tick = (at) => {
        frames.push(at - last);
        last = at;
        if (isRecording) requestAnimationFrame(tick);
      };
      requestAnimationFrame((at) => {
        last = at;
        requestAnimationFrame(tick);
      });
    },
    stopFrames() {
      isRecording = false;
      return frames;
    },
  };
})();
