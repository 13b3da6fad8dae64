// SPDX-License-Identifier: Apache-2.0
// A stand-in for NVIDIA's management library: two GPUs, of which the second tells nonsense or
// nothing. Built as a library of its own, as the real one is.
#include <cstdlib>
#include <cstring>

namespace {

char sane;
char odd;
bool is(const char* mood) {
  const char* set = std::getenv("SEQGPT_FAKE_NVML");
  return set && std::strcmp(set, mood) == 0;
}

}  // namespace

extern "C" {
struct Utilization {
  unsigned gpu, memory;
};
struct Memory {
  unsigned long long total, free, used;
};

int nvmlInit_v2() {
  return is("no-driver") ? 9 : 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = is("no-gpus") ? 0 : is("endless") ? ~0U : 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = index == 0 ? &sane : &odd;
  return index < 2 ? 0 : 2;
}
int nvmlDeviceGetName(void* device, char* name, unsigned size) {
  if (device == &sane) {
    std::strncpy(name, "NVIDIA \"Test\" 9000", size);
  } else {
    std::memset(name, '\xFF', size);  // no end, no text
  }
  return 0;
}
int nvmlDeviceGetUtilizationRates(void* device, Utilization* busy) {
  *busy = {device == &sane ? 37U : 4711U, 5U};
  return 0;
}
int nvmlDeviceGetMemoryInfo(void* device, Memory* memory) {
  *memory = device == &sane ? Memory{16'000, 10'000, 6'000} : Memory{1, 0, 2};
  return 0;
}
int nvmlDeviceGetTemperature(void* device, int, unsigned* degrees) {
  *degrees = 61;
  return device == &sane ? 0 : 999;
}
}
