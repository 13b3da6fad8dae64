// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without a fuzzer: its corpus, then seeded random changes of the corpus.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;
using Random = std::mt19937;

/// An input in a heap block of exactly its size, so that a read past its end is seen by a
/// sanitizer.
void run(const std::string& input) {
  const std::vector<uint8_t> exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

/// The corpus in order of file name: the changes must be the same everywhere.
std::vector<std::string> read_corpus(const fs::path& directory) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(directory)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::string> inputs;
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

void change(std::string& input, const std::string& other, Random& random) {
  const size_t at = input.empty() ? 0 : random() % input.size();
  const size_t count = random() % 16;
  switch (random() % 6) {
    case 0:
      input.resize(at);
      return;
    case 1:
      input.erase(at, count);
      return;
    case 2:  // a piece of another input
      input.insert(at, other, other.empty() ? 0 : random() % other.size(), count);
      return;
    case 3:  // an extreme number
      input.insert(at, std::string(count, random() % 2 ? '\xFF' : '\0'));
      return;
    default:
      if (!input.empty()) input[at] = static_cast<char>(random());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || !fs::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: %s CORPUS_DIRECTORY ROUNDS\n", argv[0]);
    return 2;
  }
  const std::vector<std::string> corpus = read_corpus(argv[1]);
  if (corpus.empty()) return 2;
  for (const std::string& input : corpus) run(input);
  Random random(20240607);
  const int rounds = std::atoi(argv[2]);
  for (int round = 0; round < rounds; ++round) {
    std::string input = corpus[random() % corpus.size()];
    for (unsigned n = random() % 4 + 1; n > 0; --n) {
      change(input, corpus[random() % corpus.size()], random);
    }
    run(input);
  }
  std::printf("%zu files and %d changes of them\n", corpus.size(), rounds);
  return 0;
}
