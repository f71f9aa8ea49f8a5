/** Files that Sluice writes from settings, and that nginx.conf names. */

import type { Settings } from "../../settings/registry.ts";
import type { Capabilities } from "../../tokens/capabilities.ts";
import type { Machine } from "../../tokens/machine.ts";
import type { ServerPlace } from "../../tokens/place.ts";
import { telemetryFile } from "./tracing.ts";

/** Returns `machine` with the names of the files, which `place` collects. */
export function withSettingsFiles(
  machine: Machine,
  settings: Settings,
  can: Capabilities,
  place: ServerPlace,
): Machine {
  const { sslSessionTicketKey: ticketKey, followed } = settings;
  const written = (content: string | Uint8Array | undefined) =>
    content === undefined ? undefined : place.file("loaded", content);
  return {
    ...machine,
    files: {
      ...machine.files,
      dhParam: written(followed.dhParam),
      ticketKey: written(ticketKey === undefined ? undefined : Buffer.from(ticketKey, "base64")),
      telemetry: written(can.otel ? telemetryFile(settings) : undefined) ?? machine.files.telemetry,
    },
  };
}
