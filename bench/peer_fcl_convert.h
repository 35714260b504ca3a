/* Conversion of transforms and hulls to FCL's types, shared by the FCL runners. */
#ifndef TACT_BENCH_PEER_FCL_CONVERT_H
#define TACT_BENCH_PEER_FCL_CONVERT_H

#include <fcl/fcl.h>
#include <memory>
#include <vector>

#include "solid.h"

inline fcl::Vector3d to_fcl(const tact_vec3 &v) { return fcl::Vector3d(v.x, v.y, v.z); }

inline fcl::Transform3d to_fcl(const tact_transform &p)
{
    fcl::Transform3d t = fcl::Transform3d::Identity();
    t.linear() << to_fcl(p.x_axis), to_fcl(p.y_axis), to_fcl(p.z_axis);
    t.translation() = to_fcl(p.origin);
    return t;
}

inline std::unique_ptr<fcl::CollisionGeometryd> hull_to_fcl(const solid &s)
{
    auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
    for (int i = 0; i < s.vertex_count; i++)
        vertices->push_back(to_fcl(s.vertices[i]));
    auto faces = std::make_shared<std::vector<int>>();
    for (int f = 0; f < s.face_count; f++)
        faces->insert(faces->end(), {3, s.faces[f][0], s.faces[f][1], s.faces[f][2]});
    return std::make_unique<fcl::Convexd>(vertices, s.face_count, faces);
}

#endif
