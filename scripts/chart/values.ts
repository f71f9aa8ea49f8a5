/** Every value of the chart, in the order of the values file. */
import type { ChartValue } from "./value.ts";
import { admission } from "./values/admission.ts";
import { controllerValues } from "./values/controller.ts";
import { defaultBackend } from "./values/default-backend.ts";
import { controllerImage } from "./values/image.ts";
import { metricsValues } from "./values/metrics.ts";
import { naming } from "./values/naming.ts";
import { older } from "./values/older.ts";
import { own } from "./values/own.ts";
import { podValues } from "./values/pod.ts";
import { scaling } from "./values/scaling.ts";
import { serviceValues } from "./values/service.ts";

export const chartValues: readonly ChartValue[] = [
  ...naming,
  ...own,
  ...controllerImage,
  ...controllerValues,
  ...podValues,
  ...scaling,
  ...serviceValues,
  ...admission,
  ...metricsValues,
  ...defaultBackend,
  ...older,
];
