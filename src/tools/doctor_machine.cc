// SPDX-License-Identifier: Apache-2.0
// doctor's checks of processor, memory, disk, GPU and model.
#include <algorithm>
#include <charconv>

#include "backend/cpu/cpu_backend.h"
#include "base/thread_pool.h"
#include "tools/doctor_checks.h"
#include "tools/inspect_tool.h"

namespace seqgpt::doctor {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kBesideWeights = 768 * kMiB;  // KV blocks, caches, the server
constexpr uint64_t kLeastDisk = 256 * kMiB;
constexpr uint64_t kWantedDisk = 4096 * kMiB;

std::string mib(uint64_t bytes) {
  return std::to_string(bytes / kMiB) + " MiB";
}

/// A line "NAME:   12345 kB" of /proc/meminfo, in bytes.
std::optional<uint64_t> memory_line(const std::string& table, const std::string& name) {
  const size_t at = ("\n" + table).find("\n" + name + ":");
  if (at == std::string::npos) return std::nullopt;
  const size_t digits = table.find_first_of("0123456789", at + name.size());
  if (digits == std::string::npos) return std::nullopt;
  uint64_t kib = 0;
  std::from_chars(table.data() + digits, table.data() + table.size(), kib);
  return kib << 10;
}

/// What the machine and this process's cgroup leave.
std::optional<uint64_t> free_memory(const DoctorOptions& options) {
  const std::string table = kernel_file(options, "proc/meminfo").value_or("");
  std::optional<uint64_t> available = memory_line(table, "MemAvailable");
  const auto limit = kernel_number(options, "sys/fs/cgroup/memory.max");
  const auto used = kernel_number(options, "sys/fs/cgroup/memory.current");
  if (limit && used && *limit > *used) {
    const auto left = static_cast<uint64_t>(*limit - *used);
    available = available ? std::min(*available, left) : left;
  }
  return available;
}

uint64_t weight_bytes(const std::string& model) {
  uint64_t bytes = 0;
  std::error_code error;
  if (model.empty()) return 0;
  std::filesystem::directory_iterator entry(model, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string extension = entry->path().extension().string();
    std::error_code unknown;
    const uint64_t size = entry->file_size(unknown);
    if (!unknown && (extension == ".safetensors" || extension == ".bin")) bytes += size;
  }
  return bytes;
}

}  // namespace

Finding check_cpu(const DoctorOptions&) {
  std::string known;
  std::string best;
  for (const std::string& isa : supported_isa_names()) {
    best = isa;
    known += (known.empty() ? "" : ", ") + isa;
  }
  const Bilingual fact = {"将使用指令集 " + best + "（可用：" + known + "）",
                          "instruction set " + best + " (the processor has: " + known + ")"};
  if (best != "portable") return fine("cpu", fact);
  return warning("cpu", fact,
                 {"处理器（或虚拟机的 CPU 型号）没有 AVX2，会慢很多；虚拟机请用 host CPU 型号",
                  "no AVX2, so it will be slow; in a virtual machine choose the host's CPU model"});
}

Finding check_cores(const DoctorOptions&) {
  const std::string cores = std::to_string(usable_threads());
  return fine("cores", {"可用计算线程 " + cores + "（已计入亲和性与 cgroup 限额）",
                        cores + " compute threads (affinity and cgroup quota counted in)"});
}

Finding check_memory(const DoctorOptions& options) {
  const std::optional<uint64_t> available = free_memory(options);
  if (!available)
    return warning("memory", {"/proc/meminfo 不可读", "/proc/meminfo cannot be read"},
                   {"挂载 /proc", "mount /proc"});
  const uint64_t need = weight_bytes(options.model) + kBesideWeights;
  const Bilingual fact = {"可用内存 " + mib(*available) + "，该模型约需 " + mib(need),
                          mib(*available) + " available, the model needs about " + mib(need)};
  const Bilingual mend = {"释放内存、提高 cgroup 上限，或用 --weights int8 / int4",
                          "free memory, raise the cgroup's limit, or use --weights int8 or int4"};
  if (*available < need) return failure("memory", fact, mend);
  if (*available < need + need / 4) return warning("memory", fact, mend);
  return fine("memory", fact);
}

Finding check_disk(const DoctorOptions& options) {
  std::error_code error;
  std::filesystem::path place = std::filesystem::absolute(options.data, error);
  while (!std::filesystem::exists(place, error) && place != place.parent_path())
    place = place.parent_path();
  const std::filesystem::space_info space = std::filesystem::space(place, error);
  if (error)
    return failure("disk",
                   {place.string() + " 的剩余空间不可读",
                    "the free space of " + place.string() + " cannot be read"},
                   {"检查目录及权限", "check the directory and its mode"});
  const Bilingual fact = {place.string() + " 剩余 " + mib(space.available),
                          mib(space.available) + " free at " + place.string()};
  const Bilingual mend = {"清理磁盘；任务、日志与审计都写在这里",
                          "free space: jobs, logs and the audit log are written there"};
  if (space.available < kLeastDisk) return failure("disk", fact, mend);
  if (space.available < kWantedDisk) return warning("disk", fact, mend);
  return fine("disk", fact);
}

Finding check_gpu(const DoctorOptions& options) {
  std::error_code error;
  const bool device = std::filesystem::exists(options.root / "dev/nvidiactl", error);
  const auto driver = kernel_file(options, "proc/driver/nvidia/version");
  if (!device && !driver)
    return fine("gpu", {"没有 NVIDIA GPU，使用 CPU", "no NVIDIA GPU: the CPU computes"});
  if (!driver || !device)
    return warning(
        "gpu", {"NVIDIA 设备与驱动不齐全", "an NVIDIA device without its driver, or the other way"},
        {"重新安装驱动或加载模块：modprobe nvidia；容器中加 --gpus all",
         "install the driver or load it: modprobe nvidia; in a container add --gpus all"});
  const std::string version = driver->substr(0, driver->find('\n'));
  return fine("gpu", {"驱动：" + version, "driver: " + version});
}

Finding check_model(const DoctorOptions& options) {
  const Bilingual mend = {
      "用 seqgpt inspect DIR 查看详情，重新下载：seqgpt pull DAMO-NLP/SeqGPT-560M",
      "seqgpt inspect DIR tells more; fetch it again: seqgpt pull "
      "DAMO-NLP/SeqGPT-560M"};
  if (options.model.empty()) return failure("model", {"没有找到模型", "no model was found"}, mend);
  const Result<Inspection> inspection = inspect_model(options.model);
  if (!inspection.ok())
    return failure("model",
                   {options.model + "：" + inspection.error().message,
                    options.model + ": " + inspection.error().message},
                   mend);
  if (!inspection->whole)
    return failure("model", {options.model + " 不完整", options.model + " is not whole"}, mend);
  return fine("model", {options.model + " 完整", options.model + " is whole"});
}

}  // namespace seqgpt::doctor
