// SPDX-License-Identifier: Apache-2.0
// Feasts of the solar calendar, by day or by the nth weekday of a month.
#include "normalize/date_reader.h"

namespace seqgpt {
namespace {

struct Feast {
  Folded name;
  int month;
  int day;      // or 0:
  int nth = 0;  // the nth …
  int weekday = 0;
};

constexpr Feast kFeasts[] = {
    {U"元旦", 1, 1},          {U"情人节", 2, 14},       {U"国际妇女节", 3, 8},
    {U"妇女节", 3, 8},        {U"植树节", 3, 12},       {U"国际消费者权益日", 3, 15},
    {U"消费者权益日", 3, 15}, {U"愚人节", 4, 1},        {U"国际劳动节", 5, 1},
    {U"五一劳动节", 5, 1},    {U"劳动节", 5, 1},        {U"五四青年节", 5, 4},
    {U"青年节", 5, 4},        {U"国际护士节", 5, 12},   {U"护士节", 5, 12},
    {U"母亲节", 5, 0, 2, 6},  {U"国际儿童节", 6, 1},    {U"六一儿童节", 6, 1},
    {U"儿童节", 6, 1},        {U"父亲节", 6, 0, 3, 6},  {U"建党节", 7, 1},
    {U"建军节", 8, 1},        {U"教师节", 9, 10},       {U"国庆", 10, 1},
    {U"万圣节", 10, 31},      {U"感恩节", 11, 0, 4, 3}, {U"平安夜", 12, 24},
    {U"圣诞", 12, 25},
};

}  // namespace

bool take_feast(Cursor& cursor, DateWords& out) {
  for (const Feast& feast : kFeasts) {
    if (!cursor.take(feast.name)) continue;
    cursor.take(U'节');
    cursor.take_any({U"当天", U"当日"});
    out.month = feast.month;
    if (feast.day > 0) {
      out.day = feast.day;
    } else {
      out.nth_weekday = feast.nth;
      out.weekday = feast.weekday;
    }
    return true;
  }
  return false;
}

}  // namespace seqgpt
