/**
 * Chromium with one page, on a running controller. Requests to other hosts are recorded and
 * refused.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { onTestFinished } from "vitest";

/** Debian's Chromium, which `npm test page` installs. */
const chromiumPath = "/usr/bin/chromium";
export const hasChromium = existsSync(chromiumPath);

export function startBrowser(...more: readonly string[]): Promise<Browser> {
  // The browser shows only the controller of the test, in a network namespace of the test's own, so
  // it needs no sandbox.
  return chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu", ...more] });
}

export interface Opened {
  readonly page: Page;
  /**
   * The requests to other hosts than the controller, and the errors of the page's scripts and
   * console.
   */
  readonly wrong: readonly string[];
}

/** Opens a page that is closed at the end of the test. `origin` is that of the controller. */
export async function openPage(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ baseURL: origin, reducedMotion: "reduce", ...options });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(120_000);
  const wrong: string[] = [];
  await context.route(
    (url) => url.origin !== origin,
    (route) => {
      wrong.push(`asks ${route.request().url()}`);
      return route.abort();
    },
  );
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") wrong.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, wrong };
}

/** Returns the visible text of an element. */
export function seen(element: Locator): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: what is hidden, and lines without a break, are no text for people
  return element.innerText();
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/**
 * Returns the rules of accessibility that the page breaks (WCAG 2.2 AA and good practice), each
 * with an element at fault.
 */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  // The page allows no foreign script, so the checker is injected through the protocol of the
  // browser's tools.
  await page.evaluate(axeSource);
  const { violations } = (await page.evaluate("axe.run(document)")) as AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
