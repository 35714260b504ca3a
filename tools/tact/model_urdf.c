/*
 * URDF (wiki.ros.org/urdf/XML): links in a tree of joints. The frame of a link is that of its parent, moved by the
 * origin of the joint, then by its position: a rotation about the axis, or a translation along it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/math.h>
#include <tact/mesh.h>

#include "mesh_file.h"
#include "model_readers.h"

#define NONE SIZE_MAX

/* Bytes of the path of a mesh file. */
#define PATH_BYTES 4096

static const tact_allocator standard = {NULL, NULL};

typedef struct urdf_link {
    const char *name;
    uint32_t element;
    size_t parent_joint; /* NONE: the root */
    size_t first_joint;  /* of those to its children; NONE: none */
    tact_transform frame;
    size_t body; /* NONE: it has no collision geometry */
} urdf_link;

typedef enum joint_type { JOINT_FIXED, JOINT_REVOLUTE, JOINT_CONTINUOUS, JOINT_PRISMATIC, JOINT_OTHER } joint_type;

typedef struct urdf_joint {
    const char *name;
    uint32_t element;
    joint_type type;
    size_t parent, child; /* links */
    size_t next;          /* of the same parent; NONE: none */
    tact_transform origin;
    tact_vec3 axis; /* unit */
    size_t mimic;   /* a joint, whose position times `factor` plus `offset` is that of this one; NONE */
    double factor, offset, position;
} urdf_joint;

typedef struct urdf_reader {
    const element_tree *tree;
    const model_options *options;
    model_file *model;
    urdf_link *links;
    urdf_joint *joints;
    size_t link_count, joint_count;
} urdf_reader;

static bool out_of_memory(const urdf_reader *r) { return tact_mesh_source_out_of_memory(r->tree->source); }

static bool is_named(const element_tree *tree, uint32_t e, const char *name)
{
    return strcmp(tree->elements.items[e].name, name) == 0;
}

/* A required attribute that is a text. */
static bool text_read(const element_tree *tree, uint32_t e, const char *name, const char **text)
{
    *text = tact_element_attribute(tree, e, name);
    return (*text && **text) ||
           tact_element_fail(tree, e, "%s has no attribute %s", tree->elements.items[e].name, name);
}

/* A required attribute that is a positive number. */
static bool length_read(const element_tree *tree, uint32_t e, const char *name, double *length)
{
    *length = 0.0;
    if (!tact_element_has(tree, e, name))
        return tact_element_fail(tree, e, "%s has no attribute %s", tree->elements.items[e].name, name);
    return tact_element_numbers(tree, e, name, length, 1) &&
           (*length > 0.0 || tact_element_fail(tree, e, "%s of %s must be positive, not %g", name,
                                               tree->elements.items[e].name, *length));
}

/* A transform whose frame turns by a rotation in its own axes. */
static tact_transform turned(tact_transform transform, tact_quat rotation)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0}, one = {1.0, 1.0, 1.0};
    return tact_transform_compose(transform, tact_transform_make(zero, rotation, one));
}

/* The child `origin`: xyz, and rpy: rotations about the fixed axes x, y, z. */
static bool origin_read(const element_tree *tree, uint32_t e, tact_transform *origin)
{
    const uint32_t child = tact_element_child(tree, e, "origin");
    double xyz[3] = {0.0, 0.0, 0.0}, rpy[3] = {0.0, 0.0, 0.0};
    *origin = tact_identity();
    if (child == ELEMENT_NONE)
        return true;
    if (!tact_element_numbers(tree, child, "xyz", xyz, 3) || !tact_element_numbers(tree, child, "rpy", rpy, 3))
        return false;
    tact_quat q = {0.0, 0.0, 0.0, 1.0};
    for (int i = 0; i < 3; i++) {
        const double s = sin(0.5 * rpy[i]);
        q = tact_quat_multiply((tact_quat){i == 0 ? s : 0.0, i == 1 ? s : 0.0, i == 2 ? s : 0.0, cos(0.5 * rpy[i])}, q);
    }
    *origin = tact_transform_make((tact_vec3){xyz[0], xyz[1], xyz[2]}, q, (tact_vec3){1.0, 1.0, 1.0});
    return true;
}

/* ---- meshes ---- */

/* The path of a mesh beside the model: only names of folders below it are followed. */
static bool path_make(const urdf_reader *r, uint32_t e, const char *name, bool skips_package, char path[PATH_BYTES])
{
    static const char package[] = "package://", file[] = "file://";
    const char *model = r->tree->source->path, *slash = strrchr(model, '/'), *rest = name;
    if (strncmp(rest, package, sizeof package - 1) == 0) {
        rest += sizeof package - 1;
        if (skips_package && strchr(rest, '/'))
            rest = strchr(rest, '/') + 1;
    } else if (strncmp(rest, file, sizeof file - 1) == 0) {
        rest += sizeof file - 1;
    }
    for (const char *part = rest; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return tact_element_fail(r->tree, e, "the mesh \"%.80s\" is not below the folder of the model", name);
    }
    if (rest[0] == '/' || strstr(rest, "://"))
        return tact_element_fail(r->tree, e, "the mesh \"%.80s\" is not below the folder of the model", name);
    const int length = snprintf(path, PATH_BYTES, "%.*s%s", slash ? (int)(slash - model + 1) : 0, model, rest);
    return (length > 0 && length < PATH_BYTES) || tact_element_fail(r->tree, e, "the name of the mesh is too long");
}

static bool is_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    return file && fclose(file) == 0;
}

static tact_shape *mesh_read(const urdf_reader *r, uint32_t e)
{
    const char *name;
    char path[PATH_BYTES], reason[MESH_FILE_ERROR];
    if (!text_read(r->tree, e, "filename", &name) || !path_make(r, e, name, true, path))
        return NULL;
    if (!is_file(path) && !path_make(r, e, name, false, path))
        return NULL;
    tact_shape *shape = tact_model_mesh_read(path, NULL, reason, sizeof reason);
    if (!shape)
        (void)tact_element_fail(r->tree, e, "%s", reason);
    return shape;
}

/* ---- shapes ---- */

/* The shape of a collision element, and its transform in the frame of the link; NULL after an error. */
static tact_shape *collision_read(const urdf_reader *r, uint32_t e, tact_transform *transform)
{
    const element_tree *tree = r->tree;
    const uint32_t geometry = tact_element_child(tree, e, "geometry");
    const uint32_t g = geometry == ELEMENT_NONE ? geometry : tree->elements.items[geometry].first_child;
    /* cylinders and capsules of URDF have the axis z, ours y */
    const double turn = sqrt(0.5);
    const tact_quat y_to_z = {turn, 0.0, 0.0, turn};
    double size[3] = {0.0, 0.0, 0.0}, scale[3] = {1.0, 1.0, 1.0};
    tact_shape_def def = tact_shape_def_default();
    tact_report report = {0};
    if (g == ELEMENT_NONE) {
        (void)tact_element_fail(tree, e, "collision has no geometry");
        return NULL;
    }
    if (!origin_read(tree, e, transform))
        return NULL;
    bool good = true;
    if (is_named(tree, g, "mesh")) {
        tact_shape *mesh = tact_element_numbers(tree, g, "scale", scale, 3) ? mesh_read(r, g) : NULL;
        *transform = tact_transform_scale(*transform, (tact_vec3){scale[0], scale[1], scale[2]});
        return mesh;
    }
    if (is_named(tree, g, "box")) {
        def.type = TACT_BOX;
        good = tact_element_has(tree, g, "size") || tact_element_fail(tree, g, "box has no attribute size");
        good = good && tact_element_numbers(tree, g, "size", size, 3);
        def.size = (tact_vec3){size[0], size[1], size[2]};
    } else if (is_named(tree, g, "sphere")) {
        def.type = TACT_SPHERE;
        good = length_read(tree, g, "radius", &def.radius);
    } else if (is_named(tree, g, "cylinder") || is_named(tree, g, "capsule")) {
        def.type = is_named(tree, g, "cylinder") ? TACT_CYLINDER : TACT_CAPSULE;
        good = length_read(tree, g, "radius", &def.radius) && length_read(tree, g, "length", &def.height);
        *transform = turned(*transform, y_to_z);
    } else {
        good = tact_element_fail(tree, g, "the geometry %.60s is not supported", tree->elements.items[g].name);
    }
    if (!good)
        return NULL;
    tact_shape *shape = tact_shape_create(&def, &report);
    if (!shape)
        (void)tact_element_fail(tree, g, "%s is not possible: %s", tree->elements.items[g].name, report.text);
    return shape;
}

/* Adds the body of a link, if it has collision geometry: one shape, or a compound of several. */
static bool body_add(urdf_reader *r, urdf_link *link)
{
    const element_tree *tree = r->tree;
    size_t count = 0, capacity = 0;
    tact_shape **parts = NULL;
    tact_transform *transforms = NULL;
    for (uint32_t e = tree->elements.items[link->element].first_child; e != ELEMENT_NONE;
         e = tree->elements.items[e].next)
        capacity += is_named(tree, e, "collision");
    if (capacity == 0)
        return true;
    parts = calloc(capacity, sizeof *parts);
    transforms = calloc(capacity, sizeof *transforms);
    bool good = (parts && transforms) || out_of_memory(r);
    for (uint32_t e = tree->elements.items[link->element].first_child; e != ELEMENT_NONE && good;
         e = tree->elements.items[e].next)
        if (is_named(tree, e, "collision")) {
            parts[count] = collision_read(r, e, &transforms[count]);
            good = parts[count] != NULL;
            count += good;
        }
    if (good) {
        tact_report report = {0};
        tact_shape *shape =
            count == 1 ? tact_shape_retain(parts[0])
                       : tact_compound_create((const tact_shape *const *)parts, transforms, count, NULL, &report);
        const tact_transform at = count == 1 ? tact_transform_compose(link->frame, transforms[0]) : link->frame;
        good = shape != NULL ||
               tact_element_fail(tree, link->element, "link \"%.60s\" is not possible: %s", link->name, report.text);
        link->body = r->model->bodies.count;
        good = good &&
               tact_model_add(r->model, tree->source, tree->elements.items[link->element].at, link->name, shape, at);
    }
    for (size_t i = 0; i < count; i++)
        tact_shape_release(parts[i]);
    free(parts);
    free(transforms);
    return good;
}

/* ---- links and joints ---- */

typedef struct urdf_name {
    const char *name;
    size_t number;
} urdf_name;

static int names_compare(const void *a, const void *b)
{
    return strcmp(((const urdf_name *)a)->name, ((const urdf_name *)b)->name);
}

static size_t name_find(const urdf_name *names, size_t count, const char *name)
{
    const urdf_name key = {name, 0}, *found = count ? bsearch(&key, names, count, sizeof *names, names_compare) : NULL;
    return found ? found->number : NONE;
}

/* The names of links or joints in order; a name that occurs twice is an error. */
static urdf_name *names_make(const urdf_reader *r, bool of_links)
{
    const size_t count = of_links ? r->link_count : r->joint_count;
    urdf_name *names = calloc(count ? count : 1, sizeof *names);
    if (!names) {
        (void)out_of_memory(r);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        names[i] = (urdf_name){of_links ? r->links[i].name : r->joints[i].name, i};
    qsort(names, count, sizeof *names, names_compare);
    for (size_t i = 1; i < count; i++)
        if (names_compare(&names[i - 1], &names[i]) == 0) {
            const size_t last = names[i].number > names[i - 1].number ? names[i].number : names[i - 1].number;
            (void)tact_element_fail(r->tree, of_links ? r->links[last].element : r->joints[last].element,
                                    "there are two %s called \"%.60s\"", of_links ? "links" : "joints", names[i].name);
            free(names);
            return NULL;
        }
    return names;
}

/* Reads the link that a child of a joint names. */
static bool end_read(const urdf_reader *r, const urdf_joint *joint, const char *which, const urdf_name *names,
                     size_t *link)
{
    const uint32_t e = tact_element_child(r->tree, joint->element, which);
    const char *name;
    if (e == ELEMENT_NONE)
        return tact_element_fail(r->tree, joint->element, "joint \"%.60s\" has no %s", joint->name, which);
    if (!text_read(r->tree, e, "link", &name))
        return false;
    *link = name_find(names, r->link_count, name);
    return *link != NONE || tact_element_fail(r->tree, e, "link \"%.60s\" does not exist", name);
}

static bool type_read(const urdf_reader *r, urdf_joint *joint)
{
    static const struct {
        const char *name;
        joint_type type;
    } types[] = {{"fixed", JOINT_FIXED},         {"revolute", JOINT_REVOLUTE}, {"continuous", JOINT_CONTINUOUS},
                 {"prismatic", JOINT_PRISMATIC}, {"floating", JOINT_OTHER},    {"planar", JOINT_OTHER}};
    const char *name;
    if (!text_read(r->tree, joint->element, "type", &name))
        return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0) {
            joint->type = types[i].type;
            return true;
        }
    return tact_element_fail(r->tree, joint->element,
                             "the type of a joint must be revolute, continuous, prismatic, fixed, floating or planar, "
                             "not \"%.60s\"",
                             name);
}

/* The position that the user asks for, within the limits of the joint. */
static bool position_read(const urdf_reader *r, urdf_joint *joint)
{
    double lower = 0.0, upper = 0.0;
    const uint32_t limit = tact_element_child(r->tree, joint->element, "limit");
    for (size_t i = 0; i < r->options->joint_count; i++) {
        joint_position *given = &r->options->joints[i];
        if (strcmp(given->name, joint->name) != 0)
            continue;
        given->used = true;
        joint->position = given->value;
        if (joint->type == JOINT_FIXED || joint->type == JOINT_OTHER || joint->mimic != NONE)
            return tact_element_fail(r->tree, joint->element, "the position of joint \"%.60s\" cannot be given: %s",
                                     joint->name,
                                     joint->mimic != NONE         ? "it follows another joint"
                                     : joint->type == JOINT_FIXED ? "it is fixed"
                                                                  : "it has no single position");
        if (joint->type == JOINT_CONTINUOUS || limit == ELEMENT_NONE)
            continue;
        if (!tact_element_numbers(r->tree, limit, "lower", &lower, 1) ||
            !tact_element_numbers(r->tree, limit, "upper", &upper, 1))
            return false;
        if (lower <= upper && (given->value < lower || given->value > upper))
            return tact_element_fail(r->tree, limit, "the position %g of joint \"%.60s\" is not between %g and %g",
                                     given->value, joint->name, lower, upper);
    }
    return true;
}

static bool joint_read(urdf_reader *r, size_t number, const urdf_name *links, const urdf_name *joints)
{
    const element_tree *tree = r->tree;
    urdf_joint *joint = &r->joints[number];
    double axis[3] = {1.0, 0.0, 0.0};
    const uint32_t at_axis = tact_element_child(tree, joint->element, "axis"),
                   at_mimic = tact_element_child(tree, joint->element, "mimic");
    joint->mimic = NONE;
    if (!type_read(r, joint) || !end_read(r, joint, "parent", links, &joint->parent) ||
        !end_read(r, joint, "child", links, &joint->child) || !origin_read(tree, joint->element, &joint->origin) ||
        (at_axis != ELEMENT_NONE && !tact_element_numbers(tree, at_axis, "xyz", axis, 3)))
        return false;
    joint->axis = tact_vec_normalize((tact_vec3){axis[0], axis[1], axis[2]});
    if (!(tact_vec_length(joint->axis) > 0.5))
        return tact_element_fail(tree, at_axis, "the axis of joint \"%.60s\" is zero", joint->name);
    if (at_mimic != ELEMENT_NONE) {
        const char *name;
        joint->factor = 1.0;
        if (!text_read(tree, at_mimic, "joint", &name) ||
            !tact_element_numbers(tree, at_mimic, "multiplier", &joint->factor, 1) ||
            !tact_element_numbers(tree, at_mimic, "offset", &joint->offset, 1))
            return false;
        joint->mimic = name_find(joints, r->joint_count, name);
        if (joint->mimic == NONE)
            return tact_element_fail(tree, at_mimic, "joint \"%.60s\" does not exist", name);
    }
    urdf_link *child = &r->links[joint->child];
    if (child->parent_joint != NONE)
        return tact_element_fail(tree, joint->element, "link \"%.60s\" has two parents", child->name);
    child->parent_joint = number;
    joint->next = r->links[joint->parent].first_joint;
    r->links[joint->parent].first_joint = number;
    return position_read(r, joint);
}

/* A joint that follows another one, which must not follow a third. */
static bool mimics_apply(urdf_reader *r)
{
    for (size_t i = 0; i < r->joint_count; i++) {
        urdf_joint *joint = &r->joints[i];
        if (joint->mimic == NONE)
            continue;
        if (r->joints[joint->mimic].mimic != NONE)
            return tact_element_fail(r->tree, joint->element, "joint \"%.60s\" follows a joint that follows another",
                                     joint->name);
        joint->position = joint->factor * r->joints[joint->mimic].position + joint->offset;
    }
    return true;
}

static tact_transform joint_transform(const urdf_joint *joint)
{
    const double x = joint->position, s = sin(0.5 * x);
    if (joint->type == JOINT_PRISMATIC)
        return tact_transform_compose(joint->origin, tact_at(x * joint->axis.x, x * joint->axis.y, x * joint->axis.z));
    if (joint->type == JOINT_REVOLUTE || joint->type == JOINT_CONTINUOUS)
        return turned(joint->origin,
                      (tact_quat){s * joint->axis.x, s * joint->axis.y, s * joint->axis.z, cos(0.5 * x)});
    return joint->origin;
}

/* Sets the frames of all links from the root on. */
static bool frames_set(urdf_reader *r)
{
    size_t root = NONE, done = 0, queued = 0;
    size_t *queue = calloc(r->link_count, sizeof *queue);
    bool good = queue != NULL || out_of_memory(r);
    for (size_t i = 0; i < r->link_count && good; i++)
        if (r->links[i].parent_joint == NONE) {
            if (root != NONE)
                good =
                    tact_element_fail(r->tree, r->links[i].element, "links \"%.60s\" and \"%.60s\" both have no parent",
                                      r->links[root].name, r->links[i].name);
            root = i;
        }
    if (good && root == NONE)
        good = tact_element_fail(r->tree, r->links[0].element, "the joints form a circle");
    if (good) {
        r->links[root].frame = tact_identity();
        queue[queued++] = root;
    }
    while (good && done < queued) {
        const urdf_link *link = &r->links[queue[done++]];
        for (size_t j = link->first_joint; j != NONE; j = r->joints[j].next) {
            urdf_joint *joint = &r->joints[j];
            r->links[joint->child].frame = tact_transform_compose(link->frame, joint_transform(joint));
            queue[queued++] = joint->child;
        }
    }
    free(queue);
    return good && (done == r->link_count || tact_element_fail(r->tree, 0, "the joints form a circle"));
}

/* The links and joints of the file, by name. */
static bool elements_list(urdf_reader *r)
{
    const element_tree *tree = r->tree;
    for (int pass = 0; pass < 2; pass++) {
        r->link_count = r->joint_count = 0;
        for (uint32_t e = tree->elements.items[0].first_child; e != ELEMENT_NONE; e = tree->elements.items[e].next) {
            const bool is_link = is_named(tree, e, "link");
            const char *name;
            if (strncmp(tree->elements.items[e].name, "xacro:", 6) == 0)
                return tact_element_fail(tree, e, "this is xacro: expand it first, with xacro FILE > robot.urdf");
            if (!is_link && !is_named(tree, e, "joint"))
                continue;
            if (!text_read(tree, e, "name", &name))
                return false;
            if (is_link && pass > 0)
                r->links[r->link_count] = (urdf_link){name, e, NONE, NONE, tact_identity(), NONE};
            else if (pass > 0)
                r->joints[r->joint_count] = (urdf_joint){.name = name, .element = e, .next = NONE};
            if (is_link)
                r->link_count++;
            else
                r->joint_count++;
        }
        if (r->link_count == 0)
            return tact_element_fail(tree, 0, "the robot has no links");
        if (pass > 0)
            continue;
        r->links = calloc(r->link_count, sizeof *r->links);
        r->joints = calloc(r->joint_count ? r->joint_count : 1, sizeof *r->joints);
        if (!r->links || !r->joints)
            return out_of_memory(r);
    }
    return true;
}

static bool robot_read(urdf_reader *r)
{
    if (!elements_list(r))
        return false;
    urdf_name *links = names_make(r, true), *joints = links ? names_make(r, false) : NULL;
    bool good = links && joints;
    for (size_t i = 0; i < r->joint_count && good; i++)
        good = joint_read(r, i, links, joints);
    free(links);
    free(joints);
    good = good && mimics_apply(r) && frames_set(r);
    for (size_t i = 0; i < r->link_count && good; i++)
        good = body_add(r, &r->links[i]);
    for (size_t i = 0; i < r->joint_count && good; i++) {
        const model_joint pair = {r->links[r->joints[i].parent].body, r->links[r->joints[i].child].body};
        if (pair.a != NONE && pair.b != NONE && !model_joint_array_push(&r->model->joints, &standard, pair))
            good = out_of_memory(r);
    }
    return good;
}

bool tact_model_read_urdf(const element_tree *tree, const model_options *options, model_file *model)
{
    urdf_reader r = {.tree = tree, .options = options, .model = model};
    model->format = "URDF";
    const bool good = robot_read(&r);
    free(r.links);
    free(r.joints);
    return good;
}
