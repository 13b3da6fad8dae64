// SPDX-License-Identifier: Apache-2.0
// Phones, identifiers, e-mail; numbers are made up.
#include <gtest/gtest.h>

#include "normalize/phone_plan.h"
#include "normalize/values.h"

namespace seqgpt {
namespace {

using testing_support::brief;
using testing_support::field;
using testing_support::read;

TEST(Phones, Forms) {
  EXPECT_EQ(brief("phone", "13800138000"), "+86 138 0013 8000");
  EXPECT_EQ(brief("phone", "0086 138-0013-8000"), "+86 138 0013 8000");
  EXPECT_EQ(brief("phone", "138****8000"), "+86 138 **** 8000");
  EXPECT_EQ(brief("phone", "（0351）89082910"), "+86 351 8908 2910");
  EXPECT_EQ(brief("phone", "4008-208-820"), "+86 400 820 8820");
  EXPECT_EQ(field(read("phone", "010-65980408-8001"), "ext"), "8001");
  EXPECT_EQ(field(read("phone", "029-86398723转210"), "ext"), "210");
  EXPECT_EQ(field(read("phone", "+1 650-253-0000"), "type"), "foreign");
  EXPECT_EQ(field(read("phone", "88681188-6808"), "type"), "local");
  EXPECT_EQ(field(read("phone", "12306"), "type"), "short");
  EXPECT_EQ(read("phone", "13800138000").flat.first, "+86 138 0013 8000");
}

TEST(Phones, WhatIsNoPhoneHasNoValue) {
  for (const char* text :
       {"12038389438", "138001380001", "+08613811211114", "0000-1234567", "010-1234567",
        "2380013800", "-2208960000", "13800138000/13900139000", "+86"})
    EXPECT_EQ(brief("phone", text), "!not_a_phone") << text;
}

/// Where libphonenumber knows a mainland landline too, both write it alike.
TEST(Phones, OwnPlanWritesAsLibphonenumberDoes) {
  int compared = 0;
  for (const char* national : {"1062288559", "2082803159", "57155561148", "3763386758",
                               "51225579116", "9364211235", "75550590063"}) {
    const auto own = mainland_number(national, true);
    const auto library = foreign_number("+86" + std::string(national));
    ASSERT_TRUE(own && library) << national;
    EXPECT_EQ(own->international, library->international);
    EXPECT_EQ(own->type, library->type);
    ++compared;
  }
  EXPECT_EQ(compared, 7);
}

TEST(IdCards, ChecksAndParts) {
  const Normalized id = read("id_card", "11010519491231002x");
  EXPECT_EQ(brief(id), "11010519491231002X");
  EXPECT_EQ(field(id, "birth"), "1949-12-31");
  EXPECT_EQ(field(id, "gender"), "F");
  EXPECT_EQ(brief("id_card", "110101491001001"), "11010119491001001X");
  EXPECT_EQ(brief("id_card", "110105194912310021"), "!check_digit");
  EXPECT_EQ(brief("id_card", "110105194902310021"), "!birth_date");
  EXPECT_EQ(brief("id_card", "010105194912310021"), "!region");
  EXPECT_EQ(brief("id_card", "1101051949123100"), "!length");
  EXPECT_EQ(field(read("id_card", "110105********002X"), "masked"), "true");
}

/// Exactly one of the eleven check characters is right.
TEST(IdCards, OneCheckCharacterFits) {
  int valid = 0;
  for (const char last : std::string("0123456789X"))
    valid += read("id_card", std::string("11010519491231002") + last).has_value();
  EXPECT_EQ(valid, 1);
}

TEST(CreditCodes, Checks) {
  EXPECT_EQ(brief("uscc", "91350100m000100y43"), "91350100M000100Y43");
  EXPECT_EQ(brief("uscc", "91350100M000100Y44"), "!check_character");
  EXPECT_EQ(brief("uscc", "91350100MO00100Y43"), "!characters");
  EXPECT_EQ(brief("uscc", "9135"), "!length");
}

TEST(BankCards, Luhn) {
  EXPECT_EQ(brief("bank_card", "6222 0248 3013 5407 993"), "6222024830135407993");
  EXPECT_EQ(brief("bank_card", "6222024830135407994"), "!check_digit");
  EXPECT_EQ(brief("bank_card", "6226 **** **** 8225"), "6226********8225");
  EXPECT_EQ(brief("bank_card", "123"), "!length");
}

TEST(Plates, Types) {
  EXPECT_EQ(field(read("plate", "京A12345"), "type"), "regular");
  EXPECT_EQ(field(read("plate", "浙G·D63011"), "type"), "new-energy");
  EXPECT_EQ(field(read("plate", "青D3740警"), "type"), "police");
  EXPECT_EQ(brief("plate", "津c-49718"), "津C49718");
  EXPECT_EQ(brief("plate", "鄂CI4890"), "!letters");
  EXPECT_EQ(brief("plate", "京A123"), "!length");
  EXPECT_EQ(brief("plate", "囧F25629"), "!province");
}

TEST(Mail, AddressesAndPost) {
  EXPECT_EQ(brief("email", "邮箱：Li.Si@Example.COM。"), "Li.Si@example.com");
  EXPECT_EQ(brief("email", "ｌｉ＠ｅｘａｍｐｌｅ．ｃｏｍ"), "li@example.com");
  EXPECT_EQ(brief("email", "li @ example . com"), "li@example.com");
  for (const char* text :
       {"li si@example.com", "a@b", "a@@b.com", "@b.com", "a..b@c.com", "a@-c.com", "a@c.c0m1"})
    EXPECT_EQ(brief("email", text), "!not_an_email") << text;
  EXPECT_EQ(brief("postal", "邮编：200030"), "200030");
  EXPECT_EQ(brief("postal", "000000"), "!region");
}

TEST(Ids, KindByShape) {
  EXPECT_EQ(read("id", "11010519491231002X").kind, "id_card");
  EXPECT_EQ(read("id", "91350100M000100Y43").kind, "uscc");
  EXPECT_EQ(read("id", "6222024830135407993").kind, "bank_card");
  EXPECT_EQ(read("id", "京A12345").kind, "plate");
  EXPECT_EQ(read("id", " HT－2022－001号 。").kind, "id");
  EXPECT_EQ(brief("id", " HT－2022－001号 。"), "HT-2022-001号");
  EXPECT_EQ(brief("id", "110105194912310021"), "!check_digit");
}

TEST(Auto, FindsTheKind) {
  EXPECT_EQ(read("auto", "年薪120万元").kind, "amount");
  EXPECT_EQ(read("auto", "2022年3月").kind, "date");
  EXPECT_EQ(read("auto", "13800138000").kind, "phone");
  EXPECT_EQ(read("auto", "13%").kind, "percent");
  EXPECT_EQ(read("auto", "三年六个月").kind, "duration");
  EXPECT_EQ(read("auto", "a@b.com").kind, "email");
  EXPECT_EQ(read("auto", "21").kind, "number");
  EXPECT_EQ(read("auto", "3.14").kind, "number");
  EXPECT_EQ(read("auto", "三分之一").kind, "number");
  EXPECT_EQ(brief("auto", "王伟"), "!no_known_kind");
}

TEST(Text, HasNoCanonicalValueAndNoReason) {
  const Normalized name = read("person", "王伟");
  EXPECT_FALSE(name.has_value());
  EXPECT_TRUE(name.reason.empty());
}

}  // namespace
}  // namespace seqgpt
