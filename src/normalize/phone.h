// SPDX-License-Identifier: Apache-2.0
// Phone numbers of the mainland, foreign ones with their country code.
#pragma once

#include "normalize/cursor.h"
#include "normalize/normalized.h"

namespace seqgpt {

/// Mobile, landline, 400/800, short and local numbers, with +86, trunk 0, extension and masked
/// digits as they come. A folded text. Reason: not_a_phone.
Normalized normalize_phone(Folded text);

}  // namespace seqgpt
