/** What a worker keeps of the shared records when clients ask for names that have none. */
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { testNginx } from "./support/nginx.ts";
import { request } from "./support/request.ts";

const lua = fileURLToPath(new URL("../../nginx/lua", import.meta.url));
const to = "127.99.0.3:8080";

test("a flood of unknown names takes no decoded record away", async () => {
  const nginx = await testNginx();
  onTestFinished(() => nginx.stop());
  await nginx.serve({
    workers: 1,
    http: `
    lua_package_path "${lua}/?.lua;;";
    lua_shared_dict sluice_records_3 4m;
    server {
      listen ${to};
      location / {
        content_by_lua_block {
          local decode, decoded = require("sluice.decode"), 0
          package.loaded["sluice.decode"] = function(...)
            decoded = decoded + 1
            return decode(...)
          end
          local store, records = require("sluice.store"), ngx.shared.sluice_records_3
          local function of(name)
            local record = store.get("host", name, 1)
            return record and record.root
          end
          for at = 1, 100 do
            records:set("host known" .. at, '{"root":"/' .. at .. '"}', 0, at)
          end
          local roots = {}
          for _ = 1, 3 do
            for at = 1, 100 do
              roots[at] = of("known" .. at)
            end
            -- 60,000 names of 250 characters are more than all that a worker keeps.
            for at = 1, 60000 do
              assert(of(("x"):rep(240) .. at) == nil)
            end
          end
          records:set("host " .. ("x"):rep(240) .. "60000", '{"root":"/new"}', 0, 101)
          records:delete("host known1")
          local function at_next(name)
            local record = store.get("host", name, 2)
            return record and record.root or "none"
          end
          ngx.print(decoded, " ", roots[100], " ", at_next(("x"):rep(240) .. "60000"), " ", at_next("known1"))
        }
      }
    }`,
  });
  expect((await request({ to })).body).toBe("100 /100 /new none");
});
