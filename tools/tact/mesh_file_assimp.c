/*
 * All other formats (glTF, FBX, 3DS, Collada, OFF ...) through Assimp's C API, if the tool was built with it.
 *
 * Assimp returns a graph of nodes with transforms. The meshes of every node become one mesh; each vertex is
 * transformed by the product of the matrices on its path, in double (Assimp's coordinates are floats). Formats that
 * store a vertex once for each normal or texture coordinate would leave every edge open. So equal positions are merged
 * within a node, but not between nodes. No post-processing of Assimp is used, since it changes order and geometry.
 * Polygons stay polygons; points and lines are counted and skipped. The traversal has its own stack, so a deep graph
 * does not overflow the call stack. It runs in a child process, since Assimp crashes on some damaged files.
 */
#include "mesh_file_readers.h"

#ifndef TACT_HAVE_ASSIMP

bool tact_mesh_read_assimp(mesh_source *source, mesh_build *build)
{
    (void)build;
    return tact_mesh_source_fail(
        source, NULL, "is not PLY, OBJ or STL, and this tact was built without Assimp, which reads other formats");
}

#else

#include <assimp/cimport.h>
#include <assimp/scene.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh_file_child.h"
#include "mesh_file_weld.h"

/* An affine transform: x' = m[0][0] x + m[0][1] y + m[0][2] z + m[0][3], and so on. */
typedef struct affine_rows {
    double m[3][4];
} affine_rows;

/* A node that is still to be read, and the transform of its parent. */
typedef struct pending_node {
    const struct aiNode *node;
    affine_rows transform;
} pending_node;
ARRAY_OF(pending_node_array, pending_node);

typedef struct assimp_import {
    const mesh_source *source;
    mesh_build *build;
    const struct aiScene *scene;
    mesh_weld weld;
    mesh_index_array vertex_map; /* from the vertices of the current Assimp mesh to ours */
    pending_node_array pending;
} assimp_import;

static affine_rows affine_multiply(const affine_rows *a, const struct aiMatrix4x4 *b)
{
    double right[4][4] = {{(double)b->a1, (double)b->a2, (double)b->a3, (double)b->a4},
                          {(double)b->b1, (double)b->b2, (double)b->b3, (double)b->b4},
                          {(double)b->c1, (double)b->c2, (double)b->c3, (double)b->c4},
                          {0.0, 0.0, 0.0, 1.0}};
    affine_rows product;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            product.m[i][j] = a->m[i][0] * right[0][j] + a->m[i][1] * right[1][j] + a->m[i][2] * right[2][j] +
                              a->m[i][3] * right[3][j];
    return product;
}

static bool vertices_read(assimp_import *r, const struct aiMesh *mesh, const affine_rows *transform)
{
    r->vertex_map.count = 0;
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        const struct aiVector3D *p = &mesh->mVertices[i];
        double x = (double)p->x, y = (double)p->y, z = (double)p->z, xyz[3];
        for (int k = 0; k < 3; k++) {
            const double *row = transform->m[k];
            xyz[k] = row[0] * x + row[1] * y + row[2] * z + row[3];
            if (!isfinite(xyz[k]))
                return tact_mesh_source_fail(r->source, NULL, "vertex %u of mesh \"%.40s\" is not finite", i,
                                             mesh->mName.data);
        }
        uint32_t vertex;
        if (!tact_mesh_weld_vertex(&r->weld, xyz, &vertex))
            return false;
        if (!mesh_index_array_push(&r->vertex_map, r->source->allocator, vertex))
            return tact_mesh_source_out_of_memory(r->source);
    }
    return true;
}

static bool mesh_read(assimp_import *r, const struct aiMesh *mesh, const affine_rows *transform)
{
    if (!vertices_read(r, mesh, transform))
        return false;
    for (unsigned f = 0; f < mesh->mNumFaces; f++) {
        const struct aiFace *face = &mesh->mFaces[f];
        if (face->mNumIndices < 3) {
            r->build->skipped_count++;
            continue;
        }
        for (unsigned c = 0; c < face->mNumIndices; c++) {
            if (face->mIndices[c] >= r->vertex_map.count)
                return tact_mesh_source_fail(r->source, NULL, "face %u of mesh \"%.40s\" refers to vertex %u of %zu", f,
                                             mesh->mName.data, face->mIndices[c], r->vertex_map.count);
            if (!mesh_build_index(r->build, r->vertex_map.items[face->mIndices[c]]))
                return false;
        }
        if (!mesh_build_face(r->build, NULL))
            return false;
    }
    return true;
}

static bool node_read(assimp_import *r, const pending_node *next)
{
    const struct aiNode *node = next->node;
    affine_rows transform = affine_multiply(&next->transform, &node->mTransformation);
    tact_mesh_weld_clear(&r->weld);
    for (unsigned i = 0; i < node->mNumMeshes; i++)
        if (node->mMeshes[i] < r->scene->mNumMeshes && !mesh_read(r, r->scene->mMeshes[node->mMeshes[i]], &transform))
            return false;
    /* last child first: the stack reverses the order */
    for (unsigned i = node->mNumChildren; i-- > 0;)
        if (!pending_node_array_push(&r->pending, r->source->allocator, (pending_node){node->mChildren[i], transform}))
            return tact_mesh_source_out_of_memory(r->source);
    return true;
}

static bool scene_read(assimp_import *r)
{
    static const affine_rows identity = {{{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}}};
    if (r->scene->mRootNode &&
        !pending_node_array_push(&r->pending, r->source->allocator, (pending_node){r->scene->mRootNode, identity}))
        return tact_mesh_source_out_of_memory(r->source);
    while (r->pending.count > 0) {
        pending_node next = pending_node_array_pop(&r->pending);
        if (!node_read(r, &next))
            return false;
    }
    return true;
}

/* Reports the error of Assimp on one line. */
static bool fail_import(const mesh_source *source)
{
    char text[MESH_FILE_ERROR / 2];
    (void)snprintf(text, sizeof text, "%s", aiGetErrorString());
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
        text[--length] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    return tact_mesh_source_fail(source, NULL, "is not PLY, OBJ or STL, and Assimp cannot read it: %s",
                                 text[0] ? text : "Assimp gives no reason");
}

static bool scene_import(mesh_source *source, mesh_build *build)
{
    const struct aiScene *scene = aiImportFile(source->path, 0);
    if (!scene)
        return fail_import(source);
    assimp_import r = {.source = source, .build = build, .scene = scene, .weld = tact_mesh_weld_begin(build)};
    bool done = scene_read(&r);
    pending_node_array_release(&r.pending, source->allocator);
    mesh_index_array_release(&r.vertex_map, source->allocator);
    tact_mesh_weld_release(&r.weld);
    aiReleaseImport(scene);
    return done;
}

bool tact_mesh_read_assimp(mesh_source *source, mesh_build *build)
{
    tact_mesh_source_release(source); /* Assimp reads the file itself */
    return tact_mesh_read_in_child(source, build, scene_import);
}

#endif
