/** Paths of rewrites are decoded, as nginx has paths, and those of redirects are escaped. */
import { expect, test } from "vitest";
import { filtersOf } from "./filters.ts";

const prefixed = (path: string) => ({ type: "ReplacePrefixMatch", replacePrefixMatch: path });
const full = (path: string) => ({ type: "ReplaceFullPath", replaceFullPath: path });

function rewritten(path: ReturnType<typeof full> | ReturnType<typeof prefixed>): string | undefined {
  const read = filtersOf([{ type: "URLRewrite", urlRewrite: { path } }], "/a");
  return read.ok ? read.filters?.rewrite?.path?.path : undefined;
}

function redirected(path: ReturnType<typeof full> | ReturnType<typeof prefixed>): string | undefined {
  const read = filtersOf([{ type: "RequestRedirect", requestRedirect: { path } }], "/a");
  return read.ok ? read.filters?.redirect?.path?.path : undefined;
}

test.each([
  ["/a%20b", "/a b"],
  ["/caf%C3%A9", "/café"],
  ["/café", "/café"],
  ["/100%", "/100%"],
  ["/100%25", "/100%"],
  ["/a%zz", "/a%zz"],
  ["/a%ff", "/a%ff"],
  ["/a%0d%0ab", "/a%0d%0ab"],
])("the path %s of a rewrite is read as %s", (written, read) => {
  expect([rewritten(full(written)), rewritten(prefixed(written))]).toEqual([read, read]);
});

test.each([
  ["/a%20b", "/a%20b"],
  ["/a b", "/a%20b"],
  ["/café?q=1", "/caf%C3%A9?q=1"],
  ["/a\r\nb", "/a%0D%0Ab"],
])("the path %j of a redirect is sent as %s", (written, sent) => {
  expect([redirected(full(written)), redirected(prefixed(written))]).toEqual([sent, sent]);
});

test("a header takes one action, whatever the case of its name, and of two values in one list the first", () => {
  const read = (requestHeaderModifier: object) =>
    filtersOf([{ type: "RequestHeaderModifier", requestHeaderModifier }], undefined);
  const one = { name: "X-A", value: "1" };
  expect(read({ set: [one], add: [{ name: "x-a", value: "2" }] })).toMatchObject({
    ...{ ok: false, reason: "UnsupportedValue", part: "[0].requestHeaderModifier.add[0].name" },
    why: '"x-a" is in set too, and a header takes one action',
  });
  expect(read({ add: [one], remove: ["X-a"] })).toMatchObject({
    ok: false,
    part: "[0].requestHeaderModifier.remove[0]",
  });
  expect(read({ set: [one, { name: "x-a", value: "2" }], remove: ["X-B", "x-b"] })).toMatchObject({
    ok: true,
    filters: { requestHeaders: { set: [one], remove: ["x-b"] } },
  });
});

test.each([
  [{ type: "URLRewrite", urlRewrite: { path: prefixed("/b") } }, ".urlRewrite.path", "PathPrefix"],
  [{ type: "RequestRedirect", requestRedirect: { path: prefixed("/b") } }, ".requestRedirect.path", "PathPrefix"],
  [{ type: "URLRewrite", urlRewrite: { hostname: "a b" } }, ".urlRewrite.hostname", "is not a host"],
  [{ type: "RequestRedirect", requestRedirect: { statusCode: 304 } }, ".requestRedirect.statusCode", "is not one of"],
  [{ type: "RequestRedirect", requestRedirect: { scheme: "ftp" } }, ".requestRedirect.scheme", "http or https"],
  [{ type: "ExternalAuth", externalAuth: { protocol: "TCP" } }, ".externalAuth.protocol", "is not HTTP or GRPC"],
])("the filter %j of a match without a prefix has a mistake at %s", (filter, part, why) => {
  const read = filtersOf([filter as never], undefined);
  expect(read).toMatchObject({ ok: false, part: `[0]${part}`, why: expect.stringContaining(why) });
});
