/**
 * Attacks on the page in Chromium: markup, scripts, addresses and invisible signs in all texts that
 * tenants write, and pages of other sites in the same browser.
 */
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { issued } from "../../src/core/certificates/issue.ts";
import { request } from "../nginx/support/request.ts";
import { ports, type Served, serving } from "../nginx/support/serve.ts";
import { hasChromium, openPage, seen, startBrowser } from "./support/browser.ts";
import { fileOf, gatewayPort, hostile, ingress, shadowHost, townFiles } from "./support/town.ts";

const origin = `http://127.0.0.1:${ports.health}`;
const otherPort = 21_259;
const otherSite = `http://evil.example:${otherPort}/`;
const evil = `http://evil.example:${ports.health}`;
const dark = { viewport: { width: 1280, height: 800 }, colorScheme: "dark" } as const;
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true };

/** Each would call `pwned`, load something, or lead elsewhere, if a view made markup of it. */
const payloads = [
  `"><img src=x onerror=pwned()>`,
  `'><svg/onload=pwned()>`,
  `<script>pwned()</script>`,
  `</title></textarea><iframe srcdoc="<script>parent.pwned()</script>">`,
  `" autofocus onfocus="pwned()" x="`,
  `javascript:pwned()//`,
  `data:text/html,<script>pwned()</script>`,
  `//evil.example/x`,
  `{{constructor.constructor("pwned()")()}}\${pwned()}<%= 7*7 %>`,
  `<a href="javascript:pwned()" style="position:fixed;inset:0">x</a>`,
  `<base href="//evil.example/"><meta http-equiv=refresh content="0;url=//evil.example/">`,
  `&lt;img src=x onerror=pwned()&gt;&#60;`,
  `\u202egnp.exe\u2066\u200b\u200d\ufeff\u00ad<b>`,
  `${"n".repeat(3_000)}<i>`,
] as const;

/** Signs that are not seen, or that turn the text around. */
const unseen = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/;

const views = [
  ...["/ui/", "/ui/routes", "/ui/problems", "/ui/certificates", "/ui/gateways", "/ui/shadow"],
  "/ui/route?host=tls-x0.example.com&path=%2F&owner=shop%2Ftls-0",
  "/ui/ask?url=https%3A%2F%2Ftls-x0.example.com%2F",
];

function pair(name: string, text: string): object {
  const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const who = { organization: text, commonName: text };
  const times = { notBefore: new Date(Date.now() - 3_600_000), notAfter: new Date(Date.now() + 90 * 24 * 3_600_000) };
  const use = { kind: "server", names: ["x0.example.com", text] } as const;
  const cert = issued({ issuer: who, signingKey: key, subject: who, key, ...times, use });
  const base64 = (one: string | Buffer) => Buffer.from(one).toString("base64");
  const data = { "tls.crt": base64(cert), "tls.key": base64(key.export({ type: "pkcs8", format: "pem" })) };
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "shop" }, type: "kubernetes.io/tls", data };
}

/** Ingresses with the text in a path, a host and values of many kinds, and such a certificate. */
function attacking(text: string, at: number): object[] {
  const host = `x${at}.example.com`;
  const keys = [
    ...[
      "proxy-body-size",
      "auth-url",
      "auth-signin",
      "app-root",
      "permanent-redirect",
      "server-alias",
      "custom-headers",
    ],
    ...["upstream-vhost", "rewrite-target", "mirror-target", "cors-allow-origin", "whitelist-source-range"],
  ];
  const annotations = Object.fromEntries(keys.map((key) => [key, text]));
  const snippet = { "configuration-snippet": `"${text.replace(/["\\$]/g, "")}" on;` };
  return [
    ingress({ name: `x${at}`, host, annotations: { "upstream-vhost": text, "x-forwarded-prefix": text } }),
    ingress({ name: `path-${at}`, host: `path-${host}`, path: `/${text}` }),
    ingress({ name: `values-${at}`, host: `values-${host}`, annotations }),
    ingress({ name: `refused-${at}`, host: `refused-${host}`, annotations: snippet }),
    ingress({ name: `host-${at}`, host: text, secret: `pair-${at}` }),
    ingress({ name: `tls-${at}`, host: `tls-${host}`, secret: `pair-${at}` }),
    pair(`pair-${at}`, text.slice(0, 60)),
  ];
}

const strange = [
  ingress({ name: "long", host: "long.example.com", path: `/${"a".repeat(300_000)}` }),
  ingress({ name: "smile", host: "smile.example.com", path: `/${"\u{1f600}".repeat(60)}` }),
];

describe.skipIf(!hasChromium)("the page under attack", () => {
  let served: Served;
  let browser: Browser;

  beforeAll(async () => {
    const files = { ...(await townFiles(0)), "strange.yaml": fileOf([...strange, ...payloads.flatMap(attacking)]) };
    served = await serving({
      files,
      flags: ["--enable-metrics", "--configmap=ingress-nginx/settings"],
      limitMs: 200_000,
    });
    // A request that a route in shadow would take, so that each view has a row.
    await request({ to: `127.0.0.1:${gatewayPort}`, host: shadowHost, path: `/cart/${encodeURI(payloads[0])}` });
    browser = await startBrowser("--host-resolver-rules=MAP evil.example 127.0.0.1");
  });
  afterAll(async () => {
    await browser?.close();
    await served?.remove();
  });

  /** Opens a page that may run nothing of tenants, load nothing foreign, and break no policy. */
  async function opened(options: BrowserContextOptions): Promise<Page> {
    const { page, wrong } = await openPage(browser, origin, options);
    // Chromium writes each refused request to the console.
    onTestFinished(() => expect(wrong.filter((one) => !/responded with a status of 40[04]/.test(one))).toEqual([]));
    await page.addInitScript(
      "window.pwned = () => console.error('a script of a tenant runs');" +
        "document.addEventListener('securitypolicyviolation', (event) => console.error(event.effectiveDirective));",
    );
    return page;
  }

  /** Elements and attributes that no view makes, links that lead elsewhere, and the width. */
  const faults = `(() => {
    const known = /^(class|href|hidden|role|scope|title|id|for|name|type|tabindex|datetime|value|min|max|high|rows|placeholder|disabled|selected|required|autocomplete|spellcheck|(data|aria)-[a-z]+)$/;
    const all = [...document.querySelectorAll("body > :not(header) *, title > *")];
    return [
      ...all.filter((one) => one.matches("script,img,svg:not(.plot > svg),iframe,object,embed,style,link,base,meta,video,audio")),
      ...all.filter((one) => [...one.attributes].some(({ name, value }) => !known.test(name) && !(one.matches(".plot *") && /^[\\d., ]+$/.test(value)))),
      ...all.filter((one) => one.matches("a") && !(one.origin === location.origin && one.pathname.startsWith("/ui/"))),
    ].map((one) => one.outerHTML.slice(0, 300)).concat(
      all.some((one) => [...one.childNodes].some((node) => node.nodeType === 3 && !node.data.isWellFormed())) ? ["half a sign"] : [],
      document.documentElement.scrollWidth > document.documentElement.clientWidth ? ["too wide"] : [],
    );
  })()`;

  async function shows(page: Page, path: string): Promise<string> {
    await page.goto(path);
    await page.locator("main").locator(".view table, .empty, .arrival, .failure:visible").first().waitFor();
    expect.soft([path.slice(0, 200), await page.evaluate(faults)]).toEqual([path.slice(0, 200), []]);
    const text = await seen(page.locator("main"));
    expect.soft(text, path.slice(0, 200)).not.toMatch(unseen);
    return text;
  }

  test.each([
    ["dark", dark],
    ["phone", phone],
  ] as const)("objects of tenants run nothing in any view (%s)", async (_, options) => {
    const page = await opened(options);
    let text = "";
    for (const path of views) text += await shows(page, path);
    for (const filter of ["hostile", "path-", "values-", "refused-", "host-", "smile", "long.example"])
      for (const view of ["routes", "problems"]) text += await shows(page, `/ui/${view}?filter=${filter}`);
    const whole = text.replace(/\s/g, "");
    // The payloads were there, as text.
    for (const part of [
      "\\u001b[31m\\u202ered",
      "<imgsrc=xonerror=pwned()>",
      "<svg/onload=pwned()>",
      "\\u202egnp.exe\\u2066\\u200b",
      "\u{1f600}",
    ])
      expect.soft(whole).toContain(part);
    expect(whole).not.toContain("\ufffd");
    expect(await shows(page, `/ui/routes?filter=${encodeURIComponent(hostile.path)}`)).toContain(hostile.path);
    await page.getByRole("link", { name: hostile.path }).click();
    await expect.poll(() => page.title()).toBe("Route · Sluice");
    expect(new URL(page.url()).origin).toBe(origin);
  });

  test("parameters of a link run nothing", async () => {
    const page = await opened(dark);
    for (const text of payloads.slice(0, -1)) {
      const value = encodeURIComponent(text);
      await shows(page, `/ui/routes?filter=${value}`);
      await shows(page, `/ui/problems?sort=${value}&order=${value}&page=${value}`);
      await shows(page, `/ui/ask?url=${value}&method=${value}&header=x:${value}&client=${value}`);
      await shows(page, `/ui/ask?url=http://x0.example.com/${value}&header=x:${value}`);
      await shows(page, `/ui/route?host=${value}&path=${value}&owner=${value}`);
    }
  });

  test("each text of each answer may be hostile", async () => {
    const page = await opened(phone);
    let at = 0;
    // Words that a view looks up, and times, are Sluice's own.
    const own =
      /^(type|status|state|severity|outcome|since|at|until|startedAt|changedAt|not(After|Before)|expires|version|release)$/;
    const spoiled = (value: unknown, key = ""): unknown => {
      if (typeof value === "string") {
        if (own.test(key) || (key === "kind" && /^(answer|proxied|refused|unclear)$/.test(value))) return value;
        return payloads[at++ % payloads.length];
      }
      if (Array.isArray(value)) return value.map((one) => spoiled(one, key));
      if (value === null || typeof value !== "object") return value;
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, spoiled(one, name)]));
    };
    await page.route(/\/ui\/api\/v1\/(?!events|views)/, async (route) => {
      const answer = await route.fetch().catch(() => undefined);
      // The view may have been left.
      if (answer !== undefined)
        await route.fulfill({ response: answer, json: spoiled(await answer.json()) }).catch(() => {});
    });
    for (const path of [...views, ...views]) expect(await shows(page, path)).toMatch(/pwned|evil|n{30}/);
  });

  test("the policy stops what a hole would let in, and reports it", async () => {
    const { page } = await openPage(browser, origin, dark);
    const policy = (await page.goto("/ui/"))?.headers()["content-security-policy"];
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';.*require-trusted-types-for 'script'$/);
    const seenOf = (act: string) =>
      page.evaluate(`new Promise((resolve) => {
        document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective), { once: true });
        const add = (tag, values) => document.body.append(Object.assign(document.createElement(tag), values));
        try { ${act} } catch {}
      })`);
    expect(await seenOf("document.body.innerHTML = '<img src=x onerror=alert(1)>'")).toBe("require-trusted-types-for");
    expect(await seenOf("add('script', { text: 'alert(1)' })")).toBe("require-trusted-types-for");
    expect(await seenOf("add('img', { src: 'http://evil.example/' })")).toBe("img-src");
    expect(await seenOf("add('iframe', { src: '/ui/' })")).toBe("frame-src");
    expect(await seenOf("add('base', { href: 'http://evil.example/' })")).toBe("base-uri");
    expect(await seenOf("fetch('http://evil.example/').catch(() => {})")).toBe("connect-src");
    expect(
      await seenOf(
        "const form = document.createElement('form'); form.action = 'http://evil.example/'; document.body.append(form); form.submit()",
      ),
    ).toBe("form-action");
  });

  test("a page of another site reads nothing, shows no frame of it, and no other name leads to it", async () => {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    // Chromium itself protects addresses of this machine from sites elsewhere, so the other site is
    // on this machine, too: only the headers of the page keep it out.
    const other = createServer((_, response) => response.setHeader("content-type", "text/html").end("<p>other"));
    await new Promise<void>((resolve) => other.listen(otherPort, "127.0.0.1", resolve));
    onTestFinished(() => {
      other.close();
      other.closeAllConnections();
    });
    const page = await context.newPage();
    await page.goto(otherSite);
    const tried = await page.evaluate(`(async () => {
      const to = "${origin}/ui/";
      const loads = (tag, name, more = {}) => new Promise((resolve) => {
        const one = Object.assign(document.createElement(tag), { [name]: to + (more.path ?? "api/v1/status"), onload: () => resolve("loaded"), onerror: () => resolve("error") });
        document.head.append(one);
      });
      return {
        fetch: await fetch(to + "api/v1/status").then(() => "read", () => "error"),
        blind: await fetch(to + "api/v1/status", { mode: "no-cors" }).then(() => "read", () => "error"),
        post: await fetch(to + "api/v1/status", { method: "POST", body: "a" }).then(() => "read", () => "error"),
        script: await loads("script", "src", { path: "main.js" }),
        image: await loads("img", "src", { path: "icon.svg" }),
        events: await new Promise((resolve) => Object.assign(new EventSource(to + "api/v1/events"), { onopen: () => resolve("open"), onerror: () => resolve("error") })),
      };
    })()`);
    expect(tried).toEqual({
      fetch: "error",
      blind: "error",
      post: "error",
      script: "error",
      image: "error",
      events: "error",
    });
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement("iframe"), { src: "${origin}/ui/" }))`,
    );
    await expect.poll(() => page.frames()[1]?.url()).toBe("chrome-error://chromewebdata/");
    // After DNS rebinding the browser believes that the page belongs to the other site.
    for (const path of ["/ui/", "/ui/api/v1/status", "/ui/main.js"])
      expect((await page.goto(`${evil}${path}`))?.status()).toBe(403);
    expect((await page.goto(`${origin}/ui/`))?.status()).toBe(200);
  });
});
