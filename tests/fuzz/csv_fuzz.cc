// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as CSV; whatever is read comes back when it is written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "records/csv_reader.h"
#include "records/csv_writer.h"

namespace {

void check_round_trip(const std::vector<std::string>& cells) {
  seqgpt::TextSource source(seqgpt::csv_record(cells));
  seqgpt::CsvReader reader(source);
  const auto again = reader.next();
  if (!again.ok() || !again->has_value() || (*again)->cells.size() != cells.size()) std::abort();
  for (size_t i = 0; i < cells.size(); ++i) {
    std::string cell = (*again)->cells[i];
    if (cell.starts_with('\'')) cell.erase(0, 1);
    if (cell != cells[i]) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  seqgpt::TextSource source(std::string(reinterpret_cast<const char*>(data), size));
  seqgpt::CsvReader reader(source, 256);
  uint64_t position = 0;
  for (;;) {
    const auto record = reader.next();
    if (!record.ok()) std::abort();
    if (!record->has_value()) break;
    if (reader.position() <= position || (*record)->cells.empty() != (*record)->error.has_value())
      std::abort();
    position = reader.position();
    if (!(*record)->error) check_round_trip((*record)->cells);
  }
  if (position != size) std::abort();
  return 0;
}
