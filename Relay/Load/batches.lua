-- Batches of 50 entries, each with a unique identifier.
-- Maximum throughput:                wrk -t1 -c4 -d180s --latency -s Relay/Load/batches.lua http://127.0.0.1:8377/
-- From 50 clients, one a second each: wrk -t1 -c50 -d180s --latency -s Relay/Load/batches.lua http://127.0.0.1:8377/ -- 1000
local f = string.format
local r = math.random
math.randomseed(os.time())
local function uuid() return f("%08X-%04X-%04X-%04X-%06X%06X", r(0, 0x7fffffff), r(0, 0xffff), r(0, 0xffff), r(0, 0xffff), r(0, 0xffffff), r(0, 0xffffff)) end
local tail = f('"correlation_id":"%s","timestamp":"2026-11-21T08:00:00.123Z","source":"ios","level":"info","event":"http.response","payload":{"method":"GET","status":200,"duration_ms":12.5,"url":"http://127.0.0.1/items"},"session_id":"%s"}', uuid(), uuid())
local pause = 0
function init(args)
  local seed = 0
  for c in tostring(wrk.thread):gmatch("%x%x$") do seed = tonumber(c, 16) end
  math.randomseed(os.time() * 256 + seed)
  pause = tonumber(args[1]) or 0
end
-- Varies the pause by 10 %, so that the clients do not synchronize.
function delay() return pause == 0 and 0 or r(pause * 9 / 10, pause * 11 / 10) end
function request()
  local e = {}
  for i = 1, 50 do e[i] = '{"id":"' .. uuid() .. '",' .. tail end
  return wrk.format("POST", "/debug/logs", {["Content-Type"] = "application/json"}, '{"entries":[' .. table.concat(e, ",") .. "]}")
end
