#include "pliant/dynamics/model.h"

namespace pliant {

std::string Model::describe_block(int block) const {
  if (block < 0) return "an unknown place";
  const BlockPlace place = layout.locate(block);
  const ModelBody& body = bodies[place.body];
  const int vertex = body.vertex_of_block[place.index];
  const std::string what = vertex >= 0 ? "', vertex " + std::to_string(vertex) : "', edge " + std::to_string(-1 - vertex);
  return "body '" + body.name + what;
}

int Model::anchor_count() const {
  int count = 0;
  for (const ScriptedPin& pin : pins) count += static_cast<int>(pin.blocks.size() + pin.edges.size());
  return count;
}

}  // namespace pliant
