#include "pliant/picture/plot_data.h"

#include <gtest/gtest.h>

#include <string>

#include "pliant/input_error.h"

namespace pliant::picture {
namespace {

io::ProbeTable probe_table() {
  io::ProbeTable table;
  table.columns = {"energy.kinetic", "top.x", "energy.total", "energy_loss", "top.y"};
  table.rows = {{0, 0.0, {1, 2, 3, 4, 5}}, {1, 0.5, {6, 7, 8, 9, 10}}};
  return table;
}

TEST(PlotData, WordMeansItsColumns) {
  const PlotData energies = plot_series(probe_table(), "energy");
  ASSERT_EQ(energies.series.size(), 2U);  // and not energy_loss
  EXPECT_EQ(energies.series[0].name, "energy.kinetic");
  EXPECT_EQ(energies.series[1].name, "energy.total");
  EXPECT_EQ(energies.series[1].x, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(energies.series[1].y, (std::vector<double>{3, 8}));
  EXPECT_EQ(energies.unit, "J");
  const PlotData one = plot_series(probe_table(), "top.y");
  ASSERT_EQ(one.series.size(), 1U);
  EXPECT_EQ(one.series[0].y, (std::vector<double>{5, 10}));
}

TEST(PlotData, UnknownWordNamesWhatThereIs) {
  try {
    (void)plot_series(probe_table(), "enegry");
    FAIL() << "an unknown word was accepted";
  } catch (const InputError& error) {
    const std::string sentence = error.what();
    EXPECT_NE(sentence.find("'enegry'"), std::string::npos);
    EXPECT_NE(sentence.find("energy, top, energy_loss"), std::string::npos);
  }
  EXPECT_THROW((void)plot_series(io::ProbeTable(), "energy"), InputError);
}

TEST(PlotData, UnitsFollowTheQuantity) {
  EXPECT_EQ(unit_of("energy.total"), "J");
  EXPECT_EQ(unit_of("mean_velocity"), "m/s");
  EXPECT_EQ(unit_of("pin_force"), "N");
  EXPECT_EQ(unit_of("volume"), "m³");
  EXPECT_EQ(unit_of("stretch_max"), "1");
  EXPECT_EQ(unit_of("stretch_min"), "1");
  EXPECT_EQ(unit_of("max_position"), "m");
  EXPECT_EQ(unit_of("corner"), "");
}

}  // namespace
}  // namespace pliant::picture
