/*
 * All other formats (glTF, FBX, 3DS, Collada, OFF ...) through Assimp's C API, if the tool was built with it.
 *
 * Assimp returns a graph of nodes with transforms. The meshes of every node become one mesh; each vertex is
 * transformed by the product of the matrices on its path, in double (Assimp's coordinates are floats). Formats that
 * store a vertex once for each normal or texture coordinate would leave every edge open. So equal positions are merged
 * within a node, but not between nodes. No post-processing of Assimp is used, since it changes order and geometry.
 * Polygons stay polygons; points and lines are counted and skipped. The traversal has its own stack, so a deep graph
 * does not overflow the call stack. It runs in a child process, since Assimp crashes on some damaged files.
 *
 * Assimp reads files through the functions below: regular files in the folder of the model, and no others.
 */
#include "mesh_file_readers.h"

#ifndef TACT_HAVE_ASSIMP

bool tact_mesh_assimp_version(unsigned version[2])
{
    version[0] = version[1] = 0;
    return false;
}

bool tact_mesh_read_assimp(mesh_source *source, mesh_build *build)
{
    (void)build;
    return tact_mesh_source_fail(
        source, NULL, "is not PLY, OBJ or STL, and this tact was built without Assimp, which reads other formats");
}

#else

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/scene.h>
#include <assimp/version.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child_process.h"
#include "mesh_file_child.h"
#include "mesh_file_folder.h"
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

bool tact_mesh_assimp_version(unsigned version[2])
{
    version[0] = aiGetVersionMajor();
    version[1] = aiGetVersionMinor();
    return true;
}

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

/* ---- files ---- */

/* A file that Assimp has opened. */
typedef struct opened_file {
    struct aiFile calls; /* its user data is this structure */
    mesh_source bytes;
    size_t at;
} opened_file;

static opened_file *opened_get(struct aiFile *file) { return (opened_file *)(void *)file->UserData; }

static size_t opened_size(struct aiFile *file)
{
    const mesh_source *bytes = &opened_get(file)->bytes;
    return (size_t)(bytes->end - bytes->begin);
}

static size_t opened_tell(struct aiFile *file) { return opened_get(file)->at; }

static size_t opened_read(struct aiFile *file, char *to, size_t size, size_t count)
{
    opened_file *f = opened_get(file);
    const size_t left = opened_size(file) - f->at, whole = size > 0 ? left / size : 0;
    const size_t got = count < whole ? count : whole;
    memcpy(to, f->bytes.begin + f->at, got * size);
    f->at += got * size;
    return got;
}

static size_t opened_write(struct aiFile *file, const char *from, size_t size, size_t count)
{
    (void)file;
    (void)from;
    (void)size;
    (void)count;
    return 0;
}

static void opened_flush(struct aiFile *file) { (void)file; }

static enum aiReturn opened_seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
    opened_file *f = opened_get(file);
    const size_t size = opened_size(file);
    /* an offset may be a negative number that became a size_t */
    const size_t at = offset + (origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? f->at : size);
    if (at > size)
        return aiReturn_FAILURE;
    f->at = at;
    return aiReturn_SUCCESS;
}

/* The user data of aiFileIO. */
typedef struct file_access {
    const mesh_source *model;
    bool refused; /* a file outside the folder of the model */
} file_access;

static bool is_refused(file_access *access, const char *path)
{
    const char *model = access->model->path;
    const bool refused = strcmp(path, model) != 0 && tact_mesh_folder_is_left(model, path);
    access->refused = access->refused || refused;
    return refused;
}

static struct aiFile *file_open(struct aiFileIO *io, const char *path, const char *mode)
{
    static const tact_allocator standard = {NULL, NULL};
    file_access *access = (file_access *)(void *)io->UserData;
    opened_file *f = mode[0] == 'r' && !is_refused(access, path) ? calloc(1, sizeof *f) : NULL;
    if (!f)
        return NULL;
    f->bytes = (mesh_source){.path = path, .allocator = &standard};
    if (!tact_mesh_source_load(&f->bytes)) {
        free(f);
        return NULL;
    }
    f->calls = (struct aiFile){.ReadProc = opened_read,
                               .WriteProc = opened_write,
                               .TellProc = opened_tell,
                               .FileSizeProc = opened_size,
                               .SeekProc = opened_seek,
                               .FlushProc = opened_flush,
                               .UserData = (char *)f};
    tact_child_allow((double)opened_size(&f->calls));
    return &f->calls;
}

static void file_close(struct aiFileIO *io, struct aiFile *file)
{
    opened_file *f = opened_get(file);
    (void)io;
    tact_mesh_source_release(&f->bytes);
    free(f);
}

/* ---- import ---- */

/* Reports the error of Assimp on one line. */
static bool fail_import(const mesh_source *source, bool refused)
{
    if (refused)
        return tact_mesh_source_fail(source, NULL, "refers to a file outside its folder, which is not read");
    char text[MESH_FILE_ERROR / 2];
    (void)snprintf(text, sizeof text, "%s", aiGetErrorString());
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
        text[--length] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    if (strcmp(text, "std::bad_alloc") == 0)
        return tact_mesh_source_fail(source, NULL, "takes Assimp too much memory for its size: it is probably damaged");
    return tact_mesh_source_fail(source, NULL, "is not PLY, OBJ or STL, and Assimp cannot read it: %s",
                                 text[0] ? text : "Assimp gives no reason");
}

static bool scene_import(mesh_source *source, mesh_build *build)
{
    file_access access = {source, false};
    struct aiFileIO files = {.OpenProc = file_open, .CloseProc = file_close, .UserData = (char *)&access};
    const struct aiScene *scene = aiImportFileEx(source->path, 0, &files);
    if (!scene)
        return fail_import(source, access.refused);
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
