// The `expect:` entries of a scene: physics it must show, checked while it runs and judged at its end.
#pragma once

#include <string>
#include <vector>

#include "pliant/scene/scene.h"

namespace pliant::scene {

struct ExpectationResult {
  std::string probe;
  std::string at;         // "end", "always", "0.5 s"
  std::string condition;  // "between 0.31 and 0.33"
  double value = 0;       // the value judged; for `always` the worst one
  bool passed = false;    // false, too, when its moment never came
};

class Expectations {
 public:
  // Throws InputError when a probe column does not exist, naming the nearest ones.
  Expectations(const Scene& scene, const std::vector<std::string>& columns);

  // To be called for every row of probes.csv, in order; a resumed run begins with the rows it finds there.
  void observe(double time, const std::vector<double>& values);
  [[nodiscard]] std::vector<ExpectationResult> results() const;

 private:
  struct Entry {
    Expectation wanted;
    int column = 0;
    double value = 0;
    double violation = 0;  // how far outside, of the value kept; ≤ 0 = inside
    bool seen = false;
  };
  std::vector<Entry> entries_;
};

}  // namespace pliant::scene
