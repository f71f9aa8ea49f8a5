/**
 * Why a request got no answer, in the words of the expectations. They were recorded with a Python
 * client, whose names for the errors are kept: `ConnectionRefusedError`, `[SSL:
 * SSLV3_ALERT_HANDSHAKE_FAILURE] sslv3 alert handshake failure`.
 */
export class Unanswered extends Error {
  readonly field: "error" | "tlsError";

  constructor(field: Unanswered["field"], message: string) {
    super(message);
    this.field = field;
  }

  /**
   * Expresses the error of a socket in these words. Returns any other error unchanged, to be thrown
   * again.
   */
  static from(error: unknown): unknown {
    if (!(error instanceof Error) || error instanceof Unanswered) return error;
    const { code = "", reason } = error as { code?: string; reason?: string };
    const name = names[code];
    if (error.message.startsWith("Client network socket disconnected before")) return new Unanswered("tlsError", ended);
    if (name) return new Unanswered("error", name);
    if (!code.startsWith("ERR_SSL_")) return error;
    const alert = alerts[/SSL alert number (\d+)/.exec(error.message)?.[1] ?? ""];
    return new Unanswered("tlsError", alert ?? `[SSL: ${code.slice("ERR_SSL_".length)}] ${reason}`);
  }
}

const ended = "[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol";
const names: Readonly<Record<string, string>> = {
  ECONNREFUSED: "ConnectionRefusedError",
  ECONNRESET: "ConnectionResetError",
  EPIPE: "BrokenPipeError",
  ETIMEDOUT: "TimeoutError",
};
/** Keyed by alert number, because OpenSSL renames them now and then. */
const alerts: Readonly<Record<string, string>> = {
  "40": "[SSL: SSLV3_ALERT_HANDSHAKE_FAILURE] sslv3 alert handshake failure",
  "42": "[SSL: SSLV3_ALERT_BAD_CERTIFICATE] sslv3 alert bad certificate",
  "48": "[SSL: TLSV1_ALERT_UNKNOWN_CA] tlsv1 alert unknown ca",
  "70": "[SSL: TLSV1_ALERT_PROTOCOL_VERSION] tlsv1 alert protocol version",
  "80": "[SSL: TLSV1_ALERT_INTERNAL_ERROR] tlsv1 alert internal error",
  "112": "[SSL: TLSV1_UNRECOGNIZED_NAME] tlsv1 unrecognized name",
  "116": "[SSL: TLSV13_ALERT_CERTIFICATE_REQUIRED] tlsv13 alert certificate required",
  "120": "[SSL] tlsv1 alert no application protocol",
};
