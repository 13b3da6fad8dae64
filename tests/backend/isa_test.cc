// SPDX-License-Identifier: Apache-2.0
// Choosing an instruction set: by name, at best, and never one that is not there; exp and GELU of
// each.
#include <algorithm>

#include "backend/cpu/isa.h"
#include "backend/helpers.h"

namespace seqgpt::test {
namespace {

TEST(Isa, NameTellsWhichOneRuns) {
  for (const std::string& isa : supported_isa_names()) {
    EXPECT_EQ(make_backend(isa)->name(), "cpu/" + isa);
  }
}

TEST(Isa, AutoIsTheBestSupported) {
  EXPECT_EQ(make_backend("auto")->name(), "cpu/" + supported_isa_names().back());
}

TEST(Isa, PortableIsAlwaysThere) {
  EXPECT_EQ(supported_isa_names().front(), "portable");
}

TEST(Isa, SupportedIsPartOfKnown) {
  const auto known = isa_names();
  for (const std::string& isa : supported_isa_names()) {
    EXPECT_NE(std::find(known.begin(), known.end(), isa), known.end()) << isa;
  }
#if defined(__x86_64__)
  EXPECT_EQ(known,
            (std::vector<std::string>{"portable", "avx2", "avx512", "avx512vnni", "avx512bf16"}));
#endif
}

TEST(Isa, UnknownNameIsAnErrorThatListsTheOthers) {
  const auto backend = make_cpu_backend({"avx1024", 1});
  ASSERT_FALSE(backend.ok());
  EXPECT_EQ(backend.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(backend.error().param, "isa");
  EXPECT_NE(backend.error().message.find("avx1024"), std::string::npos);
  EXPECT_NE(backend.error().message.find("portable"), std::string::npos);
}

TEST(Isa, UnsupportedNameIsAnError) {
  const auto supported = supported_isa_names();
  for (const std::string& isa : isa_names()) {
    const bool runs = std::find(supported.begin(), supported.end(), isa) != supported.end();
    EXPECT_EQ(make_cpu_backend({isa, 1}).ok(), runs) << isa;
  }
}

TEST(Isa, ThreadsOutOfRangeAreAnError) {
  for (const int threads : {-1, 1025}) {
    const auto backend = make_cpu_backend({"portable", threads});
    ASSERT_FALSE(backend.ok());
    EXPECT_EQ(backend.error().param, "threads");
  }
  EXPECT_EQ(make_backend("portable", 3)->threads(), 3);
  EXPECT_GE(make_backend("portable", 0)->threads(), 1);
}

TEST(Isa, OnlyOneHasBf16) {
  EXPECT_FALSE(isa_has_bf16("portable"));
  EXPECT_FALSE(isa_has_bf16("nonsense"));
#if defined(__x86_64__)
  EXPECT_TRUE(isa_has_bf16("avx512bf16"));
  EXPECT_FALSE(isa_has_bf16("avx512"));
#endif
}

TEST(Isa, ExpIsExactToRounding) {
  for (const cpu::Isa& isa : cpu::known_isas()) {
    if (!isa.supported()) continue;
    std::vector<float> x;
    for (float v = -87; v <= 88; v += 0.00371F) x.push_back(v);
    std::vector<float> y(x.size());
    isa.kernels->exp(x.data(), y.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      const double wanted = std::exp(static_cast<double>(x[i]));
      ASSERT_NEAR(y[i] / wanted, 1, 1.5e-7) << isa.kernels->name << " at " << x[i];
    }
  }
}

TEST(Isa, ExpAtTheEdges) {
  for (const cpu::Isa& isa : cpu::known_isas()) {
    if (!isa.supported()) continue;
    const float x[] = {0.0F, -0.0F, -INFINITY, -1e30F, NAN};
    float y[5];
    isa.kernels->exp(x, y, 5);
    EXPECT_EQ(y[0], 1.0F);
    EXPECT_EQ(y[1], 1.0F);
    EXPECT_LT(y[2], 2e-38F);
    EXPECT_LT(y[3], 2e-38F);
    EXPECT_TRUE(std::isnan(y[4])) << isa.kernels->name;
  }
}

TEST(Isa, GeluIsExactToRounding) {
  for (const cpu::Isa& isa : cpu::known_isas()) {
    if (!isa.supported()) continue;
    std::vector<float> x;
    for (float v = -12; v <= 12; v += 0.000731F) x.push_back(v);
    std::vector<float> y(x.size());
    isa.kernels->gelu(x.data(), y.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(y[i], gelu(x[i]), 3e-7 * (1e-30 + std::abs(x[i])))
          << isa.kernels->name << " at " << x[i];
    }
  }
}

TEST(Isa, GeluKeepsNanAndLargeValues) {
  for (const cpu::Isa& isa : cpu::known_isas()) {
    if (!isa.supported()) continue;
    const float x[] = {NAN, 1e20F, -1e20F, INFINITY};
    float y[4];
    isa.kernels->gelu(x, y, 4);
    EXPECT_TRUE(std::isnan(y[0])) << isa.kernels->name;
    EXPECT_EQ(y[1], 1e20F);
    EXPECT_NEAR(y[2], 0, 1e-12);
    EXPECT_EQ(y[3], INFINITY);
  }
}

TEST(Isa, CeilingsAreMeasured) {
  for (const std::string& isa : supported_isa_names()) {
    const auto backend = make_backend(isa);
    const Ceilings ceilings = measure_ceilings(*backend, 0.02);
    EXPECT_GT(ceilings.f32_gflops, 0);
    EXPECT_GT(ceilings.read_gbps, 0);
    if (isa_has_bf16(isa)) {
      EXPECT_NE(ceilings.bf16_gflops, ceilings.f32_gflops);
    } else {
      EXPECT_EQ(ceilings.bf16_gflops, ceilings.f32_gflops);
    }
  }
}

}  // namespace
}  // namespace seqgpt::test
