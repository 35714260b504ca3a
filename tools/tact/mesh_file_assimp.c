/*
 * All other formats (glTF, FBX, 3DS, Collada, OFF ...) through Assimp's C interface, where the tool was built with it.
 *
 * Assimp hands over a graph of nodes that place meshes. Every node's meshes become one or more parts of ours, with each
 * vertex placed by the product of the matrices above it, in double (Assimp's own numbers are floats). Formats that
 * store a vertex once for each normal or texture coordinate would leave every edge open, so that equal positions are
 * joined again, inside each node: what different nodes hold stays apart even where it touches. No step of Assimp's own
 * post-processing is asked for: those change order and geometry. Polygons stay polygons; points and lines are counted
 * and left out. The walk keeps its own stack, so that a deep graph does not overflow that of the program. All this
 * happens in a process of its own, since Assimp crashes on some damaged files.
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

#include "mesh_file_apart.h"
#include "mesh_file_weld.h"

/* The upper three rows of a matrix that moves points: x' = m[0] x + m[1] y + m[2] z + m[3], and so on. */
typedef struct matrix {
    double m[3][4];
} matrix;

/* A node whose turn is yet to come, and the place of its parent. */
typedef struct waiting_node {
    const struct aiNode *node;
    matrix place;
} waiting_node;
ARRAY_OF(waiting_array, waiting_node);

typedef struct scene_reader {
    const mesh_source *source;
    mesh_build *build;
    const struct aiScene *scene;
    mesh_weld weld;
    mesh_index_array renamed; /* the vertices of one of Assimp's meshes in ours */
    waiting_array waiting;
} scene_reader;

static matrix matrix_multiply(const matrix *a, const struct aiMatrix4x4 *b)
{
    double right[4][4] = {{(double)b->a1, (double)b->a2, (double)b->a3, (double)b->a4},
                          {(double)b->b1, (double)b->b2, (double)b->b3, (double)b->b4},
                          {(double)b->c1, (double)b->c2, (double)b->c3, (double)b->c4},
                          {0.0, 0.0, 0.0, 1.0}};
    matrix product;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            product.m[i][j] = a->m[i][0] * right[0][j] + a->m[i][1] * right[1][j] + a->m[i][2] * right[2][j] +
                              a->m[i][3] * right[3][j];
    return product;
}

static bool vertices_read(scene_reader *r, const struct aiMesh *mesh, const matrix *place)
{
    r->renamed.count = 0;
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        const struct aiVector3D *p = &mesh->mVertices[i];
        double x = (double)p->x, y = (double)p->y, z = (double)p->z, xyz[3];
        for (int k = 0; k < 3; k++) {
            const double *row = place->m[k];
            xyz[k] = row[0] * x + row[1] * y + row[2] * z + row[3];
            if (!isfinite(xyz[k]))
                return tact_mesh_source_fail(r->source, NULL, "vertex %u of mesh \"%.40s\" is not finite", i,
                                             mesh->mName.data);
        }
        uint32_t vertex;
        if (!tact_mesh_weld_vertex(&r->weld, xyz, &vertex))
            return false;
        if (!mesh_index_array_push(&r->renamed, r->source->allocator, vertex))
            return tact_mesh_source_out_of_memory(r->source);
    }
    return true;
}

static bool mesh_read(scene_reader *r, const struct aiMesh *mesh, const matrix *place)
{
    size_t faces_before = r->build->firsts.count;
    if (!vertices_read(r, mesh, place))
        return false;
    for (unsigned f = 0; f < mesh->mNumFaces; f++) {
        const struct aiFace *face = &mesh->mFaces[f];
        if (face->mNumIndices < 3) {
            r->build->skipped_count++;
            continue;
        }
        for (unsigned c = 0; c < face->mNumIndices; c++) {
            if (face->mIndices[c] >= r->renamed.count)
                return tact_mesh_source_fail(r->source, NULL, "face %u of mesh \"%.40s\" names vertex %u of %zu", f,
                                             mesh->mName.data, face->mIndices[c], r->renamed.count);
            if (!mesh_build_corner(r->build, r->renamed.items[face->mIndices[c]]))
                return false;
        }
        if (!mesh_build_face(r->build, NULL))
            return false;
    }
    r->build->part_count += r->build->firsts.count > faces_before;
    return true;
}

static bool node_read(scene_reader *r, const waiting_node *turn)
{
    const struct aiNode *node = turn->node;
    matrix place = matrix_multiply(&turn->place, &node->mTransformation);
    tact_mesh_weld_forget(&r->weld);
    for (unsigned i = 0; i < node->mNumMeshes; i++)
        if (node->mMeshes[i] < r->scene->mNumMeshes && !mesh_read(r, r->scene->mMeshes[node->mMeshes[i]], &place))
            return false;
    /* the last child first, since the stack turns them around */
    for (unsigned i = node->mNumChildren; i-- > 0;)
        if (!waiting_array_push(&r->waiting, r->source->allocator, (waiting_node){node->mChildren[i], place}))
            return tact_mesh_source_out_of_memory(r->source);
    return true;
}

static bool scene_read(scene_reader *r)
{
    static const matrix still = {{{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}}};
    if (r->scene->mRootNode &&
        !waiting_array_push(&r->waiting, r->source->allocator, (waiting_node){r->scene->mRootNode, still}))
        return tact_mesh_source_out_of_memory(r->source);
    while (r->waiting.count > 0) {
        waiting_node turn = waiting_array_pop(&r->waiting);
        if (!node_read(r, &turn))
            return false;
    }
    return true;
}

/* What Assimp says is wrong, on one line. */
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
    return tact_mesh_source_fail(source, NULL, "cannot be read as a mesh: %s",
                                 text[0] ? text : "Assimp does not say why");
}

static bool scene_import(mesh_source *source, mesh_build *build)
{
    const struct aiScene *scene = aiImportFile(source->path, 0);
    if (!scene)
        return fail_import(source);
    scene_reader r = {.source = source, .build = build, .scene = scene, .weld = tact_mesh_weld_begin(build)};
    bool done = scene_read(&r);
    waiting_array_release(&r.waiting, source->allocator);
    mesh_index_array_release(&r.renamed, source->allocator);
    tact_mesh_weld_release(&r.weld);
    aiReleaseImport(scene);
    return done;
}

bool tact_mesh_read_assimp(mesh_source *source, mesh_build *build)
{
    tact_mesh_source_release(source); /* of no more use, and Assimp reads it all again */
    return tact_mesh_read_apart(source, build, scene_import);
}

#endif
