/** Tests the page in Chromium, on a controller with ten thousand hosts and continuous requests. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { accessibilityFaults, hasChromium, openPage, seen, startBrowser } from "./support/browser.ts";
import { crowd, fileOf, hostAt, ingress, shadowHost, shadowRoute } from "./support/town.ts";
import { type PageWorld, startPageWorld } from "./support/world.ts";

/** The path of each view, with parameters that make it show something. */
const views = {
  overview: "/ui/",
  routes: "/ui/routes?filter=shop",
  route: "/ui/route?host=www.shop.example.com&path=%2F&owner=shop%2Fweb",
  ask: "/ui/ask?url=https%3A%2F%2Fwww.shop.example.com%2F",
  problems: "/ui/problems",
  certificates: "/ui/certificates",
  gateways: "/ui/gateways",
  shadow: "/ui/shadow",
} as const;

const sortedRoutes = "/ui/routes?sort=requests&order=desc";

const desktop = { viewport: { width: 1280, height: 800 } };
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true };
const dark = { ...desktop, colorScheme: "dark" } as const;

if (!hasChromium) process.stderr.write("The page is not tested in a browser: there is no /usr/bin/chromium.\n");

describe.skipIf(!hasChromium)("the page", () => {
  let world: PageWorld;
  let browser: Browser;

  beforeAll(async () => {
    world = await startPageWorld();
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.stop();
  });

  /**
   * Opens one view. At the end of the test this checks that the page sent no request to another
   * host and reported no error.
   */
  async function opened(path: string, options: BrowserContextOptions = desktop): Promise<Page> {
    const { page, wrong } = await openPage(browser, world.origin, options);
    onTestFinished(() => expect(wrong).toEqual([]));
    await page.goto(path);
    await settled(page);
    return page;
  }

  test("Overview has the counts, and shows a change when it becomes live", async () => {
    const page = await opened(views.overview);
    await expect.poll(() => seen(page.locator(".tiles"))).toMatch(/10,01\d\s+Hosts/);
    await expect.poll(() => seen(page.locator(".tiles"))).toMatch(/[\d.]+\s+Requests\/s/);
    const newest = page.locator(".scroll tbody tr").first();
    world.served.write("new.yaml", fileOf([ingress({ name: "new", host: "new.shop.example.com" })]));
    await expect.poll(() => seen(newest)).toMatch(/Ingress shop\/new added.*live/s);
    world.served.write("new.yaml", undefined);
    await expect.poll(() => seen(newest)).toContain("Ingress shop/new removed");
    await page.getByLabel("Filter").fill("shop/new added");
    await expect
      .poll(() => page.locator(".scroll tbody tr").allInnerTexts())
      .toEqual([expect.stringContaining("Ingress shop/new added")]);
    expect(page.url()).toContain("filter=shop%2Fnew+added");
  });

  test("Overview begins with what needs attention, the worst first, and has plots", async () => {
    const page = await opened(views.overview);
    const list = page.getByRole("list", { name: "What needs attention" });
    await expect.poll(() => seen(list)).toMatch(/routes? (answers?|are|is|have|has) /);
    await expect.poll(() => page.getByRole("img", { name: /^Requests\/s, at most / }).count()).toBe(1);
    await list.getByRole("link").first().click();
    await expect.poll(() => page.url()).toContain("filter=");
  });

  test("the slash goes to the filter, and an address without a view is a page with links", async () => {
    const page = await opened("/ui/routes");
    await page.keyboard.press("/");
    await page.keyboard.type("/cart");
    expect(await page.getByLabel("Filter").inputValue()).toBe("/cart");
    const { page: lost, wrong } = await openPage(browser, world.origin, desktop);
    expect((await lost.goto("/ui/rotues"))?.status()).toBe(404);
    await expect.poll(() => seen(lost.locator("main"))).toMatch(/There is no such page.*\/ui\/rotues is not a view/s);
    await lost.getByRole("link", { name: "Routes" }).last().click();
    await expect.poll(() => lost.locator("tbody tr").count()).toBe(100);
    expect(wrong.filter((one) => !one.includes("404"))).toEqual([]);
  });

  test("Overview names the annotation of an object that has changed", async () => {
    const of = (annotations: Record<string, string>) =>
      world.served.write("moved.yaml", fileOf([ingress({ name: "moved", host: "moved.example.com", annotations })]));
    const page = await opened("/ui/?filter=shop/moved");
    const rows = page.locator(".scroll tbody tr");
    of({});
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining("Ingress shop/moved added")]);
    of({ "proxy-read-timeout": "77" });
    await expect
      .poll(() => seen(rows.first()))
      .toMatch(/Ingress shop\/moved changed \(annotation proxy-read-timeout\)\s+live\s+[\d.]+ m?s/);
    world.served.write("moved.yaml", undefined);
  });

  test("Routes filters ten thousand rows during typing, and its address can be shared", async () => {
    const page = await opened("/ui/routes");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(100);
    const wanted = hostAt(7_777);
    await page.getByLabel("Filter").pressSequentially(wanted);
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    expect(await seen(page.locator("tbody"))).toContain(wanted);
    expect(await seen(page.getByRole("status").last())).toMatch(/^1 of 10,01\d routes$/);
    const other = await opened(page.url().slice(world.origin.length));
    await expect.poll(() => other.locator("tbody tr").count()).toBe(1);
    expect(await other.getByLabel("Filter").inputValue()).toBe(wanted);
  });

  test("a cancelled or refused request is not an error, and a refusal is shown until it is over", async () => {
    const { page, wrong } = await openPage(browser, world.origin, desktop);
    await page.goto("/ui/routes");
    await settled(page);
    const failure = page.locator(".failure");
    const words = "abcdefghijklmnopqrstu".split("");
    // Each letter sends a request, and cancels the one before.
    await page.getByLabel("Filter").pressSequentially(words.join(" "));
    await expect.poll(() => seen(failure)).toBe("filter has 21 words, and may have 20");
    await page.getByLabel("Filter").fill("www.shop");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    expect(await failure.isVisible()).toBe(false);
    await page.goto("/ui/routes?sort=nothing");
    await expect.poll(() => seen(failure)).toContain('sort is "nothing", and may be host, path');
    await page.goto("/ui/routes?page=99999");
    await expect.poll(() => seen(page.locator(".pager"))).toMatch(/10,001 to 10,0\d\d of/);
    expect(wrong.filter((one) => !one.includes("the server responded with a status of 400"))).toEqual([]);
  });

  test("Routes are sorted by a click, and shown page by page", async () => {
    const page = await opened("/ui/routes");
    const first = page.locator("tbody tr").first();
    await page.getByRole("button", { name: "Requests/s" }).click();
    await expect
      .poll(() => page.getByRole("columnheader", { name: "Requests/s" }).getAttribute("aria-sort"))
      .toBe("descending");
    await expect.poll(() => seen(first)).toContain("www.shop.example.com");
    await expect.poll(async () => Number(await seen(first.locator('[data-label="Requests/s"]')))).toBeGreaterThan(1);
    await page.goto("/ui/routes");
    const before = await seen(first);
    await page.getByRole("button", { name: "Next" }).click();
    await expect.poll(() => seen(page.locator(".pager"))).toContain("101 to 200");
    expect(page.url()).toContain("page=2");
    expect(await seen(first)).not.toBe(before);
  });

  test("a route has its endpoints with state, times and failures, its canary, and its settings with their source", async () => {
    const page = await opened(views.routes);
    await page.getByRole("link", { name: "www.shop.example.com/", exact: true }).click();
    const text = () => seen(page.locator("main"));
    await expect.poll(text).toMatch(/127\.0\.0\.2[12]:\d+\s+shop\/web:80\s+ready\s+[\d.]+ m?s\s+0/);
    await expect
      .poll(text)
      .toMatch(/127\.0\.0\.29:\d+\s+connect\(\) failed.*\s+shop\/web:80\s+ready\s+\S+ m?s\s+[1-9]/);
    await expect.poll(text).toMatch(/127\.0\.0\.28\s+shop\/web:80\s+not ready/);
    expect(await text()).toMatch(/shop\/web-next:80 canary\s+20 of 100/);
    expect(await text()).toMatch(/proxy-read-timeout\s+30\s+annotation of Ingress shop\/web/);
    expect(await text()).toMatch(/keep-alive\s+30\s+key of ConfigMap ingress-nginx\/settings/);
    expect(await text()).toMatch(/configuration-snippet\s+not shown/);
    await expect.poll(text).toMatch(/p50 [\d.]+ m?s, p99 (≥ )?[\d.]+ m?s/);
  });

  test("endpoints of a route have a filter and an order where there are many", async () => {
    const page = await opened("/ui/route?host=crowd.shop.example.com&path=%2F&owner=shop%2Fcrowd");
    const rows = page.getByRole("table", { name: "Endpoints" }).locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(crowd + 2);
    await page.getByLabel("Filter").fill("not ready");
    await expect.poll(() => rows.count()).toBe(crowd);
    expect(await seen(page.getByRole("status").last())).toBe(`${crowd} of ${crowd + 2} endpoints`);
    await page.getByRole("button", { name: "Endpoint", exact: true }).click();
    await expect.poll(() => seen(rows.first())).toContain("127.0.0.100");
    const other = await opened(page.url().slice(world.origin.length));
    await expect.poll(() => seen(other.getByRole("status").last())).toBe(`${crowd} of ${crowd + 2} endpoints`);
    const few = await opened(views.route);
    expect(await few.getByLabel("Filter").isVisible()).toBe(false);
  });

  test("Ask explains a request step by step, and its address contains the request", async () => {
    const page = await opened("/ui/");
    await page.getByRole("link", { name: "Ask", exact: true }).click();
    await page.getByLabel("URL").fill("http://www.shop.example.com/cart");
    await page.getByLabel("Headers").fill("X-Word: one\nX-Other: two");
    await page.getByRole("button", { name: "Ask" }).click();
    await expect.poll(() => seen(page.locator(".answered"))).toMatch(/goes to a backend/);
    const text = await seen(page.locator(".answered"));
    expect(text).toMatch(/shop\/web:80.*80 %/s);
    expect(text).toMatch(/shop\/web-next:80.*20 %/s);
    const other = await opened(page.url().slice(world.origin.length));
    await expect.poll(() => seen(other.locator(".answered"))).toMatch(/goes to a backend/);
    expect(await other.getByLabel("Headers").inputValue()).toBe("X-Word: one\nX-Other: two");
    await page.getByLabel("URL").fill("http://guarded.shop.example.com/");
    await page.getByRole("button", { name: "Ask" }).click();
    await expect.poll(() => seen(page.locator(".verdict"))).toContain("answers 503");
    await page.getByLabel("URL").fill("http://listed.shop.example.com/");
    await page.getByRole("button", { name: "Ask" }).click();
    await expect
      .poll(() => seen(page.locator(".verdict")))
      .toMatch(/goes to a backend, unless one of these stops it: access-lists$/);
  });

  test("a Problem appears with its sentence on the open page, and disappears when it is corrected", async () => {
    const page = await opened("/ui/problems?filter=shop/shaky");
    const rows = page.locator(".scroll tbody tr");
    await expect.poll(() => seen(page.locator(".scroll"))).toBe("Nothing matches the filter.");
    const of = (annotations: Record<string, string>) =>
      world.served.write("shaky.yaml", fileOf([ingress({ name: "shaky", host: "shaky.example.com", annotations })]));
    of({ "proxy-body-size": "8 m" });
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([
        expect.stringMatching(
          /^Ingress shop\/shaky\s+annotation proxy-body-size: "8 m".*as with the default\s+\d+ s ago$/s,
        ),
      ]);
    of({ "proxy-body-size": "8m" });
    await expect.poll(() => rows.count()).toBe(0);
  });

  test("Problems lists the paths that answer 503, by cause", async () => {
    const page = await opened(views.problems);
    const causes = await page.getByRole("table", { name: "By cause" }).locator("tbody tr").allInnerTexts();
    const of = (host: string) => causes.find((text) => text.includes(host));
    expect(of("empty.shop.example.com")).toContain("no endpoint of shop/empty:80 is ready, and 1 is not");
    expect(of("lost.shop.example.com")).toContain("Service shop/nowhere not found");
    expect(of("guarded.shop.example.com")).toContain("auth-secret");
    await page.getByRole("link", { name: "Ingress shop/lost" }).click();
    await expect.poll(() => page.url()).toContain("/ui/routes?filter=Ingress+shop%2Flost");
    await expect
      .poll(() => page.locator("tbody tr").allInnerTexts())
      .toEqual([expect.stringMatching(/^lost\.shop\.example\.com\/.*no endpoints/s)]);
  });

  test("an object that nginx refused is listed with nginx's message, until it is corrected", async () => {
    const page = await opened(views.problems);
    const refused = page.getByRole("table", { name: "Refused by nginx" });
    const of = (snippet: string) => {
      const annotations = { "configuration-snippet": snippet };
      world.served.write("odd.yaml", fileOf([ingress({ name: "odd", host: "odd.example.com", annotations })]));
    };
    of("some_words on;");
    await expect
      .poll(() => refused.locator("tbody tr").allInnerTexts())
      .toEqual([expect.stringMatching(/^Ingress shop\/odd\s.*unknown directive "some_words"/s)]);
    of("set $some words;");
    await expect.poll(() => refused.count()).toBe(0);
    world.served.write("odd.yaml", undefined);
  });

  test("Certificates begins with the expired ones", async () => {
    const page = await opened(views.certificates);
    const rows = await page.locator("tbody tr").allInnerTexts();
    expect(rows[0]).toMatch(/^shop\/old\s.*expired/s);
    expect(rows[1]).toMatch(/^shop\/soon\s.*expires soon/s);
    expect(rows.find((text) => text.startsWith("shop/fresh"))).toMatch(/www\.shop\.example\.com.*ok/s);
  });

  test("Gateways has listeners and routes with their conditions", async () => {
    const page = await opened(views.gateways);
    expect(await seen(page.getByRole("table", { name: "Listeners of shop/public" }))).toMatch(
      /web\s+21090 HTTP\s+all\s+[1-3]\s+Accepted True/,
    );
    expect(await seen(page.getByRole("table", { name: "Routes of Gateways" }))).toMatch(
      /HTTPRoute shop\/basket\s+basket\.example\.com.*ResolvedRefs False.*shop\/nowhere not found/s,
    );
  });

  test("the filter of Gateways also finds listeners and routes", async () => {
    const page = await opened(views.gateways);
    const routes = page.getByRole("table", { name: "Routes of Gateways" });
    await page.getByLabel("Filter").pressSequentially("basket");
    await expect.poll(() => routes.locator("tbody tr").count()).toBe(1);
    expect(await page.getByRole("heading", { name: "Gateway shop/public" }).count()).toBe(0);
    await page.getByLabel("Filter").fill("shop/public web");
    await expect.poll(() => page.getByRole("heading", { name: "Gateway shop/public" }).count()).toBe(1);
  });

  test("Shadow lists how a route in shadow would differ, and keeps it when the route serves", async () => {
    const page = await opened(views.overview);
    await page.getByRole("link", { name: "Shadow", exact: true }).click();
    const tried = page.locator("tbody tr");
    const text = () => seen(tried.first());
    await world.askGateway(shadowHost, "/cart/x?id=hunter2-value&hunter2-token");
    await expect
      .poll(text)
      .toMatch(
        /tried\.example\.com\/cart\s+shop\/tried.*route shop\/old.*backend\s+other Services get them\s+\d+.*in shadow/s,
      );
    expect(await text()).toContain(`GET http://${shadowHost}/cart/x?id=&…`);
    expect(await text()).not.toContain("hunter2");
    const requests = async () => Number(await seen(tried.first().locator('[data-label="Requests"]')));
    const before = await requests();
    await world.askGateway(shadowHost, "/cart/y");
    await expect.poll(requests).toBeGreaterThan(before);
    world.served.write("shadow.yaml", fileOf([shadowRoute({})]));
    await expect.poll(text).toMatch(/serves now\s+since \d+ s ago/);
    world.served.write("shadow.yaml", fileOf([shadowRoute({ "sluice.dev/shadow": "true" })]));
    await expect.poll(text).toMatch(/in shadow$/);
  });

  test.each(Object.entries(views))(
    "%s has no fault of accessibility in light, dark and narrow form",
    async (_name, path) => {
      for (const options of [desktop, dark, phone]) {
        const page = await opened(path, options);
        expect.soft(await accessibilityFaults(page), JSON.stringify(options)).toEqual([]);
      }
    },
  );

  test.each([...Object.entries(views), ["a very long path", "/ui/routes?filter=long.shop"]])(
    "%s fits the width of a phone",
    async (_name, path) => {
      const page = await opened(path, phone);
      const tooWide = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect(tooWide).toBe(0);
    },
  );

  test.each([...Object.entries(views), ["routes with figures", sortedRoutes]])(
    "%s fits a small desktop",
    async (_name, path) => {
      const page = await opened(path);
      if (path === sortedRoutes) await expect.poll(() => seen(page.locator("tbody"))).toMatch(/\d ms/);
      const content = await page.locator("main .view").boundingBox();
      for (const table of await page.locator(".view table").all())
        expect((await table.boundingBox())!.width).toBeLessThanOrEqual(content!.width);
    },
  );

  test("the heads of a long table stay in sight", async () => {
    const page = await opened("/ui/routes");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(100);
    await page.evaluate("scrollTo(0, 2000)");
    await expect.poll(async () => (await page.getByRole("columnheader", { name: "Owner" }).boundingBox())?.y).toBe(0);
  });

  test("on a phone the buttons above the cards sort them, and stay where they were scrolled to", async () => {
    const page = await opened("/ui/routes", phone);
    const button = page.getByRole("button", { name: "Requests/s" });
    await button.click();
    await expect.poll(() => seen(page.locator("tbody tr").first())).toContain("www.shop.example.com");
    const figures = page.locator('tbody tr:first-child [data-label="Requests/s"]');
    const before = await seen(figures);
    await expect.poll(() => seen(figures)).not.toBe(before);
    const { x, width, height } = (await button.boundingBox())!;
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(phone.viewport.width);
    expect(height).toBeGreaterThanOrEqual(24);
  });

  test("everything works with the keyboard alone, and the focus stays through live updates", async () => {
    const page = await opened(views.overview);
    const focused = () => page.evaluate("document.activeElement?.textContent?.trim()");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement?.id")).toBe("content");
    await page.goto(views.overview);
    await tabTo(page, "Routes");
    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("Routes");
    await settled(page);
    await page.keyboard.press("Tab");
    await page.keyboard.type("www.shop");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await tabTo(page, "Requests/s");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toContain("sort=requests");
    await expect.poll(focused).toBe("Requests/s");
    const figures = page.locator('[data-label="Requests/s"]');
    const before = await seen(figures);
    await expect.poll(() => seen(figures)).not.toBe(before);
    expect(await focused()).toBe("Requests/s");
    await tabTo(page, "www.shop.example.com/");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.title()).toBe("Route · Sluice");
    await page.goBack();
    await expect.poll(() => page.getByLabel("Filter").inputValue()).toBe("www.shop");
  });

  test("a page that cannot reach the controller shows that, and continues by itself afterwards", async () => {
    const { page } = await openPage(browser, world.origin, desktop);
    await page.goto(views.overview);
    await settled(page);
    await page.context().setOffline(true);
    await page
      .getByRole("link", { name: "Problems" })
      .first()
      .click()
      .catch(() => {});
    await page.context().setOffline(false);
    await page.goto(views.problems);
    await settled(page);
    await expect.poll(() => seen(page.locator("#live"))).toBe("live");
  });

  /** Rewrites the pictures of docs/page.md: `PAGE_SCREENSHOTS=write npm test page`. */
  test("the pictures of the documentation show the present page", async (context) => {
    if (process.env.PAGE_SCREENSHOTS !== "write") context.skip("only PAGE_SCREENSHOTS=write rewrites them");
    const folder = join(import.meta.dirname, "../../docs/page");
    mkdirSync(folder, { recursive: true });
    const measured = { overview: /[1-9][\d.]*\s+Requests\/s/, routes: /\d ms/, route: /p99 \d/ };
    const pictures = { ...views, routes: sortedRoutes };
    for (const at of ["/cart/4711?coupon=x", "/cart", "/cart/add"]) await world.askGateway(shadowHost, at);
    for (const [name, path] of Object.entries(pictures)) {
      const page = await opened(path, name === "routes" ? dark : desktop);
      await expect.poll(() => seen(page.locator("#live"))).toBe("live");
      const figures = measured[name as keyof typeof measured];
      if (figures !== undefined) await expect.poll(() => seen(page.locator("main"))).toMatch(figures);
      await page.screenshot({ path: join(folder, `${name}.png`) });
    }
  });
});

/** Waits until the view shows its answer. */
async function settled(page: Page): Promise<void> {
  await page.locator("main").locator(".view table, .empty, .arrival, .failure:visible").first().waitFor();
}

/** Presses Tab until the element with this text has the focus. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let at = 0; at < 60; at++) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate("document.activeElement?.textContent?.trim()")) === text) return;
  }
  throw new Error(`the key Tab does not lead to ${text}`);
}
