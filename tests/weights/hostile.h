// SPDX-License-Identifier: Apache-2.0
// Damage in bulk: every truncation of a file and many random changes, put to a parser.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

#include "weights/file_builders.h"
#include "weights/tensor_table.h"

namespace seqgpt::testing {

using Parser = std::function<Result<TensorTable>(std::span<const std::byte>)>;

/// Every view lies inside the file and is as long as its shape says; its ends are read.
inline void expect_inside(const TensorTable& table, std::span<const std::byte> file) {
  for (const NamedTensor& tensor : table.tensors) {
    const auto bytes = tensor.view.bytes;
    ASSERT_EQ(bytes.size() * 8,
              static_cast<uint64_t>(tensor.view.elements()) * dtype_bits(tensor.view.dtype));
    if (bytes.empty()) continue;
    ASSERT_GE(bytes.data(), file.data());
    ASSERT_LE(bytes.data() + bytes.size(), file.data() + file.size());
    load_element(tensor.view.dtype, bytes.data(), 0);
    load_element(tensor.view.dtype, bytes.data(), static_cast<size_t>(tensor.view.elements()) - 1);
  }
}

inline void expect_survives(const Parser& parse, const std::string& file) {
  // A copy of exact size on the heap: reading past its end is an error the sanitizer sees.
  const std::vector<char> exact(file.begin(), file.end());
  const auto bytes = std::as_bytes(std::span(exact.data(), exact.size()));
  const Result<TensorTable> table = parse(bytes);
  if (table.ok()) return expect_inside(*table, bytes);
  EXPECT_FALSE(table.error().message.empty());
}

inline void expect_no_truncation_loads(const Parser& parse, const std::string& file) {
  for (size_t size = 0; size < file.size(); ++size) {
    const std::vector<char> exact(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));
    const auto table = parse(std::as_bytes(std::span(exact.data(), exact.size())));
    EXPECT_FALSE(table.ok()) << "cut to " << size << " of " << file.size() << " bytes";
  }
}

/// One to four bytes changed at a time: flipped bits, extreme values, neighbours' values.
inline void expect_survives_changes(const Parser& parse, const std::string& file, int rounds) {
  std::mt19937 random(20240607);
  for (int round = 0; round < rounds; ++round) {
    std::string changed = file;
    for (unsigned change = random() % 4 + 1; change > 0; --change) {
      char& byte = changed[random() % changed.size()];
      switch (random() % 4) {
        case 0:
          byte = static_cast<char>(byte ^ (1 << random() % 8));
          break;
        case 1:
          byte = '\xFF';
          break;
        case 2:
          byte = changed[random() % changed.size()];
          break;
        default:
          byte = static_cast<char>(random());
      }
    }
    expect_survives(parse, changed);
  }
}

}  // namespace seqgpt::testing
