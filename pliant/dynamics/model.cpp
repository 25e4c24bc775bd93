#include "pliant/dynamics/model.h"

namespace pliant {

std::string Model::describe_block(int block) const {
  if (block < 0) return "an unknown place";
  const BlockPlace place = layout.locate(block);
  const ModelBody& body = bodies[place.body];
  return "body '" + body.name + "', vertex " + std::to_string(body.vertex_of_block[place.index]);
}

int Model::anchor_count() const {
  int count = 0;
  for (const ScriptedPin& pin : pins) count += static_cast<int>(pin.blocks.size());
  return count;
}

}  // namespace pliant
