// What a body is: in scene files, in models, in results.
#pragma once

namespace pliant {

enum class BodyKind { solid, cloth, rod, springs, rigid, particles, obstacle };

}  // namespace pliant
