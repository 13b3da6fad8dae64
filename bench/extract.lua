-- SPDX-License-Identifier: Apache-2.0
-- wrk script: one extraction after another on every connection (closed loop: the highest rate, not the waiting).
--   wrk -t2 -c24 -d30s --latency -s bench/extract.lua http://127.0.0.1:8000
-- SEQGPT_KEY is sent as bearer key when set. Texts differ by a number, so that no answer is shared or cached.
local texts = {
  "王伟，现任上海云图数据科技有限公司CTO，2022年3月加入，年薪%d万元。",
  "甲方：北京远山贸易有限公司，合同金额人民币%d元，签订日期2024年5月8日。",
  "客户李娜反映%d号订单三天未发货，联系电话13800138000，要求退款。",
}
local labels = '["姓名","公司","职位","金额","日期"]'
local key = os.getenv("SEQGPT_KEY")
local count = 0
local thread_count = 0

function setup(thread)
  thread:set("offset", thread_count * 1000000)
  thread_count = thread_count + 1
end

function init()
  wrk.headers["Content-Type"] = "application/json"
  if key then wrk.headers["Authorization"] = "Bearer " .. key end
end

function request()
  count = count + 1
  local text = string.format(texts[count % #texts + 1], (offset or 0) + count)
  return wrk.format("POST", "/extract", nil, '{"text":"' .. text .. '","labels":' .. labels .. "}")
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"req_per_s":%.2f,"p50_ms":%.1f,"p95_ms":%.1f,"p99_ms":%.1f,"http_errors":%d,"socket_errors":%d}\n',
    summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1e3, latency:percentile(95) / 1e3,
    latency:percentile(99) / 1e3, errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
