#include "pliant/solver/projection/coloured_lanes.h"

namespace pliant::solver {

ColouredLanes colour_lanes(const parallel::TouchLists& blocks, int block_count, int lanes) {
  const parallel::Coloring coloring = blocks.color(block_count);
  ColouredLanes order;
  for (int colour = 0; colour < coloring.color_count(); ++colour) {
    order.items.insert(order.items.end(), coloring.items.begin() + coloring.color_start[colour],
                       coloring.items.begin() + coloring.color_start[colour + 1]);
    while (order.items.size() % static_cast<std::size_t>(lanes) != 0) order.items.push_back(-1);
    order.colour_start.push_back(static_cast<int>(order.items.size()));
  }
  return order;
}

}  // namespace pliant::solver
