import { expect, test } from "vitest";
import { toolCall } from "./call.ts";

const shape = { folders: ["FOLDER"] };
const flagsOf = (...argv: string[]) => {
  const call = toolCall(argv, shape);
  if (call.kind !== "call") throw new Error(call.kind);
  return call.flags;
};

test("for files the flags are those of serve, which has one class and unprivileged ports", () => {
  expect(flagsOf("shop")).toMatchObject({ watchIngressWithoutClass: true, httpPort: 8080 });
});

test("for a cluster the flags are those of a controller in it, with the chart's ConfigMap", () => {
  const expected = {
    watchIngressWithoutClass: false,
    httpPort: 80,
    configmap: "ingress-nginx/ingress-nginx-controller",
  };
  expect(flagsOf("--kubeconfig=/a/config")).toMatchObject(expected);
  expect(flagsOf("--context=prod")).toMatchObject(expected);
  expect(flagsOf("--context=prod", "--watch-ingress-without-class", "--configmap=a/b")).toMatchObject({
    watchIngressWithoutClass: true,
    configmap: "a/b",
  });
});

test("a missing argument and an unknown format give one sentence each", () => {
  expect(toolCall([], shape)).toEqual({ kind: "failure", why: "it takes FOLDER, and here is none" });
  expect(toolCall(["-oyaml", "shop"], shape)).toEqual({
    kind: "failure",
    why: '-o takes text or json, and here is "yaml"',
  });
});
