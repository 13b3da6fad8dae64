// SPDX-License-Identifier: Apache-2.0
// Reading and writing the lines of --jsonl.
#include "tools/json_lines.h"

#include <charconv>
#include <istream>
#include <ostream>

#include "api/body.h"
#include "base/json_depth.h"

namespace seqgpt {
namespace {

constexpr size_t kMaxLineBytes = size_t{64} << 20;

Result<std::string> answer_line(
    const std::string& line, const std::function<Result<std::string>(const JsonRequest&)>& answer) {
  if (line.size() > kMaxLineBytes)
    return Error{ErrorCode::kTooLarge, "a line may have at most 64 MiB"};
  if (json_deeper_than(line, kMaxRequestDepth))
    return Error{ErrorCode::kInvalidArgument, "JSON is nested deeper than 64 levels"};
  const JsonRequest request = JsonRequest::parse(line, nullptr, false);
  if (request.is_discarded())
    return Error{ErrorCode::kInvalidArgument, "not valid JSON (in UTF-8)"};
  if (!request.is_object())
    return Error{ErrorCode::kInvalidArgument, "a line must be a JSON object"};
  return answer(request);
}

template <typename T, typename Append>
void append_list(std::string& out, const std::vector<T>& values, const Append& append) {
  out += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    append(values[i]);
  }
  out += ']';
}

}  // namespace

std::string error_line(const Error& error) {
  return error_body(error, -1);
}

int run_json_lines(std::istream& in, std::ostream& out,
                   const std::function<Result<std::string>(const JsonRequest&)>& answer) {
  int failed = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const Result<std::string> result = answer_line(line, answer);
    failed += !result.ok();
    out << (result.ok() ? *result : error_line(result.error())) << '\n' << std::flush;
  }
  return failed;
}

Result<std::vector<int32_t>> ids_field(const JsonRequest& request, const char* name) {
  const auto found = request.find(name);
  const std::string field = name;
  if (found == request.end())
    return Error{ErrorCode::kInvalidArgument, "\"" + field + "\" is missing", field};
  if (!found->is_array())
    return Error{ErrorCode::kInvalidArgument, "\"" + field + "\" must be a list of token ids",
                 field};
  std::vector<int32_t> ids;
  for (size_t i = 0; i < found->size(); ++i) {
    const JsonRequest& item = (*found)[i];
    const bool fits =
        item.is_number_integer() && item.get<int64_t>() >= 0 && item.get<int64_t>() <= INT32_MAX;
    if (!fits) {
      const std::string place = field + "[" + std::to_string(i) + "]";
      return Error{ErrorCode::kInvalidArgument, place + " must be a token id (0 or more)", place};
    }
    ids.push_back(item.get<int32_t>());
  }
  return ids;
}

Result<int64_t> integer_field(const JsonRequest& request, const char* name, int64_t fallback,
                              int64_t low, int64_t high) {
  const auto found = request.find(name);
  if (found == request.end()) return fallback;
  const bool fits =
      found->is_number_integer() && found->get<int64_t>() >= low && found->get<int64_t>() <= high;
  if (fits) return found->get<int64_t>();
  return Error{ErrorCode::kInvalidArgument,
               std::string(name) + " must be a whole number from " + std::to_string(low) + " to " +
                   std::to_string(high),
               name};
}

Result<double> number_field(const JsonRequest& request, const char* name, double fallback) {
  const auto found = request.find(name);
  if (found == request.end()) return fallback;
  if (!found->is_number())
    return Error{ErrorCode::kInvalidArgument, std::string(name) + " must be a number", name};
  return found->get<double>();
}

void append_floats(std::string& out, const std::vector<float>& values) {
  append_list(out, values, [&out](float value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    out.append(digits, end);
  });
}

void append_ids(std::string& out, const std::vector<int32_t>& ids) {
  append_list(out, ids, [&out](int32_t id) { out += std::to_string(id); });
}

}  // namespace seqgpt
