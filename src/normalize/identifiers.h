// SPDX-License-Identifier: Apache-2.0
// Identifiers with rules of their own: citizen numbers, credit codes, cards, plates, post, mail.
#pragma once

#include "normalize/cursor.h"
#include "normalize/normalized.h"

namespace seqgpt {

// All take a text after fold_chinese unless it says otherwise. A checksum that fails is a reason;
// masked digits (* or x) are kept as * with masked true and valid null.

/// GB 11643: 18 characters, or 15 digits (upgraded, births of 19xx). Reasons: length, characters,
/// region, birth_date, check_digit.
Normalized normalize_id_card(Folded text);
/// GB 32100, 18 characters. Reasons: length, characters, check_character.
Normalized normalize_credit_code(Folded text);
/// 12 to 19 digits with the Luhn digit. Reasons: length, characters, check_digit.
Normalized normalize_bank_card(Folded text);
/// GA 36. Reasons: length, province, letters, characters.
Normalized normalize_plate(Folded text);
/// Mainland postal codes. Reasons: length, characters, region.
Normalized normalize_postal(Folded text);
/// text after fold_width. The domain in lower case, the rest as it stands. Reason: not_an_email.
Normalized normalize_email(Folded text);
/// text after fold_width. Any other identifier (contract numbers): its spelling without white space
/// and the marks around it.
Normalized normalize_other_id(Folded text);

/// The kind that the shape of an identifier suggests, tried in turn: plate, id_card, uscc,
/// bank_card, else the plain spelling. `wide` is the text after fold_width.
Normalized normalize_identifier(Folded text, Folded wide);

/// White space and the separators - · . between characters gone, letters upper case, Chinese digits
/// as digits.
std::u32string compact(Folded text);

}  // namespace seqgpt
