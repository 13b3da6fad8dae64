// SPDX-License-Identifier: Apache-2.0
// The answers of the logits and generate commands.
#include "tools/model_tools.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace seqgpt {
namespace {

Error bad_positions(const std::string& message) {
  return Error{ErrorCode::kInvalidArgument, message, "positions"};
}

Result<int> resolve_position(int64_t position, size_t prompt_tokens) {
  const auto count = static_cast<int64_t>(prompt_tokens);
  const int64_t resolved = position < 0 ? position + count : position;
  if (resolved >= 0 && resolved < count) return static_cast<int>(resolved);
  return bad_positions("position " + std::to_string(position) + " is outside the " +
                       std::to_string(count) + " ids");
}

Result<std::vector<int>> resolve_positions(const std::vector<int64_t>& written,
                                           size_t prompt_tokens) {
  std::vector<int> positions;
  for (const int64_t position : written) {
    SEQGPT_ASSIGN(const int resolved, resolve_position(position, prompt_tokens));
    positions.push_back(resolved);
  }
  if (positions.empty()) return bad_positions("no position is given");
  std::ranges::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

Result<std::string> logits_text(Engine& engine, std::vector<int32_t> ids,
                                std::vector<int> positions) {
  LogitsQuery query;
  query.prompt = std::move(ids);
  query.positions = positions;
  SEQGPT_ASSIGN(const LogitsAnswer answer, engine.logits(std::move(query)));
  std::string out = "{\"logits\":[";
  for (size_t i = 0; i < positions.size(); ++i) {
    out += (i ? "," : "") + std::string("{\"position\":") + std::to_string(positions[i]) +
           ",\"values\":";
    append_floats(out, answer.values[i]);
    out += "}";
  }
  return out + "]}";
}

Result<std::string> forced_logprobs(Engine& engine, const GenerateArguments& arguments) {
  ScoreRequest request;
  request.prompt = arguments.ids;
  request.continuations.push_back({arguments.forced, {}});
  SEQGPT_ASSIGN(const Scores scores, engine.score(std::move(request)));
  std::string out = "{\"logprobs\":";
  append_floats(out, scores.logprobs.front());
  return out + "}";
}

std::string sequences_text(const Generation& generation) {
  std::string out = "{\"sequences\":[";
  for (size_t i = 0; i < generation.sequences.size(); ++i) {
    const GeneratedSequence& sequence = generation.sequences[i];
    out += (i ? ",{\"tokens\":" : "{\"tokens\":");
    append_ids(out, sequence.tokens);
    out += ",\"score\":" + JsonRequest(sequence.score).dump();
    if (!generation.choices.empty()) {
      std::vector<float> logprobs;
      for (const TokenChoice& choice : generation.choices) logprobs.push_back(choice.logprob);
      out += ",\"logprobs\":";
      append_floats(out, logprobs);
    }
    out += "}";
  }
  const bool stopped = !generation.sequences.empty() && generation.sequences.front().ended_by_eos;
  return out + "],\"stopped_by_eos\":" + (stopped ? "true" : "false") + "}";
}

}  // namespace

Result<std::vector<int>> parse_positions(std::string_view text, size_t prompt_tokens) {
  if (text == "last") return resolve_positions({-1}, prompt_tokens);
  if (text == "all") {
    std::vector<int> all(prompt_tokens);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::vector<int64_t> written;
  while (!text.empty()) {
    int64_t position = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), position);
    const auto used = static_cast<size_t>(end - text.data());
    if (code != std::errc() || (used < text.size() && text[used] != ',')) {
      return bad_positions("positions must be last, all or numbers such as 0,7");
    }
    written.push_back(position);
    text.remove_prefix(std::min(text.size(), used + 1));
  }
  return resolve_positions(written, prompt_tokens);
}

Result<std::string> logits_answer(Engine& engine, std::vector<int32_t> ids,
                                  std::string_view positions) {
  SEQGPT_ASSIGN(std::vector<int> resolved, parse_positions(positions, ids.size()));
  return logits_text(engine, std::move(ids), std::move(resolved));
}

Result<std::string> logits_answer(Engine& engine, const JsonRequest& request) {
  SEQGPT_ASSIGN(std::vector<int32_t> ids, ids_field(request, "ids"));
  const auto positions = request.find("positions");
  if (positions == request.end()) return logits_answer(engine, std::move(ids), "last");
  if (positions->is_string())
    return logits_answer(engine, std::move(ids), positions->get<std::string>());
  std::vector<int64_t> written;
  const JsonRequest list = positions->is_array() ? *positions : JsonRequest::array({*positions});
  for (const JsonRequest& item : list) {
    if (!item.is_number_integer())
      return bad_positions("positions must be \"last\", \"all\" or a list of whole numbers");
    written.push_back(item.get<int64_t>());
  }
  SEQGPT_ASSIGN(std::vector<int> resolved, resolve_positions(written, ids.size()));
  return logits_text(engine, std::move(ids), std::move(resolved));
}

Result<std::string> generate_answer(Engine& engine, int32_t eos_id,
                                    const GenerateArguments& arguments) {
  if (!arguments.forced.empty()) return forced_logprobs(engine, arguments);
  GenerateRequest request;
  request.prompt = arguments.ids;
  request.max_new_tokens = arguments.max_new_tokens;
  request.beams = arguments.beams;
  request.repetition_penalty = arguments.repetition_penalty;
  request.eos = {eos_id};
  SEQGPT_ASSIGN(const Generation generation, engine.generate(std::move(request)));
  return sequences_text(generation);
}

Result<std::string> generate_answer(Engine& engine, int32_t eos_id, const JsonRequest& request) {
  GenerateArguments arguments;
  SEQGPT_ASSIGN(arguments.ids, ids_field(request, "ids"));
  SEQGPT_ASSIGN(const int64_t max_new_tokens,
                integer_field(request, "max_new_tokens", 32, 1, 1 << 20));
  SEQGPT_ASSIGN(const int64_t beams, integer_field(request, "beams", 1, 1, 64));
  SEQGPT_ASSIGN(const double penalty, number_field(request, "repetition_penalty", 1.0));
  arguments.max_new_tokens = static_cast<int>(max_new_tokens);
  arguments.beams = static_cast<int>(beams);
  arguments.repetition_penalty = static_cast<float>(penalty);
  if (request.contains("forced")) {
    SEQGPT_ASSIGN(arguments.forced, ids_field(request, "forced"));
  }
  return generate_answer(engine, eos_id, arguments);
}

}  // namespace seqgpt
