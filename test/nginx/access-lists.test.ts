/**
 * Lists of addresses as data decide like nginx's own `allow` and `deny`. One host has its lists as
 * data; another one, with a snippet, has the same lists as text.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ingress } from "../support/ingress.ts";
import { type Stand, startStand } from "./support/stand.ts";

let stand: Stand;

beforeAll(async () => {
  const settings = {
    "use-forwarded-headers": "true",
    "allow-snippet-annotations": "true",
    "annotations-risk-level": "Critical",
  };
  stand = await startStand({ mode: "dynamic", port: 8641, address: "192.0.2.91", settings });
});
afterAll(() => stand?.stop());

const clients = [
  ...["192.0.2.0", "192.0.2.7", "192.0.2.63", "192.0.2.64", "192.0.2.255", "192.0.3.0", "10.1.2.3", "0.0.0.0"],
  ...["255.255.255.255", "128.0.0.0", "127.255.255.255", "::ffff:192.0.2.7", "::ffff:10.1.2.3", "::192.0.2.7"],
  ...["::", "::1", "2001:db8::", "2001:db8::1", "2001:db8:0:8000::", "2001:db9::", "ffff::1"],
];

const lists = [
  { allow: "192.0.2.0/26" },
  { allow: "192.0.2.77/25, 10.0.0.0/8" },
  { allow: "0.0.0.0/0" },
  { allow: "::/0" },
  { allow: "128.0.0.0/1, 2001:db8::/33" },
  { allow: "192.0.2.7, 2001:db8::1" },
  { allow: "::ffff:192.0.2.0/122, ::1/128" },
  { deny: "192.0.2.0/26" },
  { deny: "0.0.0.0/0, 2001:db8::/31" },
  { deny: "2001:db8:0:8000::/49, 10.1.2.3/32" },
  { allow: "192.0.2.0/24", deny: "192.0.2.7, 192.0.2.64/26" },
  { allow: "2001:db8::/32", deny: "2001:db8::1" },
];

test.each(lists)("the lists %o decide the same as data and as text", async ({ allow, deny }) => {
  const annotations = {
    ...(allow === undefined ? {} : { "whitelist-source-range": allow }),
    ...(deny === undefined ? {} : { "denylist-source-range": deny }),
  };
  const text = { ...annotations, "configuration-snippet": "# text" };
  await stand.apply(
    ingress({ name: "data", host: "data.example", annotations }),
    ingress({ name: "text", host: "text.example", annotations: text }),
  );
  const judged = async (host: string) => {
    const answers = clients.map((client) => stand.ask(host, "/", { headers: { "X-Forwarded-For": client } }));
    return (await Promise.all(answers)).map(({ status }, at) => `${clients[at]} ${status}`);
  };
  const byText = await judged("text.example");
  expect(new Set(byText.map((line) => line.split(" ")[1]))).toEqual(new Set(["200", "403"]));
  expect(await judged("data.example")).toEqual(byText);
});
