import { expect, test } from "vitest";
import { toolCall } from "./call.ts";

const shape = { folders: ["FOLDER"] };
const flagsOf = (...argv: string[]) => {
  const call = toolCall(argv, shape);
  if (call.kind !== "call") throw new Error(call.kind);
  return call.flags;
};

test("on files the flags are those of serve, which has one class and unprivileged ports", () => {
  expect(flagsOf("shop")).toMatchObject({ watchIngressWithoutClass: true, httpPort: 8080 });
});

test("of a cluster they are those of a controller in it, with the chart's ConfigMap", () => {
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

test("what is missing, and a format that is none, are one sentence", () => {
  expect(toolCall([], shape)).toEqual({ kind: "failure", why: "it takes FOLDER, and here is none" });
  expect(toolCall(["-oyaml", "shop"], shape)).toEqual({
    kind: "failure",
    why: '-o takes text or json, and here is "yaml"',
  });
});
