// The words of the closed choices. Each array follows its enum in scene.h, entry by entry.
#include "pliant/scene/schema_names.h"

namespace pliant::scene {

std::span<const char* const> words_of(Integrator) {
  static constexpr const char* kWords[] = {"backward_euler",   "bdf2",        "implicit_midpoint", "newmark",
                                           "symplectic_euler", "quasi_static"};
  return kWords;
}

std::span<const char* const> words_of(SolverMethod) {
  static constexpr const char* kWords[] = {"newton", "quasi_newton", "projection"};
  return kWords;
}

std::span<const char* const> words_of(LinearMethod) {
  static constexpr const char* kWords[] = {"auto", "cholesky", "pcg", "banded", "multigrid"};
  return kWords;
}

std::span<const char* const> words_of(HessianForm) {
  static constexpr const char* kWords[] = {"projected", "exact", "warped"};
  return kWords;
}

std::span<const char* const> words_of(LineSearchRule) {
  static constexpr const char* kWords[] = {"armijo"};
  return kWords;
}

std::span<const char* const> words_of(FactorPrecision) {
  static constexpr const char* kWords[] = {"double", "float", "half"};
  return kWords;
}

std::span<const char* const> words_of(MatrixAfterTears) {
  static constexpr const char* kWords[] = {"refactor", "keep", "background"};
  return kWords;
}

std::span<const char* const> words_of(ProjectionOrder) {
  static constexpr const char* kWords[] = {
      "gauss_seidel", "sor", "jacobi", "improved_jacobi", "accelerated_jacobi", "conjugate_residual", "minres"};
  return kWords;
}

std::span<const char* const> words_of(ProjectionReal) {
  static constexpr const char* kWords[] = {"double", "float"};
  return kWords;
}

std::span<const char* const> words_of(FrictionForm) {
  static constexpr const char* kWords[] = {"cylinder", "cone", "box"};
  return kWords;
}

std::span<const char* const> words_of(TearForm) {
  static constexpr const char* kWords[] = {"splitting", "removal"};
  return kWords;
}

std::span<const char* const> words_of(MaterialModel) {
  static constexpr const char* kWords[] = {"neo_hookean",   "stable_neo_hookean",
                                           "corotated",     "st_venant_kirchhoff",
                                           "linear",        "arap",
                                           "mooney_rivlin", "polynomial",
                                           "spline",        "orthotropic_st_venant_kirchhoff",
                                           "elastic_rod",   "springs"};
  return kWords;
}

std::span<const char* const> words_of(MassForm) {
  static constexpr const char* kWords[] = {"lumped", "consistent"};
  return kWords;
}

std::span<const char* const> words_of(BendingModel) {
  static constexpr const char* kWords[] = {"hinge_tan", "hinge_angle", "willmore", "bridson", "none"};
  return kWords;
}

std::span<const char* const> words_of(BendingRest) {
  static constexpr const char* kWords[] = {"flat", "as_given"};
  return kWords;
}

std::span<const char* const> words_of(PinTwist) {
  static constexpr const char* kWords[] = {"held", "free"};
  return kWords;
}

std::span<const char* const> words_of(JointType) {
  static constexpr const char* kWords[] = {"ball", "hinge", "slider", "universal", "fixed", "distance"};
  return kWords;
}

std::span<const char* const> words_of(GridPattern) {
  static constexpr const char* kWords[] = {"diagonal", "alternating", "cross", "equilateral", "irregular"};
  return kWords;
}

std::span<const char* const> words_of(TetrahedralizeMethod) {
  static constexpr const char* kWords[] = {"conforming", "voxels"};
  return kWords;
}

std::span<const char* const> words_of(BodyKind) {
  static constexpr const char* kWords[] = {"solid", "cloth", "rod", "springs", "rigid", "particles", "obstacle"};
  return kWords;
}

std::span<const char* const> words_of(ContactMethod) {
  static constexpr const char* kWords[] = {"auto", "none", "barrier", "penalty", "projected"};
  return kWords;
}

std::span<const char* const> words_of(TermRelease) {
  static constexpr const char* kWords[] = {"open", "separating"};
  return kWords;
}

std::span<const char* const> words_of(ContactShape) {
  static constexpr const char* kWords[] = {"auto", "mesh", "analytic"};
  return kWords;
}

std::span<const char* const> words_of(RigidForm) {
  static constexpr const char* kWords[] = {"auto", "mesh", "sphere", "box", "capsule", "convex"};
  return kWords;
}

std::span<const char* const> words_of(InitialIntersections) {
  static constexpr const char* kWords[] = {"error", "separate", "ignore"};
  return kWords;
}

std::span<const char* const> words_of(Quantity) {
  static constexpr const char* kWords[] = {"position",         "velocity",     "mean_position", "mean_velocity",
                                           "min_position",     "max_position", "pin_force",     "stretch_max",
                                           "stretch_min",      "volume",       "energy",        "contacts",
                                           "contact_force",    "count_inside", "pose",          "angular_velocity",
                                           "angular_momentum", "joint",        "heap_angle"};
  return kWords;
}

std::vector<std::string> joint_components() { return {"coordinate", "force", "gap", "broken"}; }

std::vector<std::string> pose_components() { return {"x", "y", "z", "qw", "qx", "qy", "qz"}; }

std::vector<std::string> contact_components() {
  return {"count",          "smallest_gap",   "largest_force",
          "intersections",  "cone_violation", "relative_cone_violation",
          "friction_angle", "complementarity"};
}

std::span<const char* const> words_of(OutputField) {
  static constexpr const char* kWords[] = {"positions", "contacts", "velocities", "stress", "contact_forces"};
  return kWords;
}

}  // namespace pliant::scene
