// Small vectors and matrices, in double precision. Points and vectors are columns; units are SI.
#pragma once

#include <Eigen/Core>

namespace pliant {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using Vec3i = Eigen::Vector3i;
using Vec4i = Eigen::Vector4i;
using Mat3 = Eigen::Matrix3d;
using Mat32 = Eigen::Matrix<double, 3, 2>;
using Mat2 = Eigen::Matrix2d;

}  // namespace pliant
