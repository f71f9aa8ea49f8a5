/**
 * The part of reading routes that depends on their kind. Everything else is the same for all kinds.
 */
import type { BackendReference, Route } from "../../../model/gateway/objects.ts";
import type { Snapshot } from "../../../model/snapshot.ts";
import type { Table } from "../../../model/table.ts";
import type { Attachment } from "./attach.ts";
import type { RulesRead } from "./rules.ts";
import type { BackendWorld } from "./targets.ts";

export interface RouteReader<R extends Route> {
  /** `metadata.kind` of the routes. */
  readonly kind: R["kind"] & string;
  table(snapshot: Snapshot): Table<R>;
  /** Returns all Services that the route names, as backends and for mirrors. */
  references(route: R): readonly BackendReference[];
  /**
   * Returns the RouteSettings that its filters name, by `namespace/name`. It is absent for kinds
   * without filters.
   */
  settings?(route: R): readonly string[];
  /** Reads the rules. `attachments` are those of the route, at least one. */
  rules(route: R, world: BackendWorld, attachments: readonly Attachment[]): RulesRead;
}
