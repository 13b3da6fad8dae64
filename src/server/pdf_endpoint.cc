// SPDX-License-Identifier: Apache-2.0
// The page's PDFs: read on a thread of their own, one at a time, since a child is waited for.
#include <nlohmann/json.hpp>

#include "server/app.h"

namespace seqgpt {
namespace {

std::pair<int, std::string_view> pdf_status(ErrorCode code) {
  if (code == ErrorCode::kUnsupported) return {501, "unsupported"};
  if (code == ErrorCode::kBadFile) return {422, "bad_file"};
  return {http_status(code), error_type(code)};
}

std::string pdf_body(const PdfText& read) {
  const nlohmann::ordered_json body = {{"text", read.text}, {"pages", read.pages}};
  return body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

App::~App() {
  if (pdf_thread_.joinable()) pdf_thread_.join();
}

void App::pdf_text(const CallPtr& call) {
  if (pdf_busy_.exchange(true)) {
    return fail(call, 503, "overloaded",
                {ErrorCode::kOverloaded, "another PDF is being read; try again in a moment"},
                {{"Retry-After", "2"}});
  }
  if (pdf_thread_.joinable()) pdf_thread_.join();  // of the one before, which has ended
  pdf_thread_ = std::thread([this, call] {
    const Result<PdfText> read = pdf_.read(call->request.body);
    if (read.ok()) {
      finish_json(call, pdf_body(*read));
    } else {
      const auto [status, type] = pdf_status(read.error().code);
      fail(call, status, type, read.error());
    }
    pdf_busy_ = false;
  });
}

}  // namespace seqgpt
