/** Describes how the endpoints of an Upstream are chosen. */
import type { Balance } from "../../core/model/configuration.ts";

export function balanceWords(balance: Balance): string {
  switch (balance.algorithm) {
    case "round_robin":
      return "in turn";
    case "ewma":
      return "by time of answers (ewma)";
    case "hash":
      return `by hash of ${balance.by}`;
    case "cookie":
      return `by cookie ${balance.cookie.name}`;
  }
}
