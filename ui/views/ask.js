/** Shows how a request would be processed, without sending it. The address holds the question. */
import { get } from "../api.js";
import { badge, fill, h, row, table } from "../dom.js";

/** @import { Arrival, AskAnswer, AskedEnd, AskedGuard } from "../../src/ask/page/api/ask.ts" */
/** @import { View } from "../main.js" */

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * @param {AskedEnd} end
 * @param {readonly AskedGuard[]} guards
 */
function verdict(end, guards) {
  const may = guards.filter(({ outcome }) => outcome === "depends").map(({ what }) => what);
  switch (end.kind) {
    case "answer":
      return [
        badge(`answers ${end.status}`, end.status >= 400 ? "bad" : "calm"),
        ` ${end.why}`,
        end.location !== undefined && h("span", {}, " to ", h("code", {}, end.location)),
      ];
    case "proxied":
      return [
        badge("goes to a backend", "good"),
        end.rewritten !== undefined && h("span", {}, " as ", h("code", {}, end.rewritten)),
        end.standsIn && " (another backend stands in)",
        may.length > 0 && `, unless one of these stops it: ${may.join(", ")}`,
      ];
    case "refused":
      return [badge("is refused", "bad"), ` ${end.why}`];
    case "unclear":
      return [badge("depends", "warn"), ` ${end.why}`];
  }
}

/** @param {Arrival} arrival */
function arrivalSection(arrival) {
  const { listener, stream, steps, guards, backends, lost, settings, problems, end, changes } = arrival;
  const elsewhere = stream === "tcp" || stream === "udp" ? "At the port of a ConfigMap" : "At the ports of Ingresses";
  const place = listener ? `At Gateway ${listener.gateway}, listener ${listener.name}` : elsewhere;
  const shares = backends.map(({ service, port, share, when, endpoints, unusable }) =>
    row([
      [
        "Backend",
        [
          service ? `${service}:${port}` : "default backend",
          unusable !== undefined && h("small", { class: "loud" }, unusable),
        ],
        "wide",
      ],
      [
        "Probability",
        [
          h("meter", { min: 0, max: 1, value: share, "aria-label": "Probability" }),
          ` ${Math.round(share * 1000) / 10} %`,
        ],
      ],
      ["When", when ?? "otherwise"],
      [
        "Endpoints",
        endpoints.slice(0, 8).join(", ") + (endpoints.length > 8 ? ` and ${endpoints.length - 8} more` : "") || "none",
        "wide",
      ],
    ]),
  );
  const isNew = (/** @type {string} */ text) => !steps.some(({ says }) => says.includes(text));
  const further = problems.filter(({ sentence }) => isNew(sentence));
  const more = changes.filter(isNew);
  return h(
    "section",
    { class: "arrival" },
    h("h2", {}, place),
    h("p", { class: "verdict" }, verdict(end, guards)),
    h(
      "ol",
      { class: "steps" },
      steps.map(({ what, says }) => h("li", {}, h("b", {}, what), " ", h("span", {}, says))),
    ),
    shares.length > 0 && table("Backends", shares),
    lost.length > 0 &&
      table(
        "Other routes for this path, and why they lost",
        lost.map(({ owner, host, path, match, when, why }) =>
          row([
            [
              "Route",
              [`${host}${path}`, owner && h("small", {}, `${owner.kind} ${owner.namespace}/${owner.name}`)],
              "wide",
            ],
            ["Match", when === "" ? match : `${match}, ${when}`],
            ["Why it lost", why, "wide text"],
          ]),
        ),
      ),
    settings.length > 0 &&
      table(
        "Settings that differ from the defaults",
        settings.map(({ name, value, from }) =>
          row([
            ["Setting", h("code", {}, name)],
            ["Value", value === "…" ? h("em", {}, "not shown") : h("code", {}, value), "wide"],
            ["From", from, "wide"],
          ]),
        ),
      ),
    further.length > 0 &&
      h(
        "ul",
        { class: "problems" },
        further.map(({ object, sentence }) => h("li", {}, `${object}: ${sentence}`)),
      ),
    more.length > 0 &&
      h(
        "div",
        {},
        h("h3", {}, "What would have to change"),
        h(
          "ul",
          {},
          more.map((one) => h("li", {}, one)),
        ),
      ),
  );
}

/** @type {View} */
export const view = {
  title: "Ask",
  shows: ["routes"],
  show(root) {
    const asked = new URLSearchParams(location.search);
    const url = h("input", {
      id: "url",
      name: "url",
      required: true,
      autocomplete: "off",
      spellcheck: "false",
      placeholder: "https://shop.example.com/cart",
      value: asked.get("url") ?? "",
    });
    const method = h(
      "select",
      { id: "method", name: "method" },
      methods.map((one) => h("option", { selected: one === (asked.get("method") ?? "GET") }, one)),
    );
    const headers = h("textarea", {
      id: "headers",
      rows: 3,
      spellcheck: "false",
      placeholder: "Name: value, one on each line",
    });
    headers.value = asked.getAll("header").join("\n");
    const client = h("input", {
      id: "client",
      autocomplete: "off",
      placeholder: "192.0.2.7",
      value: asked.get("client") ?? "",
    });
    const form = h(
      "form",
      { class: "ask" },
      h("div", { class: "grow" }, h("label", { for: "url" }, "URL"), url),
      h("div", {}, h("label", { for: "method" }, "Method"), method),
      h("div", { class: "all" }, h("label", { for: "headers" }, "Headers"), headers),
      h("div", {}, h("label", { for: "client" }, "Client address"), client),
      h("div", { class: "all" }, h("button", { type: "submit", class: "action" }, "Ask")),
    );
    const answered = h("div", { class: "answered", "aria-live": "polite" });
    fill(
      root,
      h(
        "p",
        { class: "note" },
        "Says what would become of a request, or of a stream such as tcp://db.example.com:5432, step by step. Nothing is sent to a backend. The address of this page holds the question; leave passwords out of it.",
      ),
      form,
      answered,
    );
    const ask = async () => {
      const params = new URLSearchParams(location.search);
      if (!params.get("url")) return fill(answered);
      /** @type {AskAnswer} */
      const { arrivals } = await get("ask", params);
      fill(answered, arrivals.map(arrivalSection));
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const next = new URLSearchParams({ url: url.value.trim() });
      if (method.value !== "GET") next.set("method", method.value);
      for (const line of headers.value.split("\n")) if (line.trim() !== "") next.append("header", line.trim());
      if (client.value.trim() !== "") next.set("client", client.value.trim());
      history.pushState(null, "", `/ui/ask?${next}`);
      dispatchEvent(new CustomEvent("sluice:refresh"));
    });
    return { refresh: ask };
  },
};
