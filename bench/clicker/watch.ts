import type { Page } from "playwright-core";
import type { Tell } from "./walk.ts";

/** No screen asks for the same so often within so many seconds. */
const storm = { requests: 60, seconds: 5 };

/** Listens to what the page and its server say by themselves. */
export function watch(
  page: Page,
  { tell, refuse, isTroubled }: { tell: Tell; refuse: (refusal: string) => void; isTroubled: () => boolean },
): void {
  page.on("pageerror", (error) => void tell(`not caught: ${error.message} ${error.stack?.split("\n")[1] ?? ""}`));
  page.on("console", (message) => {
    // What a server or a network does not give is reported by the browser, and where it is a screen's code, on that screen.
    if (message.type() === "error" && !/^(Failed to load resource|CodeMissing)/.test(message.text()))
      void tell(`console: ${message.text().slice(0, 400)}`);
  });
  page.on("crash", () => void tell("the page crashed"));
  const asked = new Map<string, number[]>();
  page.on("request", (request) => {
    const now = Date.now();
    const wish = `${request.method()} ${request.url()}`;
    const times = [...(asked.get(wish) ?? []).filter((time) => time > now - storm.seconds * 1000), now];
    asked.set(wish, times);
    if (times.length > storm.requests) void tell(`asked over and over: ${wish}`);
  });
  page.on("response", async (response) => {
    const status = response.status();
    if (status < 400 || isTroubled() || response.headers()["x-request-id"] === undefined) return;
    const { pathname } = new URL(response.url());
    const text = await response.text().catch(() => "");
    if (status >= 500) void tell(`${response.request().method()} ${pathname}: ${status} ${text.slice(0, 300)}`);
    else refuse(`${status} ${response.request().method()} ${pathname.replace(/\d+/g, "…")} ${detailOf(text)}`);
  });
}

function detailOf(text: string): string {
  try {
    const { code = "", errors = [] } = JSON.parse(text) as { code?: string; errors?: { path: string; code?: string }[] };
    return `${code} ${errors.map((error) => `${error.path} ${error.code ?? ""}`).join(", ")}`;
  } catch {
    return text.slice(0, 100);
  }
}
