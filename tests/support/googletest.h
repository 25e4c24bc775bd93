// What nearly every test instantiates of GoogleTest, compiled once (googletest.cpp) instead of in every file.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <string>

#define PLIANT_PRINTED(EXTERN, TYPE) EXTERN template std::string testing::PrintToString<TYPE>(const TYPE&);

#define PLIANT_COMPARED(EXTERN, A, B)                                                                            \
  EXTERN template testing::AssertionResult testing::internal::CmpHelperEQFailure<A, B>(const char*, const char*, \
                                                                                       const A&, const B&);      \
  EXTERN template testing::AssertionResult testing::internal::CmpHelperOpFailure<A, B>(                          \
      const char*, const char*, const A&, const B&, const char*);

#define PLIANT_OF_GOOGLETEST(EXTERN)                          \
  PLIANT_PRINTED(EXTERN, bool)                                \
  PLIANT_PRINTED(EXTERN, int)                                 \
  PLIANT_PRINTED(EXTERN, unsigned)                            \
  PLIANT_PRINTED(EXTERN, long)                                \
  PLIANT_PRINTED(EXTERN, unsigned long)                       \
  PLIANT_PRINTED(EXTERN, double)                              \
  PLIANT_PRINTED(EXTERN, std::string)                         \
  PLIANT_PRINTED(EXTERN, Eigen::Vector3d)                     \
  PLIANT_PRINTED(EXTERN, std::vector<int>)                    \
  PLIANT_PRINTED(EXTERN, std::vector<double>)                 \
  PLIANT_COMPARED(EXTERN, bool, bool)                         \
  PLIANT_COMPARED(EXTERN, int, int)                           \
  PLIANT_COMPARED(EXTERN, int, double)                        \
  PLIANT_COMPARED(EXTERN, long, int)                          \
  PLIANT_COMPARED(EXTERN, long, long)                         \
  PLIANT_COMPARED(EXTERN, unsigned long, unsigned)            \
  PLIANT_COMPARED(EXTERN, unsigned long, unsigned long)       \
  PLIANT_COMPARED(EXTERN, double, int)                        \
  PLIANT_COMPARED(EXTERN, double, double)                     \
  PLIANT_COMPARED(EXTERN, std::string, std::string)           \
  PLIANT_COMPARED(EXTERN, Eigen::Vector3d, Eigen::Vector3d)   \
  PLIANT_COMPARED(EXTERN, std::vector<int>, std::vector<int>) \
  PLIANT_COMPARED(EXTERN, std::vector<double>, std::vector<double>)

PLIANT_OF_GOOGLETEST(extern)
