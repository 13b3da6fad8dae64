// SPDX-License-Identifier: Apache-2.0
// Labels out of JSON, strictly: what is wrong is named with its path.
#pragma once

#include <vector>

#include "api/body_json.h"
#include "base/result.h"
#include "task/task.h"

namespace seqgpt {

/// "labels": a string is always a literal name; an object says name, type?, alias?, description?,
/// pattern?, one_of?, mentions?. check_labels does the rest.
Result<std::vector<Label>> labels_from_json(const Json& labels);

}  // namespace seqgpt
