// SPDX-License-Identifier: Apache-2.0
// Engine: many requests through one model: admits, prefills in chunks, decodes together, cancels,
// counts.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/constraint.h"
#include "model/model.h"

namespace seqgpt {

struct EngineOptions {
  size_t kv_bytes = size_t{512} << 20;  // memory for KV blocks
  int chunk_tokens = 512;               // most tokens of one step
  int max_running = 64;                 // sequences that share a step
  // Of it, at most this much keeps what was read of ended prompts, where no request needs it; 0:
  // off.
  size_t prefix_cache_bytes = size_t{256} << 20;
  int draft_tokens = 8;  // most guesses of a constraint that one pass checks; 0: none are drafted
  // Most guesses of all sequences together: a pass of few rows waits for memory, so that a wrong
  // guess costs next to nothing; one of many waits for arithmetic, where it costs its row.
  int draft_rows = 32;
  // Prompts of more tokens are long: their keys and values are stored as ModelOptions::long_kv
  // says. Where that differs from `kv`, each kind has half of the bytes above.
  int long_prompt_tokens = 1024;
};

/// Free or constrained generation. With a constraint repetition_penalty must be 1, and nothing
/// beyond the allowed rows is ever computed.
struct GenerateRequest {
  std::vector<int32_t> prompt = {};  // at least one id
  int max_new_tokens = 256;
  int beams = 1;
  float repetition_penalty = 1.0F;  // as HF: once for each distinct id of prompt and output
  std::vector<int32_t> eos = {};    // ids that end a free generation
  std::shared_ptr<const Constraint> constraint = {};  // null: free
  /// Asked after each token of a greedy free generation; true stops it (stop strings).
  std::function<bool(std::span<const int32_t> generated)> stop = {};
};

/// How one token of a generation came about.
struct TokenChoice {
  int32_t id = 0;
  bool chosen = false;  // false: forced
  int candidates = 0;   // rows that competed
  float logprob = 0;    // log-softmax over the competitors (all rows when free; of the penalised
                      // values when there is a repetition penalty, as HF's `scores`); 0 when forced
};

struct GeneratedSequence {
  std::vector<int32_t>
      tokens;        // greedy: EOS kept as last token, as HF's generate(); free beams: without EOS
  double score = 0;  // sum of log-probabilities / generated tokens, EOS counted
  bool ended_by_eos = false;
};

struct Generation {
  std::vector<GeneratedSequence> sequences;  // best first; one unless beams
  std::vector<TokenChoice> choices;          // of the best, one a token; free beams: none
  Constraint::State final_state;             // with a constraint
  enum class Finish { kEos, kLength, kStop, kConstraint } finish = Finish::kLength;
};

/// Log-probabilities of given continuations of one prompt; the prompt is read once, the
/// continuations together in one further pass. ids_allowed[i] (ascending, holding tokens[i]) are
/// the competitors of token i; an empty ids_allowed means all vocabulary rows at each token.
struct ScoreRequest {
  struct Continuation {
    std::vector<int32_t> tokens = {};
    std::vector<std::vector<int32_t>> ids_allowed = {};
  };
  std::vector<int32_t> prompt = {};
  std::vector<Continuation> continuations = {};
};
struct Scores {
  std::vector<std::vector<float>> logprobs;  // [continuation][token]
};

/// Raw outputs after given positions of one prompt (classification heads: of the class logits), or
/// the hidden states there.
struct LogitsQuery {
  std::vector<int32_t> prompt = {};
  std::vector<int> positions = {};  // ascending; outputs are Model::output_width() wide
  bool hidden = false;  // of generating models: behind the last norm, hidden numbers wide, in f32
};
struct LogitsAnswer {
  std::vector<std::vector<float>> values;  // one for each position
};

struct EngineCounters {
  uint64_t steps = 0;             // forward passes
  uint64_t rows = 0;              // rows that they computed: prompts, tokens, guesses
  uint64_t prompt_tokens = 0;     // rows computed for prompts
  uint64_t decoded_tokens = 0;    // tokens chosen
  uint64_t forced_tokens = 0;     // tokens appended without a choice
  uint64_t scored_tokens = 0;     // rows computed for continuations
  uint64_t drafted_tokens = 0;    // guesses put before the model
  uint64_t accepted_tokens = 0;   // those that it chose: they took no pass of their own
  uint64_t logits_rows = 0;       // vocabulary rows computed
  uint64_t full_rows = 0;         // outputs over all vocabulary rows; none under a constraint
  uint64_t prefix_lookups = 0;    // prompts looked up in the prefix cache,
  uint64_t prefix_hits = 0;       // those of which it had a beginning,
  uint64_t prefix_tokens = 0;     // rows that were not computed for it,
  uint64_t prefix_evictions = 0;  // blocks that it gave up
  uint64_t finished = 0;
  uint64_t cancelled = 0;
  uint64_t failed = 0;
  int running = 0;  // sequences in flight now
  int waiting = 0;
  int kv_blocks_used = 0;    // that requests hold
  int kv_blocks_cached = 0;  // that the prefix cache keeps, for itself or together with requests
  int kv_blocks_total = 0;
  size_t kv_bytes_used = 0;   // of kv_blocks_used, as stored
  size_t kv_bytes_total = 0;  // of kv_blocks_total
};

using RequestId = uint64_t;

/// Thread contract: one thread owns an engine and makes all calls. No global state: two engines
/// live in one process. Order of admission is order of submission; the answer of a request never
/// depends on what else runs.
class Engine {
 public:
  /// The model must outlive the engine.
  static Result<std::unique_ptr<Engine>> create(Model& model, const EngineOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Whose the requests are that are submitted from now on; "" until said. Only those of one owner
  /// share what was read of their prompts.
  void set_owner(std::string owner);

  // Submit: errors at once for what can never run (an empty prompt, an id outside the vocabulary, a
  // request larger than the whole KV memory, limits of the struct's comments).
  Result<RequestId> submit(GenerateRequest request);
  Result<RequestId> submit(ScoreRequest request);
  Result<RequestId> submit(LogitsQuery request);

  /// Ends a request now and frees its blocks; its result becomes kCancelled. Unknown ids are
  /// ignored.
  void cancel(RequestId id);

  /// One forward pass over what is ready. False when there was nothing to do.
  bool step();

  /// True when the request has ended (well or not) and its result can be taken, once.
  bool done(RequestId id) const;
  Result<Generation> take_generation(RequestId id);
  /// A greedy generation under way as far as it is decided, or one that has ended and was not
  /// taken; null for all else. Good until the next call that is not const.
  const Generation* peek_generation(RequestId id) const;
  Result<Scores> take_scores(RequestId id);
  Result<LogitsAnswer> take_logits(RequestId id);

  // Submit, step until done, take: for callers with one request.
  Result<Generation> generate(GenerateRequest request);
  Result<Scores> score(ScoreRequest request);
  Result<LogitsAnswer> logits(LogitsQuery request);

  const EngineCounters& counters() const;

 private:
  struct Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace seqgpt
