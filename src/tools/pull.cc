// SPDX-License-Identifier: Apache-2.0
// Fetching, checking and moving into place.
#include "tools/pull.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <thread>

#include "store/crypto.h"
#include "store/private_file.h"
#include "tools/git_blob.h"
#include "tools/http.h"
#include "tools/inspect_tool.h"

namespace seqgpt {
namespace {

constexpr size_t kReadBytes = size_t{1} << 20;

/// A part file that takes bytes at their place.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path path) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    problem_ = descriptor_ < 0 ? errno : 0;
  }
  ~PartFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  uint64_t size() const {
    struct stat facts{};
    return ::fstat(descriptor_, &facts) == 0 ? static_cast<uint64_t>(facts.st_size) : 0;
  }
  bool cut(uint64_t size) { return keep(::ftruncate(descriptor_, static_cast<off_t>(size))); }
  bool put(uint64_t at, std::string_view bytes) {
    if (::lseek(descriptor_, static_cast<off_t>(at), SEEK_SET) < 0) return keep(-1);
    problem_ = write_whole(descriptor_, bytes);
    return problem_ == 0;
  }
  bool sync() { return keep(::fsync(descriptor_)); }
  Status status() const { return problem_ == 0 ? Status{} : io_error("write", path_, problem_); }

 private:
  bool keep(int result) {
    if (result != 0) problem_ = errno;
    return result == 0;
  }
  std::filesystem::path path_;
  int descriptor_ = -1;
  int problem_ = 0;
};

Status check_sum(const std::filesystem::path& path, const HubFile& file) {
  std::ifstream in(path, std::ios::binary);
  Sha256 hash;
  std::string small;  // git's names are told for small files alone
  std::string chunk(kReadBytes, '\0');
  while (in.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || in.gcount() > 0) {
    const std::string_view bytes(chunk.data(), static_cast<size_t>(in.gcount()));
    hash.add(bytes);
    if (file.sha256.empty() && !file.git_id.empty()) small += bytes;
  }
  const bool right = !file.sha256.empty()   ? hash.hex() == file.sha256
                     : !file.git_id.empty() ? git_blob_id(small) == file.git_id
                                            : true;
  if (right) return {};
  return Error{ErrorCode::kBadFile, file.path +
                                        " does not have the checksum that the hub states; "
                                        "it was thrown away"};
}

class Pull {
 public:
  explicit Pull(const PullOptions& options)
      : options_(options), part_(options.out.string() + ".part") {}

  Result<PullReport> run() {
    SEQGPT_TRY(check_repository(options_.repository));
    SEQGPT_TRY(check_revision(options_.revision));
    SEQGPT_TRY(check_out());
    SEQGPT_ASSIGN(const std::vector<HubFile> files, list());
    SEQGPT_TRY(check_space(files));
    for (const HubFile& file : files) {
      SEQGPT_TRY(fetch_checked(file));
      done_ += file.size;
      report_.files += 1;
      report_.bytes += file.size;
      report_.unchecked += file.sha256.empty() && file.git_id.empty() ? 1 : 0;
    }
    SEQGPT_TRY(check_model(files));
    return finish();
  }

 private:
  Status check_out() {
    std::error_code error;
    if (std::filesystem::exists(std::filesystem::symlink_status(options_.out, error)))
      return Error{ErrorCode::kInvalidArgument,
                   options_.out.string() + " is there already: remove it, or name another --out",
                   "out"};
    std::filesystem::create_directories(part_, error);
    if (error) return io_error("make", part_, error.value());
    SEQGPT_ASSIGN(lock_, FileLock::take(part_ / ".lock", "the download"));
    return {};
  }

  Result<std::vector<HubFile>> list() {
    const std::string url =
        list_url(options_.layout, options_.base, options_.repository, options_.revision);
    std::string body;
    SEQGPT_TRY(patiently([&]() -> Status {
      SEQGPT_ASSIGN(body, http_.get(url, kMaxListBytes));
      return {};
    }));
    SEQGPT_ASSIGN(const std::vector<HubFile> all, parse_hub_list(options_.layout, body));
    SEQGPT_ASSIGN(std::vector<HubFile> files, model_files(all));
    for (const HubFile& file : files) total_ += file.size;
    return files;
  }

  Status check_space(const std::vector<HubFile>& files) {
    uint64_t have = 0;
    std::error_code error;
    for (const HubFile& file : files) {
      const uint64_t size = std::filesystem::file_size(part_ / file.path, error);
      if (!error) have += std::min(size, file.size);
    }
    const std::filesystem::space_info space = std::filesystem::space(part_, error);
    if (error || space.available >= total_ - have) return {};
    return Error{ErrorCode::kIo, "the model needs " + std::to_string((total_ - have) >> 20) +
                                     " MiB more, and " + options_.out.parent_path().string() +
                                     " has " + std::to_string(space.available >> 20) +
                                     " MiB free: free space or name another --out"};
  }

  /// Runs what may break by itself again, later each time; a try that brought a file further than
  /// it ever was counts as none.
  template <typename Step>
  Status patiently(const Step& step) {
    std::chrono::milliseconds pause = options_.pause;
    furthest_ = 0;
    for (int attempt = 1;; ++attempt, pause *= 2) {
      const uint64_t before = furthest_;
      Status status = step();
      if (furthest_ > before) {
        attempt = 1;
        pause = options_.pause;
      }
      if (status.ok() || status.error().code != ErrorCode::kIo || local_ ||
          attempt >= options_.attempts)
        return status;
      std::this_thread::sleep_for(pause);
    }
  }

  /// A second fetch from nothing mends a file that an earlier run left wrong.
  Status fetch_checked(const HubFile& file) {
    const std::filesystem::path path = part_ / file.path;
    std::error_code error;
    const bool had = std::filesystem::file_size(path, error) > 0 && !error;
    for (int round = 0;; ++round) {
      SEQGPT_TRY(patiently([&] { return fetch(file, path); }));
      Status sum = check_sum(path, file);
      if (sum.ok()) return sum;
      std::filesystem::remove(path, error);
      if (!had || round > 0) return sum;
    }
  }

  Status fetch(const HubFile& file, const std::filesystem::path& path) {
    PartFile part(path);
    SEQGPT_TRY(local(part.status()));
    uint64_t have = part.size();
    if (have > file.size) {
      have = 0;
      if (!part.cut(0)) return local(part.status());
    }
    if (have == file.size) return {};
    const std::string url =
        file_url(options_.layout, options_.base, options_.repository, options_.revision, file.path);
    const Status fetched =
        http_.fetch(url, have, file.size, [&](uint64_t at, std::string_view bytes) {
          if (!part.put(at, bytes)) return false;
          furthest_ = std::max(furthest_, at + bytes.size());
          if (options_.progress) options_.progress(file.path, done_ + at + bytes.size(), total_);
          return true;
        });
    SEQGPT_TRY(local(part.status()));
    // Refused range: what is there fits nothing, so begin again.
    if (!fetched.ok() && fetched.error().code == ErrorCode::kBadFile && have > 0) {
      if (!part.cut(0)) return local(part.status());
      return Error{ErrorCode::kIo, fetched.error().message};
    }
    SEQGPT_TRY(fetched);
    if (part.size() < file.size) return Error{ErrorCode::kIo, url + ": the connection ended early"};
    if (!part.sync()) return local(part.status());
    return {};
  }

  /// A fault of this machine's disk is not mended by asking again.
  Status local(Status status) {
    local_ = !status.ok();
    return status;
  }

  Status check_model(const std::vector<HubFile>& files) {
    const Result<Inspection> inspection = inspect_model(part_);
    if (inspection.ok() && inspection->whole) return {};
    std::error_code error;
    for (const HubFile& file : files) std::filesystem::remove(part_ / file.path, error);
    return Error{ErrorCode::kUnsupported,
                 options_.repository + " is not a model that seqgpt can run: " +
                     (inspection.ok() ? "its files do not fit together (see seqgpt inspect)"
                                      : inspection.error().message)};
  }

  Result<PullReport> finish() {
    std::error_code error;
    std::filesystem::remove(part_ / ".lock", error);
    std::filesystem::rename(part_, options_.out, error);
    if (error) return io_error("rename to", options_.out, error.value());
    report_.directory = options_.out;
    return report_;
  }

  const PullOptions& options_;
  std::filesystem::path part_;
  FileLock lock_;
  HttpClient http_;
  PullReport report_;
  uint64_t done_ = 0;
  uint64_t total_ = 0;
  uint64_t furthest_ = 0;  // bytes of the present file, whatever became of them
  bool local_ = false;
};

}  // namespace

Result<PullReport> pull_model(const PullOptions& options) {
  return Pull(options).run();
}

}  // namespace seqgpt
