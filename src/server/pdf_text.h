// SPDX-License-Identifier: Apache-2.0
// The text of a PDF by poppler's pdftotext, run as a child that may do nothing else.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"

namespace seqgpt {

struct PdfText {
  std::string text;  // UTF-8; a form feed of pdftotext has become a line feed
  int pages = 0;     // a scan has pages and no text
};

struct PdfLimits {
  size_t input_bytes = size_t{32} << 20;
  size_t text_bytes = size_t{8} << 20;
  std::chrono::seconds time{20};              // wall clock and processor time
  uint64_t memory_bytes = uint64_t{1} << 30;  // address space of the child
};

/// Thread contract: read() may be called by many; one PDF is read at a time, others are told to
/// come again. It blocks for as long as the child runs.
class PdfReader {
 public:
  explicit PdfReader(const PdfLimits& limits = {});
  /// A given program in place of the installed one.
  PdfReader(std::filesystem::path program, const PdfLimits& limits);

  /// Errors: kUnsupported (no pdftotext here), kBadFile (damaged or locked), kTooLarge,
  /// kOverloaded (another PDF is being read), kIo.
  Result<PdfText> read(std::string_view pdf);

 private:
  std::filesystem::path program_;  // empty: not installed
  PdfLimits limits_;
  std::mutex busy_;
};

}  // namespace seqgpt
