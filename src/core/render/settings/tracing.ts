/** OpenTelemetry: the lines of the http block and the file that its module reads. */

import { settings as declarations, type Settings } from "../../settings/registry.ts";
import type { Capabilities } from "../../tokens/capabilities.ts";
import type { Machine } from "../../tokens/machine.ts";
import { Token } from "../../tokens/token.ts";

/**
 * Returns the view of `templates/settings/opentelemetry.tmpl`. If only some locations trace,
 * `conf.ts` turns `on` to true.
 */
export function tracingView(settings: Settings, can: Capabilities, { files }: Machine) {
  const { opentelemetryConfig, opentelemetryOperationName: operation } = settings;
  const ours = opentelemetryConfig === declarations.opentelemetryConfig.default;
  return {
    on: can.otel && settings.enableOpentelemetry,
    config: Token.word(ours ? files.telemetry : opentelemetryConfig),
    operation: operation === undefined ? false : declarations.opentelemetryOperationName.kind.view(operation),
  };
}

/**
 * Returns the text of the telemetry file in TOML, whose basic strings are quoted like those of
 * JSON.
 */
export function telemetryFile(settings: Settings): string {
  return `exporter = "otlp"
processor = "batch"

[exporters.otlp]
host = ${JSON.stringify(settings.otlpCollectorHost ?? "")}
port = ${settings.otlpCollectorPort}

[processors.batch]
max_queue_size = ${settings.otelMaxQueuesize}
schedule_delay_millis = ${settings.otelScheduleDelayMillis}
max_export_batch_size = ${Math.min(settings.otelMaxExportBatchSize, settings.otelMaxQueuesize)}

[service]
name = ${JSON.stringify(settings.otelServiceName)}

[sampler]
name = ${JSON.stringify(settings.otelSampler)}
ratio = ${settings.otelSamplerRatio}
parent_based = ${settings.otelSamplerParentBased}
`;
}
