// SPDX-License-Identifier: Apache-2.0
// A PDF is a stranger's program for a large parser: it is parsed in a child without a shell, files
// to write, network or privileges, under limits of memory, processor and wall-clock time.
#include "server/pdf_text.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

namespace seqgpt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kPrograms[] = {"/usr/bin/pdftotext", "/usr/local/bin/pdftotext"};
constexpr int kExitNoProgram = 127;

Error error(ErrorCode code, std::string message) {
  return {code, std::move(message), "body"};
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { close(); }
  int get() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

/// The PDF as a file in memory: pdftotext seeks in it, and nothing touches the disk.
Result<Descriptor> file_in_memory(std::string_view bytes) {
  Descriptor file(memfd_create("pdf", MFD_CLOEXEC));
  if (file.get() < 0) return error(ErrorCode::kIo, std::string("memfd: ") + std::strerror(errno));
  while (!bytes.empty()) {
    const ssize_t wrote = write(file.get(), bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return error(ErrorCode::kIo, std::string("memfd: ") + std::strerror(errno));
    bytes.remove_prefix(static_cast<size_t>(wrote));
  }
  lseek(file.get(), 0, SEEK_SET);
  return file;
}

void limit(__rlimit_resource resource, rlim_t most) {
  const rlimit value{most, most};
  setrlimit(resource, &value);
}

/// Runs in the child, between fork and exec: nothing here may allocate or take a lock.
[[noreturn]] void become_pdftotext(const char* program, int input, int output,
                                   const PdfLimits& limits) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  // No network, where the system lets an ordinary user say so; the limits below hold in any case.
  unshare(CLONE_NEWUSER | CLONE_NEWNET);
  limit(RLIMIT_AS, limits.memory_bytes);
  limit(RLIMIT_CPU, static_cast<rlim_t>(limits.time.count()));
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, 32);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDERR_FILENO);
  syscall(SYS_close_range, 3U, ~0U, 0U);
  if (chdir("/") != 0) _exit(kExitNoProgram);
  char name[] = "pdftotext";
  char encoding[] = "-enc";
  char utf8[] = "UTF-8";
  char from[] = "/dev/stdin";
  char to[] = "-";
  char language[] = "LC_ALL=C.UTF-8";
  char* arguments[] = {name, encoding, utf8, from, to, nullptr};
  char* environment[] = {language, nullptr};
  execve(program, arguments, environment);
  _exit(kExitNoProgram);
}

/// What the child writes, until it ends; an error kills it.
Result<std::string> read_all(int pipe, size_t most, Clock::time_point end) {
  std::string text;
  std::array<char, 65536> piece;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return error(ErrorCode::kTooLarge, "the PDF takes too long to read");
    pollfd ready{pipe, POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t got = ::read(pipe, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error(ErrorCode::kIo, std::string("pdftotext: ") + std::strerror(errno));
    if (got == 0) return text;
    text.append(piece.data(), static_cast<size_t>(got));
    if (text.size() > most) {
      return error(ErrorCode::kTooLarge, "the PDF holds more than " + std::to_string(most >> 20) +
                                             " MiB of text; split it");
    }
  }
}

/// The child's end; one that lives on after `end` is killed.
int wait_for(pid_t child, Clock::time_point end) {
  constexpr int kPauseMs = 5;
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return status;
    if (Clock::now() >= end) kill(child, SIGKILL);
    poll(nullptr, 0, kPauseMs);
  }
}

std::optional<Error> failure(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kExitNoProgram)
    return error(ErrorCode::kUnsupported, "pdftotext cannot be run here");
  return error(ErrorCode::kBadFile, "the PDF is damaged, locked, or needs too much memory");
}

std::filesystem::path installed() {
  for (const char* program : kPrograms)
    if (access(program, X_OK) == 0) return program;
  return {};
}

}  // namespace

PdfReader::PdfReader(const PdfLimits& limits) : PdfReader(installed(), limits) {}

PdfReader::PdfReader(std::filesystem::path program, const PdfLimits& limits)
    : program_(std::move(program)), limits_(limits) {}

Result<PdfText> PdfReader::read(std::string_view pdf) {
  if (program_.empty()) {
    return error(ErrorCode::kUnsupported,
                 "no pdftotext is installed on the server (Debian: poppler-utils)");
  }
  if (pdf.size() > limits_.input_bytes)
    return error(ErrorCode::kTooLarge,
                 "the PDF is larger than " + std::to_string(limits_.input_bytes >> 20) + " MiB");
  if (!pdf.starts_with("%PDF-")) return error(ErrorCode::kBadFile, "this is not a PDF");
  const std::unique_lock one(busy_, std::try_to_lock);
  if (!one.owns_lock())
    return error(ErrorCode::kOverloaded, "another PDF is being read; try again in a moment");
  SEQGPT_ASSIGN(const Descriptor input, file_in_memory(pdf));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return error(ErrorCode::kIo, std::string("pipe: ") + std::strerror(errno));
  const Descriptor out(ends[0]);
  Descriptor in(ends[1]);
  const std::string program = program_.string();
  const pid_t child = fork();
  if (child < 0) return error(ErrorCode::kIo, std::string("fork: ") + std::strerror(errno));
  if (child == 0) become_pdftotext(program.c_str(), input.get(), in.get(), limits_);
  in.close();
  const Clock::time_point end = Clock::now() + limits_.time;
  Result<std::string> text = read_all(out.get(), limits_.text_bytes, end);
  if (!text.ok()) kill(child, SIGKILL);
  const int status = wait_for(child, end);
  if (!text.ok()) return text.error();
  if (auto failed = failure(status)) return *std::move(failed);
  PdfText read{*std::move(text), 0};
  read.pages = static_cast<int>(std::ranges::count(read.text, '\f'));
  std::ranges::replace(read.text, '\f', '\n');
  return read;
}

}  // namespace seqgpt
