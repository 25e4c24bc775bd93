// What all responses to contact have in common: barriers (contact_potential.h) and springs (penalty_contact.h) alike are
// an energy of the step, and leave the same record of what acted between bodies.
//
// Obstacles may go their way together with the unknowns: `progress` runs from 0 (where they were) to 1 (where the script
// wants them); an iterate is a pair (q, progress).
#pragma once

#include <cstddef>
#include <vector>

#include "pliant/configuration/controls.h"
#include "pliant/configuration/state.h"
#include "pliant/contact/contact_force.h"
#include "pliant/contact/contact_surface.h"
#include "pliant/math/types.h"
#include "pliant/sparse/block_vector.h"

namespace pliant::contact {

// What all responses are told.
struct ContactOptions {
  double distance = 1e-3;            // m, d̂
  double stick_displacement = 1e-6;  // m, ε
  int friction_iterations = 3;       // how often friction's forces and directions are taken anew
  bool has_memory = true;            // slips are carried from step to step
};

// Of an iterate or a step.
struct ContactSummary {
  int count = 0;
  double smallest_gap = 0;   // m; 0 without contacts
  double nearest = 1;        // smallest gap in units of its contact distance
  double largest_force = 0;  // N
};

// What a step begins with.
struct ContactStep {
  const BlockVector& before;  // m; obstacles are where they were
  const Controls& controls;
  double pressure = 1;                    // Pa, P
  const StickMemory& memory;              // slips of the last step
  const BlockVector* expected = nullptr;  // m, how far blocks would go at the velocity they have; null = not at all
  double resolution = 0;                  // m, how well the solver will place blocks
};

// What the objective of a step asks.
class ContactEnergy {
 public:
  virtual ~ContactEnergy() = default;
  virtual void look(const BlockVector& q, double progress) = 0;                      // makes this the iterate
  [[nodiscard]] virtual double value() const = 0;                                    // J, at the iterate
  [[nodiscard]] virtual double value_at(const BlockVector& q, double progress) = 0;  // J, elsewhere
  virtual void add_gradient(BlockVector& gradient) const = 0;                        // N, at the iterate
};

// What is left of a step, at the iterate where it ended.
class ContactRecord {
 public:
  virtual ~ContactRecord() = default;
  // The slips that the next step starts with.
  [[nodiscard]] virtual StickMemory memory_at(const BlockVector& q) = 0;
  [[nodiscard]] virtual double stored_energy() const = 0;  // J, without friction
  [[nodiscard]] virtual ContactSummary summary() const = 0;
  [[nodiscard]] virtual std::vector<ContactForce> forces() const = 0;
  [[nodiscard]] virtual const ContactSurface& surface() const = 0;
  // What is kept for pairs and contacts. Positions and trees, which grow with the surface, do not count.
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
};

class ContactResponse : public ContactEnergy, public ContactRecord {};

}  // namespace pliant::contact
