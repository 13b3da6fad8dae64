// SPDX-License-Identifier: Apache-2.0
// doctor's checks of the kernel's settings.
#include "tools/doctor_checks.h"

namespace seqgpt::doctor {
namespace {

constexpr uint64_t kWantedFiles = 16'384;  // 10,000 connections and what else is open
constexpr uint64_t kLeastFiles = 1'024;
constexpr int64_t kWantedBacklog = 1'024;
constexpr int64_t kCalmSwappiness = 10;
constexpr int64_t kSaneFrom = 1'735'689'600;   // 2025-01-01, before this program was written
constexpr int64_t kSaneUntil = 4'102'444'800;  // 2100-01-01

bool has_swap(const DoctorOptions& options) {
  const std::string swaps = kernel_file(options, "proc/swaps").value_or("");
  const size_t head = swaps.find('\n');  // the line of headings
  return head != std::string::npos && head + 1 < swaps.size();
}

}  // namespace

Finding check_huge_pages(const DoctorOptions& options) {
  const std::string name = "huge_pages";
  const auto modes = kernel_file(options, "sys/kernel/mm/transparent_hugepage/enabled");
  const Bilingual mend = {
      "以 root 执行：echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
      "as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
  if (!modes)
    return warning(name,
                   {"内核不支持透明大页，大模型会慢一些",
                    "the kernel has no transparent huge "
                    "pages; large models run slower"},
                   mend);
  if (modes->find("[never]") != std::string::npos)
    return warning(name,
                   {"透明大页已关闭，大模型会慢一些",
                    "transparent huge pages are off; large models run slower"},
                   mend);
  return fine(name, {"透明大页可用", "transparent huge pages are available"});
}

Finding check_open_files(const DoctorOptions& options) {
  const std::string limit = std::to_string(options.open_files);
  const Bilingual fact = {"可打开文件数上限 " + limit, "at most " + limit + " open files"};
  const Bilingual mend = {"执行 ulimit -n 65536，或在 systemd 单元中写 LimitNOFILE=65536",
                          "ulimit -n 65536, or LimitNOFILE=65536 in the systemd unit"};
  if (options.open_files < kLeastFiles) return failure("open_files", fact, mend);
  if (options.open_files < kWantedFiles) return warning("open_files", fact, mend);
  return fine("open_files", fact);
}

Finding check_clock(const DoctorOptions& options) {
  if (options.now < kSaneFrom || options.now > kSaneUntil)
    return failure("clock", {"系统时间明显不对", "the system's time cannot be right"},
                   {"设置时间并启用 NTP：timedatectl set-ntp true",
                    "set the time and turn NTP on: timedatectl set-ntp true"});
  if (!options.clock_synchronised)
    return warning("clock",
                   {"时间未同步：“去年”“下周三”等以本机时间为准",
                    "the clock is not synchronised: relative dates are read against it"},
                   {"启用 NTP：timedatectl set-ntp true（容器中由宿主机负责）",
                    "turn NTP on: timedatectl set-ntp true (in a container the host sees to it)"});
  return fine("clock", {"时间正常且已同步", "the time is sane and synchronised"});
}

Finding check_swappiness(const DoctorOptions& options) {
  const std::optional<int64_t> value = kernel_number(options, "proc/sys/vm/swappiness");
  if (!value || !has_swap(options)) return fine("swappiness", {"没有交换分区", "there is no swap"});
  const std::string text = std::to_string(*value);
  if (*value > kCalmSwappiness)
    return warning("swappiness",
                   {"vm.swappiness 为 " + text + "：空闲时模型权重可能被换出，首个请求会很慢",
                    "vm.swappiness is " + text +
                        ": an idle model may be swapped out, and the next request is slow"},
                   {"sysctl -w vm.swappiness=10，并写入 /etc/sysctl.d/",
                    "sysctl -w vm.swappiness=10, and keep it in /etc/sysctl.d/"});
  return fine("swappiness", {"vm.swappiness 为 " + text, "vm.swappiness is " + text});
}

Finding check_backlog(const DoctorOptions& options) {
  const std::optional<int64_t> value = kernel_number(options, "proc/sys/net/core/somaxconn");
  if (!value)
    return fine("somaxconn", {"net.core.somaxconn 不可读", "net.core.somaxconn cannot be read"});
  const std::string text = std::to_string(*value);
  const Bilingual fact = {"net.core.somaxconn 为 " + text, "net.core.somaxconn is " + text};
  if (*value >= kWantedBacklog) return fine("somaxconn", fact);
  return warning("somaxconn", fact,
                 {"突发连接可能被拒：sysctl -w net.core.somaxconn=4096",
                  "bursts of connections may be refused: sysctl -w net.core.somaxconn=4096"});
}

}  // namespace seqgpt::doctor
