/*
 * FCL 0.7's continuous traversal: a mesh with AABBs around both frames, traversed against itself. Every pair of leaves
 * takes 6 vertex-face and 9 edge-edge tests in floating point, also between adjacent triangles. It finds pairs of
 * triangles, not of features.
 */
#ifdef TACT_HAVE_FCL

#include <algorithm>
#include <fcl/fcl.h>
#include <fcl/narrowphase/detail/traversal/collision/mesh_continuous_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>
#include <limits>
#include <new>
#include <vector>

#include "ccd_peer.h"
#include "stopwatch.h"

extern "C" bool tact_ccd_step_fcl(const ccd_scene *scene, double *ns)
{
    try {
        std::vector<fcl::Vector3d> start, end;
        std::vector<fcl::Triangle> triangles;
        for (size_t i = 0; i < scene->vertex_count; i++) {
            start.emplace_back(scene->start[i].x, scene->start[i].y, scene->start[i].z);
            end.emplace_back(scene->end[i].x, scene->end[i].y, scene->end[i].z);
        }
        for (size_t i = 0; i < scene->triangle_count; i++)
            triangles.emplace_back(scene->triangles[i][0], scene->triangles[i][1], scene->triangles[i][2]);
        fcl::BVHModel<fcl::AABBd> mesh;
        mesh.beginModel(static_cast<int>(triangles.size()), static_cast<int>(start.size()));
        mesh.addSubModel(start, triangles);
        mesh.endModel();
        const double before = tact_stopwatch_now();
        mesh.beginUpdateModel();
        mesh.updateSubModel(end);
        mesh.endUpdateModel(true, true);
        fcl::detail::MeshContinuousCollisionTraversalNode<fcl::AABBd> node;
        const fcl::CollisionRequestd request(std::numeric_limits<size_t>::max(), false);
        const fcl::Transform3d identity = fcl::Transform3d::Identity();
        fcl::detail::initialize(node, mesh, identity, mesh, identity, request);
        fcl::detail::selfCollide(&node);
        *ns = tact_stopwatch_now() - before;
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

#endif
