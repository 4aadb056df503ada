import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop } from "./browser.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.pushItems("LAMP-1", "LAMP-2", "BROKEN-1");
  page = await stage.open();
});

afterAll(() => stage?.close());

const fact = (name: string) => page.locator("dt", { hasText: name }).locator("xpath=following-sibling::dd");

test("the hub of a subtenant adds up to what happened, in every range", async () => {
  const owner = stage.database.pool("owner", 1);
  const ended = "select id from queue.history union all select id from queue.dead";
  await expect.poll(async () => (await owner.query(ended)).rowCount).toBe(3);
  await owner.query("select hub.collect_metrics()");
  await page.goto("/subtenant-list");
  await page.getByRole("link", { name: "main" }).click();
  await page.getByRole("heading", { level: 1, name: "Subtenant hub" }).waitFor();
  for (const range of ["hour", "day", "week"]) {
    await page.locator("main select").first().selectOption(range);
    await page.waitForURL(`**range=${range}*`);
    for (const [name, count] of [
      ["Queue entries added", "3"],
      ["Delivered", "2"],
      ["Became deadletters", "1"],
    ] as const) {
      await expect.poll(() => fact(name).textContent()).toBe(count);
    }
  }
});

test("the count of a subtenant's integration points leads to them, and to a new one of this subtenant", async () => {
  const page = await stage.open({ at: "/subtenant-list" });
  await page.getByRole("main").getByRole("link", { name: "2", exact: true }).click();
  await page.waitForURL("**/configuration?subtenant=main");
  await page.getByRole("button", { name: "Add an integration point" }).click();
  await expect.poll(() => page.getByRole("combobox", { name: "Subtenant *" }).inputValue()).toBe("main");
  await page.context().close();
});

test("the hub of a subtenant without integration points leads to the first one", async () => {
  const page = await stage.open({ at: "/subtenant-list" });
  await page.getByRole("button", { name: "Add subtenant" }).click();
  await page.getByRole("dialog").getByLabel("Code").fill("bare");
  await page.getByRole("dialog").getByLabel("Name").fill("Bare");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("main").getByRole("link", { name: "bare", exact: true }).click();
  await page.getByText("No system is connected yet").waitFor();
  await page.getByRole("link", { name: "Add an integration point" }).click();
  await expect.poll(() => page.getByRole("combobox", { name: "Subtenant *" }).inputValue()).toBe("bare");
  await page.context().close();
});

test("nothing moves while the hub comes up, from its heading to the drawn charts", async () => {
  const fresh = await stage.open();
  await fresh.addInitScript(() => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, sources } = entry as PerformanceEntry & { value: number; sources: { node: Node | null }[] };
        const names = sources.map(({ node }) => (node instanceof Element ? node.className : (node?.textContent ?? "")));
        (window as unknown as { shifts: string[] }).shifts.push(`${value} ${names.join(", ")}`);
      }
    }).observe({ type: "layout-shift", buffered: true });
    (window as unknown as { shifts: string[] }).shifts = [];
  });
  // As on a first visit with a slow machine, where a font could come after its texts.
  const devTools = await fresh.context().newCDPSession(fresh);
  await devTools.send("Network.setCacheDisabled", { cacheDisabled: true });
  await devTools.send("Emulation.setCPUThrottlingRate", { rate: 3 });
  await fresh.goto("/subtenant/main/dashboard");
  await fresh.locator(".uplot canvas").nth(3).waitFor();
  await fresh.locator("main select").nth(2).locator("option").nth(1).waitFor({ state: "attached" });
  await expect.poll(() => fresh.evaluate(() => (window as unknown as { shifts: string[] }).shifts)).toEqual([]);
  await fresh.context().close();
});

test("on a phone, too, the legend of a chart names every line without being scrolled", async () => {
  const narrow = await stage.open({ at: "/subtenant/main/dashboard", view: { ...desktop, width: 360 } });
  const legends = narrow.getByRole("group").filter({ has: narrow.locator(".u-legend") });
  await legends.nth(3).waitFor();
  const hidden = await legends.evaluateAll((all) => all.map(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight));
  expect(hidden).toEqual([0, 0, 0, 0]);
  await narrow.context().close();
});

test("charts are drawn in a browser whose language is none, as of a system in the language C", async () => {
  const plain = await stage.open();
  await plain.addInitScript(() => Object.defineProperty(Navigator.prototype, "language", { get: () => "C" }));
  await plain.goto("/subtenant/main/dashboard");
  await plain.locator(".uplot canvas").nth(3).waitFor();
  await plain.context().close();
});

test("every chart has its numbers as a table, which add up to the same", async () => {
  await page.getByLabel("Aggregate").selectOption("sum");
  await page.waitForURL("**aggregate=sum*");
  const card = page.locator("section", { has: page.getByRole("heading", { name: "Queue entries added" }) });
  await card.locator("summary").click();
  const cells = card.locator("details tbody td");
  await expect.poll(async () => (await cells.allTextContents()).reduce((sum, text) => sum + Number(text), 0)).toBe(3);
  await expect.poll(() => page.locator(".uplot").count()).toBe(4);
});

test("dragging over a chart zooms in, keeps the part in the address, and a button shows the whole again", async () => {
  const plot = page.locator(".u-over").first();
  const box = await plot.boundingBox();
  if (!box) throw new Error("the chart has no place");
  await page.mouse.move(box.x + box.width * 0.5, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.9, box.y + 50, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL("**from=*");
  await page.getByRole("button", { name: "Show the whole range" }).click();
  await page.waitForURL((url) => !url.searchParams.has("from"));
});

test("what is saved as CSV are the table's figures, and as PNG the chart with what it shows of whom and when", async () => {
  // A chosen part stands still while an hour ends.
  const [from, to] = [-20, 1].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
  await page.goto(`/subtenant/main/dashboard?aggregate=sum&from=${from}&to=${to}`);
  await page.locator(".uplot canvas").nth(3).waitFor();
  const card = page.locator("section", { has: page.getByRole("heading", { name: "Queue entries added" }) });
  await card.locator("summary").click();
  await card.locator("details tbody tr").first().waitFor();
  const rows = await card
    .locator("details tbody tr")
    .evaluateAll((all) => all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)));
  const saved = async (label: string): Promise<Buffer> => {
    const [download] = await Promise.all([page.waitForEvent("download"), card.getByRole("button", { name: label }).click()]);
    return readFile(await download.path());
  };
  const [head = "", ...lines] = (await saved("as CSV")).toString("utf8").trimEnd().split("\r\n");
  expect(head.startsWith("time,")).toBe(true);
  expect(lines.map((line) => line.split(",").slice(1))).toEqual(rows);
  expect(rows.flat().reduce((sum, text) => sum + Number(text), 0)).toBe(3);
  const times = lines.map((line) => Date.parse(line.split(",")[0] ?? ""));
  expect(times).toEqual(times.map((_, index) => (times[0] ?? 0) + index * 900_000));

  await page.evaluate(() => {
    const texts: string[] = [];
    Object.assign(window, { texts });
    const own = Object.getOwnPropertyDescriptor(CanvasRenderingContext2D.prototype, "fillText")?.value as CanvasText["fillText"];
    CanvasRenderingContext2D.prototype.fillText = function (...given) {
      texts.push(given[0]);
      Reflect.apply(own, this, given);
    };
  });
  const picture = (await saved("as PNG")).toString("base64");
  const texts = await page.evaluate(() => (window as unknown as { texts: string[] }).texts);
  const zone = await page.evaluate(() => new Intl.DateTimeFormat().resolvedOptions().timeZone);
  const written = texts.join(" ");
  for (const part of ["Queue entries added", "main · Sum", zone, ...head.split(",").slice(1)])
    expect(written).toContain(part.replaceAll('"', ""));
  const [isWhole, corner, ground] = await page.evaluate(async (base64) => {
    const image = await createImageBitmap(
      new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], { type: "image/png" }),
    );
    const chart = document.querySelectorAll<HTMLCanvasElement>(".uplot canvas")[1];
    const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
    const plot = new OffscreenCanvas(chart?.width ?? 0, chart?.height ?? 0).getContext("2d");
    if (!chart || !pen || !plot) return [false, [], []];
    pen.drawImage(image, 0, 0);
    plot.fillStyle = getComputedStyle(chart).getPropertyValue("--paper");
    plot.fillRect(0, 0, chart.width, chart.height);
    plot.drawImage(chart, 0, 0);
    const drawn = plot.getImageData(0, 0, chart.width, chart.height).data;
    const left = (image.width - chart.width) / 2;
    // The plot stands below the title, however high that is.
    const isAt = (top: number): boolean => {
      const part = pen.getImageData(left, top, chart.width, chart.height).data;
      return drawn.every((value, index) => Math.abs(value - (part[index] ?? 0)) <= 2);
    };
    const tops = Array.from({ length: image.height - chart.height }, (_, top) => top);
    return [tops.some(isAt), [...pen.getImageData(0, 0, 1, 1).data], Array.from(drawn.subarray(0, 4))];
  }, picture);
  expect(isWhole).toBe(true);
  expect(corner).toEqual(ground);
});

test("last week stands beside every line, named as such, in the table too", async () => {
  const owner = stage.database.pool("owner", 1);
  await owner.query(
    `insert into hub.metric (tenant_id, grain, queue_id, at, subtenant_id, added, delivered)
     select tenant_id, grain, queue_id, at - interval '7 days', subtenant_id, 5, 4 from hub.metric where grain = 15 and added > 0`,
  );
  // Not checked at once but with its address, which `check` would not wait for.
  await page.getByLabel("Compare with last week").click();
  await page.waitForURL("**compare=1*");
  const card = page.locator("section", { has: page.getByRole("heading", { name: "Deliveries and failures" }) });
  await card.locator("summary").click();
  const heads = card.locator("details thead th");
  await expect.poll(() => heads.allTextContents()).toContain("Delivered, a week before");
  const column = (await heads.allTextContents()).indexOf("Delivered, a week before");
  const cells = card.locator(`details tbody tr > :nth-child(${column + 1})`);
  await expect.poll(async () => (await cells.allTextContents()).reduce((sum, text) => sum + Number(text), 0)).toBeGreaterThan(3);
  const options = page.locator("main select").nth(2).locator("option");
  await expect.poll(() => options.count()).toBeGreaterThan(1);
  const queues = await options.count();
  // One for each queue (the choice has also that of all), of outcomes, of shares, and of attempts.
  await expect.poll(() => page.locator(".u-legend .u-label", { hasText: "a week before" }).count()).toBe(2 * (queues - 1) + 7);
});

test("all charts tell of the moment under the pointer", async () => {
  const times = page.locator(".u-legend .u-series:first-child .u-value");
  const plots = page.locator(".u-over");
  const told = new Set<string>();
  for (const [chart, share] of [
    [0, 0.25],
    [2, 0.75],
  ] as const) {
    const box = await plots.nth(chart).boundingBox();
    if (!box) throw new Error("the chart has no place");
    await plots.nth(chart).hover({ position: { x: box.width * share, y: box.height / 2 } });
    await expect
      .poll(async () => [...new Set(await times.allTextContents())].filter((time) => /\d/.test(time) && !told.has(time)).length)
      .toBe(1);
    const shown = await times.allTextContents();
    expect([shown.length, new Set(shown).size]).toEqual([4, 1]);
    told.add(shown[0] ?? "");
  }
  expect(told.size).toBe(2);
});

test("a click on a point opens the list of its time", async () => {
  await page.locator(".uplot").nth(1).waitFor();
  const plot = page.locator(".u-over").nth(1);
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  if (!box) throw new Error("the chart has no place");
  await page.mouse.move(box.x + box.width - 6, box.y + 60);
  await page.mouse.click(box.x + box.width - 4, box.y + 60);
  await page.waitForURL("**/queue?subtenant=main&from=*");
});

test("the dashboard tells admins of every tenant, and what its dead letters died of, on a wall too", async () => {
  await page.goto("/brightcom-dashboard");
  await page.getByRole("row", { name: "Acme" }).getByRole("cell", { name: "3", exact: true }).waitFor();
  await page.getByText("Every target answers").waitFor();
  await page.getByRole("link", { name: "Acme (1)" }).waitFor();
  await page.getByRole("button", { name: "Wallboard" }).click();
  await page.getByRole("button", { name: "Leave the wallboard" }).waitFor();
  await page.waitForURL("**view=wallboard");
  await page.locator(".uplot canvas").waitFor();
  await page.getByRole("row", { name: "Acme · main" }).waitFor();
});

test("on a phone every figure of the dashboard's tenants and queues is in sight, below what it counts", async () => {
  const phone = await stage.open({ at: "/brightcom-dashboard", view: { ...desktop, width: 360, height: 740 } });
  for (const name of ["Tenants", "Worst queues"]) {
    const region = phone.getByRole("region", { name });
    const heads = region.getByRole("columnheader");
    const cells = region.getByRole("row").nth(1).getByRole("cell");
    await expect.poll(() => cells.count()).toBe((await heads.count()) - 1);
    for (const [index, cell] of (await cells.all()).entries()) {
      expect(await cell.innerText()).toContain(await heads.nth(index + 1).textContent());
      const { left, right } = await cell.evaluate((element) => element.getBoundingClientRect());
      expect([left >= 0, right <= 360]).toEqual([true, true]);
    }
  }
  await phone.context().close();
});

test("the dashboard shows the throughput of the last hour as a chart and a table, which add up to the same as its tenants", async () => {
  await page.goto("/brightcom-dashboard");
  const card = page.locator("section", { has: page.getByRole("heading", { name: "Throughput per minute" }) });
  await card.locator(".uplot canvas").waitFor();
  await card.locator("summary").click();
  await expect.poll(() => card.locator("details thead th").allTextContents()).toEqual(["Time", "Added", "Delivered", "Failed attempts"]);
  await expect.poll(() => card.locator("details tbody tr").count()).toBe(60);
  for (const [column, sum] of [
    [2, 3],
    [3, 2],
    [4, 1],
  ] as const) {
    const figures = await card.locator(`details tbody tr > :nth-child(${column})`).allTextContents();
    expect(figures.reduce((all, text) => all + Number(text), 0)).toBe(sum);
  }
});

test("the dashboard names the worst queue with its tenant and subtenant, and leads to its list", async () => {
  const row = page.getByRole("row", { name: "Acme · main" });
  await row.getByRole("cell", { name: "1", exact: true }).waitFor();
  await row.getByRole("link").click();
  await page.waitForURL(/\/queue\?subtenant=main&queue=\d+/);
  await page.getByRole("link", { name: "BROKEN-1" }).waitFor();
});

const card = (title: string) => page.locator("section", { has: page.getByRole("heading", { level: 2, name: title, exact: true }) });

test("the hub lists the subtenant's open alerts and its running and failed jobs as they come and go, and leads to each", async () => {
  const owner = stage.database.pool("owner", 1);
  await page.goto("/subtenant/main/dashboard");
  await card("Alerts").getByText("No alert needs a person").waitFor();
  await card("Jobs").getByText("No job is running, and none has failed").waitFor();
  await owner.query(
    `insert into hub.alert (tenant_id, rule_id, kind, object, state, subtenant_id, value, since, fired_at, snoozed_until)
     select rule.tenant_id, rule.id, rule.kind, state, state, subtenant.id, hours, now(), now(), case when state = 'snoozed' then now() + interval '1 day' end
     from hub.alert_rule rule join hub.subtenant on subtenant.tenant_id = rule.tenant_id and subtenant.code = 'main',
       (values ('firing', 7), ('acknowledged', 8), ('snoozed', 9)) as one (state, hours)
     where rule.kind = 'stock-stale'`,
  );
  await owner.query(
    `insert into hub.run (tenant_id, kind, subtenant_id, integration_point_id, entity_type, state, total, done, lease_until, finished_at)
     select point.tenant_id, kind, point.subtenant_id, point.id, 'item', state, 10, 4, 'infinity', case when state <> 'running' then now() end
     from (select * from hub.integration_point order by id limit 1) point,
       (values ('resync', 'running'), ('rebuild', 'failed'), ('poll', 'done')) as one (kind, state)`,
  );
  await owner.query("select pg_notify('jobs_changed', tenant_id::text) from hub.run");
  await card("Alerts").getByText("8 hours ago").waitFor();
  expect(await card("Alerts").getByRole("listitem").count()).toBe(2);
  await card("Alerts").getByText("No owner").first().waitFor();
  const running = card("Jobs").getByRole("listitem").filter({ hasText: "Resync" });
  await running.getByText("4 of 10").waitFor();
  expect(await running.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("4");
  await card("Jobs").getByRole("listitem").filter({ hasText: "External items rebuilt" }).getByText("Failed").waitFor();
  expect(await card("Jobs").getByRole("listitem").count()).toBe(2);

  await card("Alerts").getByRole("link", { name: "8 hours ago" }).click();
  await page.waitForURL(/\/alerts\?subtenant=main&alert=\d+/);
  await page.getByRole("dialog", { name: "Stock figures are old" }).waitFor();
  await page.goto("/subtenant/main/dashboard");
  await running.getByRole("link").click();
  await page.waitForURL(/\/jobstatus-list\?subtenant=main&run=\d+/);
  await page.getByRole("dialog", { name: /^Run \d+$/ }).waitFor();
  await page.goto("/subtenant/main/dashboard");
  await card("Alerts").getByRole("link", { name: "All alerts" }).click();
  await page.waitForURL("**/alerts?subtenant=main");
  await page.goto("/subtenant/main/dashboard");
  await card("Jobs").getByRole("link", { name: "Job status" }).click();
  await page.waitForURL("**/jobstatus-list?subtenant=main");

  await page.goto("/subtenant/main/dashboard");
  await card("Alerts").getByText("8 hours ago").waitFor();
  await owner.query("update hub.alert set state = 'recovered', recovered_at = now(), snoozed_until = null");
  await owner.query("update hub.run set state = 'done', finished_at = now()");
  await owner.query("select pg_notify('jobs_changed', tenant_id::text) from hub.run");
  await card("Alerts").getByText("No alert needs a person").waitFor();
  await card("Jobs").getByText("No job is running, and none has failed").waitFor();
});

test("the hub of a subtenant that the tenant hasn't says so", async () => {
  await page.goto("/subtenant/nowhere/dashboard");
  await page.getByText("This does not exist, or is no longer kept.").waitFor();
});

test("what is chosen while another screen is on its way stays with the subtenant", async () => {
  const own = await stage.open({ at: "/subtenant/main/dashboard" });
  const code = Promise.withResolvers<void>();
  await own.route(/\/assets\/toolbox-page-/, async (route) => {
    await code.promise;
    await route.fallback();
  });
  await own.getByRole("navigation").getByRole("link", { name: "Toolbox" }).click();
  await own.waitForURL("**/toolbox");
  await own.locator("main select").first().selectOption("week");
  await own.waitForURL("**/subtenant/main/dashboard?range=week");
  code.resolve();
  await own.context().close();
});
