// SPDX-License-Identifier: Apache-2.0
// The checks of doctor, one function each; doctor.cc lists them.
#pragma once

#include <optional>
#include <string>

#include "tools/doctor.h"

namespace seqgpt::doctor {

// doctor_system.cc: the kernel and its settings.
Finding check_huge_pages(const DoctorOptions& options);
Finding check_open_files(const DoctorOptions& options);
Finding check_clock(const DoctorOptions& options);
Finding check_swappiness(const DoctorOptions& options);
Finding check_backlog(const DoctorOptions& options);

// doctor_machine.cc: processor, memory, disk, GPU and the model.
Finding check_cpu(const DoctorOptions& options);
Finding check_cores(const DoctorOptions& options);
Finding check_memory(const DoctorOptions& options);
Finding check_disk(const DoctorOptions& options);
Finding check_gpu(const DoctorOptions& options);
Finding check_model(const DoctorOptions& options);

Finding fine(std::string name, Bilingual fact);
Finding warning(std::string name, Bilingual fact, Bilingual mend);
Finding failure(std::string name, Bilingual fact, Bilingual mend);

/// The first 64 KiB of a small file under root; nothing when it cannot be read.
std::optional<std::string> kernel_file(const DoctorOptions& options, const std::string& path);
/// The number a kernel file begins with.
std::optional<int64_t> kernel_number(const DoctorOptions& options, const std::string& path);

}  // namespace seqgpt::doctor
