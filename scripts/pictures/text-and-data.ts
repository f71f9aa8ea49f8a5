/** The drawing of text and data: which part of a configuration needs a reload of nginx. */
import { arrow, card, colours, label, picture, sans } from "./svg.ts";

const note = `${sans};font-size:13px;fill:${colours.accent}`;
const small = `${sans};font-size:12px;fill:${colours.faint}`;

export function textAndData(): string {
  const objects = { x: 20, y: 60, width: 180, height: 152 };
  const sluice = { x: 260, y: 84, width: 150, height: 104 };
  const text = { x: 560, y: 20, width: 360, height: 104 };
  const data = { x: 560, y: 148, width: 360, height: 122 };
  return picture(940, 490, "Settings are text in nginx.conf; routes, endpoints and certificates are data", [
    card(objects, colours.plain, "The cluster", [
      "Ingresses",
      "Gateways and routes",
      "Services, EndpointSlices",
      "Secrets",
      "the ConfigMap",
    ]),
    arrow([
      [200, 136],
      [258, 136],
    ]),
    card(sluice, colours.plain, "Sluice", ["translates", "renders", "publishes"]),
    arrow([
      [410, 116],
      [470, 116],
      [470, 72],
      [558, 72],
    ]),
    label(452, 60, "a new setting:", note),
    label(452, 44, "nginx reloads", note),
    arrow([
      [410, 156],
      [470, 156],
      [470, 208],
      [558, 208],
    ]),
    label(430, 230, "all other changes:", note),
    label(430, 246, "live in milliseconds", note),
    card(text, colours.text, "Text: nginx.conf", [
      "one server for all hosts",
      "shape a1: proxy_read_timeout 60s; ...",
      "shape b2: proxy_read_timeout 60s; auth_request ...",
    ]),
    card(data, colours.data, "Data: shared memory", [
      "shop.example.com/: shape a1, Service web",
      "shop.example.com/admin: shape b2, Service admin",
      "Service web: 10.0.0.7:8080, 10.0.0.8:8080",
      "the certificate of shop.example.com",
    ]),
    label(20, 320, "The request GET https://shop.example.com/admin", `${sans};font-size:14px;font-weight:600`),
    ...steps.flatMap(([heading, ...lines], i) => step(i, heading, lines)),
    label(20, 476, "Thousands of hosts share a few shapes, so most changes need no new text.", small),
  ]);
}

const steps: readonly (readonly [string, ...string[]])[] = [
  ["1. certificate.lua", "finds the certificate", "by the name in the", "TLS handshake"],
  ["2. route.lua", "finds the record of host", "and path, which names", "shape b2"],
  ["3. shape b2", "follows the annotations:", "it asks the auth service", "first"],
  ["4. balance.lua", "picks an endpoint of", "the Service admin", ""],
];

function step(i: number, heading: string, lines: readonly string[]): string[] {
  const x = 20 + i * 230;
  const drawn = card({ x, y: 336, width: 200, height: 116 }, i === 2 ? colours.text : colours.data, heading, lines);
  const next = arrow([
    [x + 200, 394],
    [x + 228, 394],
  ]);
  return i < steps.length - 1 ? [drawn, next] : [drawn];
}
