/**
 * Values that ingress-nginx's chart had once and dropped by 4.15.1. Old files still carry them, so
 * they are accepted and named.
 */
import { flag, object, text, texts, whole } from "../shape.ts";
import { section } from "../value.ts";

const gone = "ingress-nginx dropped it before its last chart";

export const older = [
  section("podSecurityPolicy").noMeaning(
    "enabled",
    false,
    flag,
    `${gone}: Kubernetes has no PodSecurityPolicy any more.`,
  ),
  section("controller").noMeaning("existingPsp", "", text, `${gone}: Kubernetes has no PodSecurityPolicy any more.`),
  section("controller.admissionWebhooks").noMeaning(
    "existingPsp",
    "",
    text,
    `${gone}: Kubernetes has no PodSecurityPolicy any more.`,
  ),
  section("defaultBackend").noMeaning(
    "existingPsp",
    "",
    text,
    `${gone}: Kubernetes has no PodSecurityPolicy any more.`,
  ),
  section("controller").noMeaning(
    "opentelemetry",
    undefined,
    object,
    `${gone}: switch tracing on in controller.config with enable-opentelemetry; the image has no such module, so bring one in an image of your own.`,
  ),
  section("controller").noMeaning("headers", undefined, texts, `${gone}: use controller.proxySetHeaders.`),
  section("controller.autoscaling").noMeaning(
    "apiVersion",
    undefined,
    text,
    `${gone}: the autoscaler is always autoscaling/v2.`,
  ),
  section("defaultBackend.autoscaling").noMeaning(
    "apiVersion",
    undefined,
    text,
    `${gone}: the autoscaler is always autoscaling/v2.`,
  ),
  section("controller.admissionWebhooks").noMeaning(
    "networkPolicyEnabled",
    false,
    flag,
    `${gone}: there are no certificate jobs to shield.`,
  ),
  section("controller.admissionWebhooks.patch").noMeaning(
    "runAsUser",
    undefined,
    whole,
    `${gone}: there are no certificate jobs.`,
  ),
  section("controller.admissionWebhooks.patch").noMeaning(
    "fsGroup",
    undefined,
    whole,
    `${gone}: there are no certificate jobs.`,
  ),
  section("controller.admissionWebhooks.patch").noMeaning(
    "resources",
    undefined,
    object,
    `${gone}: there are no certificate jobs.`,
  ),
  section("controller.admissionWebhooks.patch.image").noMeaning(
    "runAsUser",
    undefined,
    whole,
    `${gone}: there are no certificate jobs.`,
  ),
  ...["controller", "defaultBackend"].map((path) =>
    section(path).noMeaning("apiVersion", undefined, text, `${gone}: the objects are those of apps/v1.`),
  ),
  ...["controller", "controller.admissionWebhooks", "controller.metrics", "defaultBackend"].map((path) =>
    section(`${path}.service`).noMeaning(
      "omitClusterIP",
      undefined,
      flag,
      `${gone}: an empty clusterIP is always left out.`,
    ),
  ),
];
