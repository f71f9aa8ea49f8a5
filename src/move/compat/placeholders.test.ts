import { expect, test } from "vitest";
import { withNamesFilled } from "./placeholders.ts";

test.each([
  ["    - host: app.${DOMAIN}", "    - host: app.domainxxx"],
  ['    - host: "app.${DOMAIN}" # ours', '    - host: "app.domainxxx" # ours'],
  ["        - ${HOST}.${SECRET_DOMAIN/./-}", "        - hostxxx.secretdomainxxxxxxxx"],
  ["    - host: &host app.${DOMAIN}", "    - host: &host app.domainxxx"],
  ["  name: ${APP}-web", "  name: appxxx-web"],
  ["  nginx.ingress.kubernetes.io/auth-url: ${URL}", undefined],
  ["    proxy-body-size: ${SIZE}", undefined],
  ["      - --ingress-class=${CLASS}", undefined],
  ["  set $a ${DOMAIN};", undefined],
])("%s", (text, expected = text) => {
  expect(withNamesFilled(text)).toBe(expected);
  expect(withNamesFilled(text)).toHaveLength(text.length);
});
