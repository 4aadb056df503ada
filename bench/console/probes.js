// The part of the measurements that runs in the page, put there before the page's own scripts; hence JavaScript.
(() => {
  let firstRowMs = null;
  let frames = [];
  let isRecording = false;
  const drawings = [];
  let shift = 0;

  /** Called in a frame: tells the time right after it was painted by the main thread. */
  function afterPaint(tell) {
    // Posted in a frame, a message is delivered after that frame's style, layout and paint.
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => tell(performance.now()), { once: true });
    port1.start();
    port2.postMessage(null);
  }

  /** Resolves with the time right after the frame in which `isThere` first holds was painted by the main thread. */
  function painted(isThere) {
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + 20_000;
      const look = () => {
        if (performance.now() > deadline) return reject(new Error("nothing changed on the page"));
        return isThere() ? afterPaint(resolve) : requestAnimationFrame(look);
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

    /** Counts the rows that the server has sent, by addresses that end so and say how many they want. */
    countRows(ending) {
      let rows = 0;
      new PerformanceObserver((list) => {
        for (const { name, responseStatus } of list.getEntries()) {
          const { pathname, searchParams } = new URL(name);
          if (pathname.endsWith(ending) && responseStatus === 200) rows += Number(searchParams.get("limit"));
        }
      }).observe({ type: "resource", buffered: true });
      bench.rows = () => rows;
    },

    /** Milliseconds from a change of a setting, told as another tab would tell it, to the frame that shows it. */
    async timeSwitch({ key, value, shows }) {
      const before = read(shows);
      const started = performance.now();
      localStorage.setItem(key, value);
      dispatchEvent(new StorageEvent("storage", { key, newValue: value, storageArea: localStorage }));
      return (await painted(() => read(shows) !== before)) - started;
    },

    /** Takes note of every chart that is drawn, each of which clears its canvas first, and of what moves by itself. */
    watchCharts() {
      const { prototype } = CanvasRenderingContext2D;
      prototype.clearRect = new Proxy(Reflect.get(prototype, "clearRect"), {
        apply(clear, context, box) {
          const drawing = { canvas: context.canvas, begunAt: performance.now(), paintedAt: Infinity };
          drawings.push(drawing);
          requestAnimationFrame(() => afterPaint((at) => (drawing.paintedAt = at)));
          Reflect.apply(clear, context, box);
        },
      });
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) shift += value;
      }).observe({ type: "layout-shift", buffered: true });
    },
    /**
     * Milliseconds of the first answer whose address holds all `words`, from asked to arrived and from there to the frame that shows the last of the
     * charts drawn since, and what has moved until now; null until so many charts were drawn and none for a second.
     */
    chartsAfter({ words, charts }) {
      const answer = performance.getEntriesByType("resource").find(({ name }) => words.every((word) => name.includes(word)));
      if (!answer?.responseEnd) return null;
      const since = drawings.filter(({ begunAt }) => begunAt >= answer.responseEnd);
      const last = Math.max(...since.map(({ paintedAt }) => paintedAt));
      if (new Set(since.map(({ canvas }) => canvas)).size < charts || performance.now() - last < 1_000) return null;
      return { answerMs: answer.responseEnd - answer.startTime, paintMs: last - answer.responseEnd, shift };
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
