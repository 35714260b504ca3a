/*
 * X3D (ISO/IEC 19775-1: 7.2 USE, 10.4 groups, 12.4 shapes) and VRML97 (ISO/IEC 14772-1), which become the same tree. A
 * body for each Shape that is drawn, in the frame of the transforms above it.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/math.h>

#include "model_readers.h"

/* Nodes that are visited, with those of USE, and the bytes of their fields: a short file can ask for any number. */
#define MAX_VISITS 10000000
#define MAX_BYTES 1073741824

typedef enum node_kind {
    NODE_OTHER, /* not drawn: lights, sensors, ... */
    NODE_GROUP,
    NODE_TRANSFORM,
    NODE_SWITCH,
    NODE_LEVELS,
    NODE_COLLISION,
    NODE_SHAPE,
    NODE_UNREAD /* drawn, but not read */
} node_kind;

typedef struct x3d_reader {
    const element_tree *tree;
    model_file *model;
    uint32_t *uses;      /* by element: what USE refers to; otherwise the element itself */
    bool *active;        /* by element: being visited */
    tact_shape **shapes; /* by element: of geometries */
    size_t visits, bytes;
    size_t unnamed; /* bodies without DEF */
    int depth;
} x3d_reader;

static node_kind kind_of(const char *name)
{
    static const struct {
        const char *name;
        node_kind kind;
    } kinds[] = {{"X3D", NODE_GROUP},           {"VRML", NODE_GROUP},        {"Scene", NODE_GROUP},
                 {"Group", NODE_GROUP},         {"StaticGroup", NODE_GROUP}, {"Anchor", NODE_GROUP},
                 {"Billboard", NODE_GROUP},     {"CADLayer", NODE_GROUP},    {"CADAssembly", NODE_GROUP},
                 {"CADFace", NODE_GROUP},       {"CADPart", NODE_TRANSFORM}, {"Transform", NODE_TRANSFORM},
                 {"Switch", NODE_SWITCH},       {"LOD", NODE_LEVELS},        {"Collision", NODE_COLLISION},
                 {"Shape", NODE_SHAPE},         {"Inline", NODE_UNREAD},     {"ProtoInstance", NODE_UNREAD},
                 {"HAnimHumanoid", NODE_UNREAD}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return kinds[i].kind;
    return NODE_OTHER;
}

/* ---- DEF and USE ---- */

/* Finds what each USE refers to: the last DEF of this name before it. */
static bool uses_find(x3d_reader *r)
{
    const element_tree *tree = r->tree;
    json_t *names = json_object();
    bool good = names || tact_mesh_source_out_of_memory(tree->source);
    for (size_t i = 0; i < tree->elements.count && good; i++) {
        const uint32_t e = (uint32_t)i;
        const char *def = tact_element_attribute(tree, e, "DEF"), *use = tact_element_attribute(tree, e, "USE");
        r->uses[e] = e;
        if (use) {
            const json_t *found = json_object_get(names, use);
            if (found)
                r->uses[e] = (uint32_t)json_integer_value(found);
            else
                good = tact_element_fail(tree, e, "USE of \"%.60s\", which is not defined before", use);
        } else if (def && json_object_set_new_nocheck(names, def, json_integer((json_int_t)i)) != 0) {
            good = tact_mesh_source_out_of_memory(tree->source);
        }
    }
    json_decref(names);
    return good;
}

/* ---- transforms ---- */

static tact_transform rotation_of(const double axis_angle[4])
{
    const tact_vec3 axis = tact_vec_normalize((tact_vec3){axis_angle[0], axis_angle[1], axis_angle[2]});
    const double s = sin(0.5 * axis_angle[3]);
    const tact_quat q = {s * axis.x, s * axis.y, s * axis.z, cos(0.5 * axis_angle[3])};
    return tact_transform_make((tact_vec3){0.0, 0.0, 0.0}, q, (tact_vec3){1.0, 1.0, 1.0});
}

/* translation x center x rotation x scaleOrientation x scale x their inverses (10.4.4) */
static bool transform_read(const x3d_reader *r, uint32_t e, tact_transform *to)
{
    double translation[3] = {0.0, 0.0, 0.0}, center[3] = {0.0, 0.0, 0.0}, scale[3] = {1.0, 1.0, 1.0};
    double rotation[4] = {0.0, 0.0, 1.0, 0.0}, orientation[4] = {0.0, 0.0, 1.0, 0.0};
    if (!tact_element_numbers(r->tree, e, "translation", translation, 3) ||
        !tact_element_numbers(r->tree, e, "center", center, 3) ||
        !tact_element_numbers(r->tree, e, "rotation", rotation, 4) ||
        !tact_element_numbers(r->tree, e, "scale", scale, 3) ||
        !tact_element_numbers(r->tree, e, "scaleOrientation", orientation, 4))
        return false;
    double back[4] = {orientation[0], orientation[1], orientation[2], -orientation[3]};
    tact_transform t = tact_transform_compose(rotation_of(rotation), rotation_of(orientation));
    t = tact_transform_scale(t, (tact_vec3){scale[0], scale[1], scale[2]});
    t = tact_transform_compose(t, rotation_of(back));
    t = tact_transform_compose(t, tact_at(-center[0], -center[1], -center[2]));
    *to = tact_transform_translate(
        t, (tact_vec3){translation[0] + center[0], translation[1] + center[1], translation[2] + center[2]});
    return true;
}

/* ---- nodes ---- */

static bool node_visit(x3d_reader *r, uint32_t e, tact_transform frame, const char *name);

static bool is_metadata(const x3d_reader *r, uint32_t e)
{
    return strncmp(r->tree->elements.items[e].name, "Metadata", 8) == 0;
}

static bool children_visit(x3d_reader *r, uint32_t e, tact_transform frame, const char *name)
{
    for (uint32_t c = r->tree->elements.items[e].first_child; c != ELEMENT_NONE; c = r->tree->elements.items[c].next)
        if (!node_visit(r, c, frame, name))
            return false;
    return true;
}

/* Visits one child, by number; none if there is no such child. */
static bool choice_visit(x3d_reader *r, uint32_t e, double choice, tact_transform frame, const char *name)
{
    for (uint32_t c = r->tree->elements.items[e].first_child; c != ELEMENT_NONE; c = r->tree->elements.items[c].next)
        if (!is_metadata(r, c) && choice-- == 0.0)
            return node_visit(r, c, frame, name);
    return true;
}

/* A Collision: what is drawn need not be what collides. */
static bool collision_visit(x3d_reader *r, uint32_t e, tact_transform frame, const char *name)
{
    const element_tree *tree = r->tree;
    bool collides = true;
    if (!tact_element_flag(tree, e, "collide", &collides) || !tact_element_flag(tree, e, "enabled", &collides))
        return false;
    if (!collides)
        return true;
    for (uint32_t c = tree->elements.items[e].first_child; c != ELEMENT_NONE; c = tree->elements.items[c].next) {
        const char *field = tact_element_attribute(tree, c, "containerField");
        if (field && strcmp(field, "proxy") == 0)
            return node_visit(r, c, frame, name);
    }
    return children_visit(r, e, frame, name);
}

static bool shape_visit(x3d_reader *r, uint32_t e, tact_transform frame, const char *name)
{
    const element_tree *tree = r->tree;
    char text[56];
    for (uint32_t c = tree->elements.items[e].first_child; c != ELEMENT_NONE; c = tree->elements.items[c].next) {
        const uint32_t g = r->uses[c];
        const char *field = tact_element_attribute(tree, c, "containerField");
        if (is_metadata(r, c) || strcmp(tree->elements.items[g].name, "Appearance") == 0 ||
            (field && strcmp(field, "geometry") != 0))
            continue;
        bool good = true;
        if (!r->shapes[g])
            r->shapes[g] = tact_model_x3d_geometry(tree, r->uses, g, &good);
        if (!good)
            return false;
        if (!r->shapes[g]) {
            r->model->skipped++;
            return true;
        }
        if (!name)
            (void)snprintf(text, sizeof text, "%.30s %zu", tree->elements.items[g].name, ++r->unnamed);
        return tact_model_add(r->model, tree->source, tree->elements.items[e].at, name ? name : text,
                              tact_shape_retain(r->shapes[g]), frame);
    }
    return true;
}

static bool kind_visit(x3d_reader *r, uint32_t e, tact_transform frame, const char *name)
{
    tact_transform own;
    double choice = -1.0;
    switch (kind_of(r->tree->elements.items[e].name)) {
    case NODE_GROUP:
        return children_visit(r, e, frame, name);
    case NODE_TRANSFORM:
        return transform_read(r, e, &own) && children_visit(r, e, tact_transform_compose(frame, own), name);
    case NODE_SWITCH:
        return tact_element_numbers(r->tree, e, "whichChoice", &choice, 1) && choice_visit(r, e, choice, frame, name);
    case NODE_LEVELS:
        return choice_visit(r, e, 0.0, frame, name);
    case NODE_COLLISION:
        return collision_visit(r, e, frame, name);
    case NODE_SHAPE:
        return shape_visit(r, e, frame, name);
    case NODE_UNREAD:
        r->model->skipped++;
        return true;
    default:
        return true;
    }
}

static size_t field_bytes(const element_tree *tree, uint32_t e)
{
    size_t bytes = 0;
    for (uint32_t i = tree->elements.items[e].first_attribute; i != ELEMENT_NONE; i = tree->attributes.items[i].next)
        bytes += strlen(tree->attributes.items[i].name) + tree->attributes.items[i].length + 1;
    return bytes;
}

/* Counts what a visit of a node looks at: its fields, its children and theirs. */
static bool visit_count(x3d_reader *r, uint32_t node)
{
    const element_tree *tree = r->tree;
    r->bytes += field_bytes(tree, node);
    for (uint32_t c = tree->elements.items[node].first_child; c != ELEMENT_NONE; c = tree->elements.items[c].next) {
        r->visits++;
        r->bytes += field_bytes(tree, c);
    }
    if (r->visits > MAX_VISITS)
        return tact_element_fail(tree, node, "there are more than %d nodes, with those of USE", MAX_VISITS);
    return r->bytes <= MAX_BYTES ||
           tact_element_fail(tree, node, "there are more than %d bytes of fields, with those of USE", MAX_BYTES);
}

/* Visits a node; bodies below it without DEF of their own are called `name` (NULL: none). */
static bool node_visit(x3d_reader *r, uint32_t e, tact_transform frame, const char *name)
{
    const element_tree *tree = r->tree;
    const uint32_t node = r->uses[e];
    const char *def = tact_element_attribute(tree, node, "DEF");
    if (r->active[node])
        return tact_element_fail(tree, e, "\"%.60s\" contains itself", def ? def : "");
    if (!visit_count(r, node))
        return false;
    if (++r->depth > 2 * ELEMENT_MAX_DEPTH)
        return tact_element_fail(tree, e, "nodes are nested more than %d deep, with those of USE",
                                 2 * ELEMENT_MAX_DEPTH);
    r->active[node] = true;
    const bool good = kind_visit(r, node, frame, def ? def : name);
    r->active[node] = false;
    r->depth--;
    return good;
}

bool tact_model_read_x3d(const element_tree *tree, model_file *model)
{
    const size_t count = tree->elements.count;
    x3d_reader r = {.tree = tree,
                    .model = model,
                    .uses = calloc(count, sizeof *r.uses),
                    .active = calloc(count, sizeof *r.active),
                    .shapes = calloc(count, sizeof(tact_shape *))};
    model->format = tree->is_vrml ? "VRML97" : "X3D";
    bool good = (r.uses && r.active && r.shapes) || tact_mesh_source_out_of_memory(tree->source);
    good = good && uses_find(&r) && node_visit(&r, 0, tact_identity(), NULL);
    for (size_t i = 0; r.shapes && i < count; i++)
        tact_shape_release(r.shapes[i]);
    free(r.uses);
    free(r.active);
    free(r.shapes);
    return good;
}
