-- Requests of the shop's customers for wrk: of ten, one lists the products, eight view one, and one places an order.
local number = 0

request = function()
    number = number + 1
    local turn = number % 10
    local headers = {
        ["traceparent"] = string.format("00-%032x-%016x-01", number, number),
        ["x-user"] = tostring(math.floor(number / 10) % 10000),
    }
    if turn == 0 then
        headers["Content-Type"] = "application/json"
        local order = string.format('{"product":%d,"quantity":%d,"card":"4000000000000002"}', number % 7 + 1, number % 5 + 1)
        return wrk.format("POST", "/orders", headers, order)
    elseif turn == 1 then
        return wrk.format("GET", "/products", headers)
    end
    return wrk.format("GET", "/products/" .. turn, headers)
end

done = function(summary)
    io.write(string.format("RESULT %d %d %d\n", summary.requests, summary.duration, summary.errors.status))
end
