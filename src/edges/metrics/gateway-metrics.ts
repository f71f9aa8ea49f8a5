/**
 * Figures of the Gateway API, computed at each scrape from the live statuses; none if there are
 * no such objects.
 */
import { Gauge, type Registry } from "prom-client";
import type { Counted, GatewayFigures } from "../../core/model/gateway/figures.ts";

/** `read` returns undefined if there are no objects of the Gateway API. */
export function gatewayMetrics(registers: Registry[], read: () => GatewayFigures | undefined): void {
  const counted = (name: string, help: string, of: (figures: GatewayFigures) => Counted) =>
    new Gauge({
      registers,
      name: `sluice_${name}`,
      help,
      labelNames: ["state"],
      collect() {
        const figures = read();
        this.reset();
        if (figures === undefined) return;
        this.set({ state: "ready" }, of(figures).ready);
        this.set({ state: "other" }, of(figures).other);
      },
    });
  counted("gateways", "Gateways of this controller: ready ones are programmed.", ({ gateways }) => gateways);
  counted(
    "gateway_listeners",
    "Listeners of Gateways and ListenerSets: ready ones are programmed.",
    ({ listeners }) => listeners,
  );
  counted(
    "gateway_routes",
    "Routes that name Gateways: ready ones are accepted by one of them.",
    ({ routes }) => routes,
  );
  new Gauge({
    registers,
    name: "sluice_gateway_attached_routes",
    help: "Routes by the listeners that they are attached to, added up.",
    collect() {
      const figures = read();
      this.remove();
      if (figures !== undefined) this.set(figures.attachedRoutes);
    },
  });
  new Gauge({
    registers,
    name: "sluice_gateway_live_info",
    help: "Always 1. The version is equal in all replicas whose nginx answers by the same Gateways and routes.",
    labelNames: ["version"],
    collect() {
      const figures = read();
      this.reset();
      if (figures !== undefined) this.set({ version: figures.version }, 1);
    },
  });
}
