// SPDX-License-Identifier: Apache-2.0
// A few calls of NVML by dlopen; none of what they give is believed unseen.
#include "server/gpu_monitor.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/utf8.h"

namespace seqgpt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kEvery{2};
constexpr std::chrono::seconds kOld{10};
constexpr unsigned kMostGpus = 64;
constexpr double kHottest = 150;  // degrees that no GPU outlives

using Device = void*;
// As nvml.h has them; a call gives 0 when it did what it says.
struct Utilization {
  unsigned gpu = 0;  // percent
  unsigned memory = 0;
};
struct Memory {
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};
constexpr int kTemperatureOfGpu = 0;

struct Nvml {
  int (*init)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*device)(unsigned, Device*) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*utilization)(Device, Utilization*) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
  int (*temperature)(Device, int, unsigned*) = nullptr;
};

template <typename Function>
void load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

/// Nothing when what a reading cannot do without is missing. The library is never closed: its
/// threads may be running.
std::optional<Nvml> load_nvml(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::nullopt;
  Nvml nvml;
  load(library, "nvmlInit_v2", nvml.init);
  load(library, "nvmlDeviceGetCount_v2", nvml.count);
  load(library, "nvmlDeviceGetHandleByIndex_v2", nvml.device);
  load(library, "nvmlDeviceGetName", nvml.name);
  load(library, "nvmlDeviceGetUtilizationRates", nvml.utilization);
  load(library, "nvmlDeviceGetMemoryInfo", nvml.memory);
  load(library, "nvmlDeviceGetTemperature", nvml.temperature);
  if (!nvml.init || !nvml.count || !nvml.device || nvml.init() != 0) return std::nullopt;
  return nvml;
}

/// Printable, valid UTF-8.
std::string tidy(const char* begin, const char* end) {
  std::string text = utf8_lossy(std::string(begin, std::find(begin, end, '\0')));
  std::erase_if(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  return text;
}

GpuFigures read_gpu(const Nvml& nvml, Device device) {
  GpuFigures gpu;
  std::array<char, 96> name{};
  if (nvml.name && nvml.name(device, name.data(), name.size() - 1) == 0)
    gpu.name = tidy(name.data(), name.data() + name.size());
  Utilization busy;
  if (nvml.utilization && nvml.utilization(device, &busy) == 0 && busy.gpu <= 100)
    gpu.utilization = busy.gpu;
  Memory memory;
  if (nvml.memory && nvml.memory(device, &memory) == 0 && memory.used <= memory.total) {
    gpu.memory_used_bytes = memory.used;
    gpu.memory_total_bytes = memory.total;
  }
  unsigned degrees = 0;
  if (nvml.temperature && nvml.temperature(device, kTemperatureOfGpu, &degrees) == 0 &&
      degrees <= kHottest)
    gpu.temperature_c = degrees;
  return gpu;
}

std::vector<GpuFigures> read_all(const Nvml& nvml) {
  std::vector<GpuFigures> all;
  unsigned count = 0;
  if (nvml.count(&count) != 0) return all;
  for (unsigned i = 0; i < std::min(count, kMostGpus); ++i) {
    Device device = nullptr;
    if (nvml.device(i, &device) == 0 && device) all.push_back(read_gpu(nvml, device));
  }
  return all;
}

}  // namespace

struct GpuMonitor::State {
  mutable std::mutex mutex;
  std::condition_variable stopped;
  bool stop = false;
  std::vector<GpuFigures> figures;
  Clock::time_point read;

  void put(std::vector<GpuFigures> now) {
    const std::lock_guard lock(mutex);
    figures = std::move(now);
    read = Clock::now();
  }
  /// False at the end.
  bool wait() {
    std::unique_lock lock(mutex);
    return !stopped.wait_for(lock, kEvery, [this] { return stop; });
  }
};

std::unique_ptr<GpuMonitor> GpuMonitor::open(const std::string& library) {
  const std::optional<Nvml> nvml = load_nvml(library);
  if (!nvml) return nullptr;
  auto state = std::make_shared<State>();
  state->put(read_all(*nvml));
  if (state->figures.empty()) return nullptr;
  // On its own: a thread that hangs in the driver must not keep the program from ending.
  std::thread([state, nvml = *nvml] {
    while (state->wait()) state->put(read_all(nvml));
  }).detach();
  return std::unique_ptr<GpuMonitor>(new GpuMonitor(std::move(state)));
}

GpuMonitor::~GpuMonitor() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->stopped.notify_all();
}

std::vector<GpuFigures> GpuMonitor::figures() const {
  const std::lock_guard lock(state_->mutex);
  if (Clock::now() - state_->read > kOld) return {};
  return state_->figures;
}

}  // namespace seqgpt
