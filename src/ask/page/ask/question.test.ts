import { expect, test } from "vitest";
import { askedIn } from "./question.ts";

function nameSent(url: string, host: string): string | undefined {
  const asked = askedIn({ url, headers: { Host: host } });
  return typeof asked === "string" ? asked : asked.request?.sni;
}

test("the handshake has the name in the URL, and none where that is an address", () => {
  expect(nameSent("https://One.example:8443/", "two.example")).toBe("one.example");
  expect(nameSent("https://192.0.2.1:8443/", "two.example")).toBe("");
  expect(nameSent("https://[2001:db8::1]/", "two.example")).toBe("");
});
