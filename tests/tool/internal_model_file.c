/*
 * Model files: URDF, X3D, VRML97, glTF. Frames are compared with products of rotation matrices written here (Rodrigues'
 * formula), shapes with those of the files; hostile and damaged files give one line.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <tact/mesh.h>
#include <tact/query.h>

#include "model_file.h"
#include "support/long_form.h"
#include "support/random.h"
#include "tool/folder.h"

static const tact_allocator standard = {NULL, NULL};

/* Without expat there is no XML: URDF and X3D. */
#ifdef TACT_HAVE_EXPAT
static const bool has_xml = true;
#else
static const bool has_xml = false;
#endif

static void need_xml(void)
{
    if (!has_xml)
        skip();
}

/* Reads a text as if it were a file of this name in the working directory. */
static bool model_try(const char *path, const char *text, const model_options *options, model_file *model,
                      char error[512])
{
    const mesh_source source = {.path = path,
                                .begin = text,
                                .end = text + strlen(text),
                                .allocator = &standard,
                                .error = error,
                                .error_size = 512};
    static const model_options none = {NULL, 0};
    error[0] = '\0';
    return tact_model_text_read(&source, options ? options : &none, model);
}

static model_file model_read(const char *path, const char *text, const model_options *options)
{
    model_file model;
    char error[512];
    if (!model_try(path, text, options, &model, error))
        fail_msg("%s", error);
    assert_string_equal(error, "");
    return model;
}

static const model_body *body_find(const model_file *model, const char *name)
{
    for (size_t i = 0; i < model->bodies.count; i++)
        if (strcmp(model->bodies.items[i].name, name) == 0)
            return &model->bodies.items[i];
    fail_msg("there is no body %s", name);
    return NULL;
}

/* The text must give one line that ends with `reason` or contains it. */
static void refused(const char *path, const char *text, const model_options *options, const char *reason)
{
    model_file model;
    char error[512];
    if (model_try(path, text, options, &model, error))
        fail_msg("%s was read: %s", path, text);
    if (!strstr(error, reason) || strchr(error, '\n'))
        fail_msg("\"%s\" instead of \"%s\"", error, reason);
    assert_int_equal(model.bodies.count, 0);
    assert_null(model.names);
}

/* ---- affine maps, written apart ---- */

typedef struct affine {
    double m[3][4];
} affine;

static affine identity(void) { return (affine){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}; }

static affine times(affine a, affine b)
{
    affine c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            c.m[i][j] = j == 3 ? a.m[i][3] : 0.0;
            for (int k = 0; k < 3; k++)
                c.m[i][j] += a.m[i][k] * b.m[k][j];
        }
    return c;
}

static affine shift(double x, double y, double z)
{
    affine a = identity();
    a.m[0][3] = x;
    a.m[1][3] = y;
    a.m[2][3] = z;
    return a;
}

static affine stretch(double x, double y, double z)
{
    affine a = identity();
    a.m[0][0] = x;
    a.m[1][1] = y;
    a.m[2][2] = z;
    return a;
}

/* I + sin K + (1 - cos) K^2, where K x = axis x x. */
static affine rotation(tact_vec3 axis, double angle)
{
    const double length = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
    const double x = axis.x / length, y = axis.y / length, z = axis.z / length;
    const double k[3][3] = {{0, -z, y}, {z, 0, -x}, {-y, x, 0}};
    affine a = identity();
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double square = 0.0;
            for (int l = 0; l < 3; l++)
                square += k[i][l] * k[l][j];
            a.m[i][j] += sin(angle) * k[i][j] + (1.0 - cos(angle)) * square;
        }
    return a;
}

static void expect_transform(tact_transform got, affine want, const char *what)
{
    const tact_vec3 columns[4] = {got.x_axis, got.y_axis, got.z_axis, got.origin};
    for (int j = 0; j < 4; j++) {
        const double found[3] = {columns[j].x, columns[j].y, columns[j].z};
        for (int i = 0; i < 3; i++)
            if (!(fabs(found[i] - want.m[i][j]) <= 1e-12 * (1.0 + fabs(want.m[i][j]))))
                fail_msg("%s: column %d, row %d is %.17g, not %.17g", what, j, i, found[i], want.m[i][j]);
    }
}

/* ---- URDF ---- */

#define ARM                                                                                                            \
    "<?xml version='1.0'?>\n"                                                                                          \
    "<robot name='arm'>\n"                                                                                             \
    "<link name='base'><visual/><collision><origin xyz='0 0 0.5'/><geometry><box size='1 1 1'/></geometry>"            \
    "</collision></link>\n"                                                                                            \
    "<link name='upper'><collision><origin xyz='0 0 1'/><geometry><cylinder radius='0.1' length='2'/></geometry>"      \
    "</collision></link>\n"                                                                                            \
    "<link name='wrist'/>\n"                                                                                           \
    "<link name='hand'><collision><geometry><sphere radius='0.25'/></geometry></collision>"                            \
    "<collision><origin xyz='0 1 0' rpy='1.5707963267948966 0 0'/><geometry><capsule radius='0.1' length='1'/>"        \
    "</geometry></collision></link>\n"                                                                                 \
    "<joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/><origin xyz='0 0 1'/>"           \
    "<axis xyz='0 1 0'/><limit lower='-3.2' upper='3.2'/></joint>\n"                                                   \
    "<joint name='slide' type='prismatic'><parent link='upper'/><child link='wrist'/><origin xyz='0 0 2'/>"            \
    "<axis xyz='0 0 2'/><limit lower='0' upper='1'/></joint>\n"                                                        \
    "<joint name='fix' type='fixed'><parent link='wrist'/><child link='hand'/><origin xyz='0 0 0.5'/></joint>\n"       \
    "</robot>\n"

static void links_are_bodies_at_joint_positions(void **state)
{
    (void)state;
    need_xml();
    model_file model = model_read("arm.urdf", ARM, NULL);
    assert_string_equal(model.format, "URDF");
    assert_int_equal(model.bodies.count, 3); /* the wrist has no geometry */
    const model_body *base = body_find(&model, "base"), *upper = body_find(&model, "upper"),
                     *hand = body_find(&model, "hand");
    /* the hand is 0.5 above the cylinder that ends at z = 3; its capsule reaches from y = 0.5 - 0.1 on, as it lies */
    const tact_distance apart = tact_shapes_distance(upper->shape, upper->transform, hand->shape, hand->transform);
    assert_true(fabs(apart.distance - 0.25) < 1e-9);
    assert_int_equal(tact_shape_get_type(base->shape), TACT_BOX);
    assert_int_equal(tact_shape_get_type(upper->shape), TACT_CYLINDER);
    assert_int_equal(tact_shape_get_type(hand->shape), TACT_COMPOUND);
    tact_bounds bounds;
    assert_int_equal(tact_shape_bounds(upper->shape, upper->transform, &bounds), TACT_OK);
    assert_true(fabs(bounds.min.z - 1.0) < 1e-9 && fabs(bounds.max.z - 3.0) < 1e-9 && fabs(bounds.max.x - 0.1) < 1e-9);
    assert_int_equal(tact_shape_bounds(hand->shape, hand->transform, &bounds), TACT_OK);
    assert_true(fabs(bounds.max.y - 1.6) < 1e-9); /* the capsule lies along y: 1 + 0.5 + 0.1 */
    assert_int_equal(model.joints.count, 1);      /* base and upper; those of the wrist have no body at one end */
    tact_model_file_release(&model);

    joint_position positions[] = {{"shoulder", 3.14159265358979324 / 2.0, false}, {"slide", 0.75, false}};
    model = model_read("arm.urdf", ARM, &(model_options){positions, 2});
    hand = body_find(&model, "hand");
    /* the arm lies along x: 2 + 0.75 + 0.5 from the shoulder at (0 0 1) */
    assert_true(fabs(hand->transform.origin.x - 3.25) < 1e-12 && fabs(hand->transform.origin.z - 1.0) < 1e-12);
    assert_true(positions[0].used && positions[1].used);
    tact_model_file_release(&model);
}

/* Random chains against products of matrices. */
static void random_chains_have_the_frames_of_their_joints(void **state)
{
    (void)state;
    need_xml();
    static const char *const types[] = {"fixed", "revolute", "continuous", "prismatic"};
    size_t counts[4] = {0};
    for (uint64_t seed = 0; seed < random_case_count(200, 20000); seed++) {
        random_source r = random_seed(seed);
        const int count = random_between(&r, 1, 12);
        char text[12000], joint_names[12][8], link_name[8];
        size_t used = (size_t)snprintf(text, sizeof text, "<robot name='r'><link name='l0'/>");
        affine frames[13] = {identity()};
        joint_position positions[12];
        size_t given = 0;
        for (int i = 1; i <= count; i++) {
            const int parent = random_between(&r, 0, i - 1), type = random_between(&r, 0, 3);
            const double x = random_range(&r, -3, 3), y = random_range(&r, -3, 3), z = random_range(&r, -3, 3);
            const double roll = random_range(&r, -3, 3), pitch = random_range(&r, -3, 3), yaw = random_range(&r, -3, 3);
            tact_vec3 axis = random_direction(&r);
            double value = 0.0;
            counts[type]++;
            (void)snprintf(joint_names[i - 1], sizeof joint_names[0], "j%d", i);
            used += (size_t)snprintf(
                text + used, sizeof text - used,
                "<link name='l%d'><collision><geometry><sphere radius='1'/></geometry></collision></link>"
                "<joint name='j%d' type='%s'><origin xyz='%.17g %.17g %.17g' rpy='%.17g %.17g %.17g'/>"
                "<parent link='l%d'/><child link='l%d'/>",
                i, i, types[type], x, y, z, roll, pitch, yaw, parent, i);
            if (random_chance(&r, 0.8))
                used += (size_t)snprintf(text + used, sizeof text - used, "<axis xyz='%.17g %.17g %.17g'/>",
                                         3.0 * axis.x, 3.0 * axis.y, 3.0 * axis.z);
            else
                axis = (tact_vec3){1.0, 0.0, 0.0};
            used += (size_t)snprintf(text + used, sizeof text - used, "</joint>");
            if (type > 0 && random_chance(&r, 0.7)) {
                value = random_range(&r, -3, 3);
                positions[given++] = (joint_position){joint_names[i - 1], value, false};
            }
            const affine turn = times(rotation((tact_vec3){0, 0, 1}, yaw), times(rotation((tact_vec3){0, 1, 0}, pitch),
                                                                                 rotation((tact_vec3){1, 0, 0}, roll)));
            const affine moved = type == 3   ? shift(value * axis.x, value * axis.y, value * axis.z)
                                 : type == 0 ? identity()
                                             : rotation(axis, value);
            frames[i] = times(frames[parent], times(shift(x, y, z), times(turn, moved)));
        }
        (void)snprintf(text + used, sizeof text - used, "</robot>");
        model_file model = model_read("chain.urdf", text, &(model_options){positions, given});
        assert_int_equal(model.bodies.count, count);
        for (int i = 1; i <= count; i++) {
            char what[60];
            (void)snprintf(what, sizeof what, "seed %d, link %d", (int)seed, i);
            (void)snprintf(link_name, sizeof link_name, "l%d", i);
            expect_transform(body_find(&model, link_name)->transform, frames[i], what);
        }
        tact_model_file_release(&model);
    }
    for (int i = 0; i < 4 && !few_cases(); i++)
        assert_true(counts[i] > 100);
}

static void joints_follow_others(void **state)
{
    (void)state;
    need_xml();
    static const char text[] =
        "<robot name='g'><link name='a'/><link name='b'/><link name='c'><collision><geometry><sphere radius='1'/>"
        "</geometry></collision></link><joint name='j' type='prismatic'><parent link='a'/><child link='b'/></joint>"
        "<joint name='k' type='prismatic'><parent link='b'/><child link='c'/><axis xyz='0 1 0'/>"
        "<mimic joint='j' multiplier='-2' offset='0.5'/></joint></robot>";
    joint_position position = {"j", 3.0, false}, wrong = {"k", 1.0, false};
    model_file model = model_read("g.urdf", text, &(model_options){&position, 1});
    const tact_vec3 origin = body_find(&model, "c")->transform.origin;
    assert_true(origin.x == 3.0 && origin.y == -5.5 && origin.z == 0.0);
    tact_model_file_release(&model);
    refused("g.urdf", text, &(model_options){&wrong, 1}, "it follows another joint");
}

static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static void meshes_are_searched_beside_the_model_only(void **state)
{
    (void)state;
    need_xml();
    static const char format[] = "<robot name='m'><link name='l'><collision><geometry>"
                                 "<mesh filename='%s' scale='2 3 4'/></geometry></collision></link></robot>";
    static const char *const good[] = {"part.obj", "sub/part.obj", "package://any/part.obj", "package://sub/part.obj",
                                       "file://sub/part.obj"};
    static const struct {
        const char *name, *reason;
    } bad[] = {{"../part.obj", "is not below the folder of the model"},
               {"sub/../../x.obj", "is not below the folder of the model"},
               {"..", "is not below the folder of the model"},
               {"/etc/passwd", "is not below the folder of the model"},
               {"file:///etc/passwd", "is not below the folder of the model"},
               {"package:///etc/passwd", "is not below the folder of the model"},
               {"http://host/x.obj", "is not below the folder of the model"},
               {"none.obj", "none.obj: cannot be opened"},
               {"bad.obj", "bad.obj:1: "}};
    char text[500];
    assert_int_equal(mkdir("models", 0700) + mkdir("models/sub", 0700), 0);
    file_put("part.obj", "no mesh", 7); /* not beside the model */
    file_put("models/part.obj", tetrahedron, sizeof tetrahedron - 1);
    file_put("models/sub/part.obj", tetrahedron, sizeof tetrahedron - 1);
    file_put("models/bad.obj", "v 1 2\n", 6);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        (void)snprintf(text, sizeof text, format, good[i]);
        model_file model = model_read("models/m.urdf", text, NULL);
        tact_bounds bounds;
        const model_body *body = body_find(&model, "l");
        assert_int_equal(tact_shape_bounds(body->shape, body->transform, &bounds), TACT_OK);
        assert_true(bounds.max.x == 2.0 && bounds.max.y == 3.0 && bounds.max.z == 4.0);
        /* it is closed, so it is solid */
        assert_int_equal(tact_shape_contains(body->shape, body->transform, (tact_vec3){0.2, 0.2, 0.2}).state, TACT_HIT);
        tact_model_file_release(&model);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        (void)snprintf(text, sizeof text, format, bad[i].name);
        refused("models/m.urdf", text, NULL, bad[i].reason);
    }
    assert_int_equal(unlink("models/part.obj") + unlink("models/sub/part.obj") + unlink("models/bad.obj") +
                         unlink("part.obj") + rmdir("models/sub") + rmdir("models"),
                     0);
}

#define LINK(name) "<link name='" name "'/>"
#define JOINT(name, type, parent, child, more)                                                                         \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" more "</joint>"
#define SHAPE(geometry)                                                                                                \
    "<robot><link name='l'><collision>\n<geometry>" geometry "</geometry></collision></link></robot>"

static void bad_robots_are_refused(void **state)
{
    (void)state;
    need_xml();
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"", "r.urdf:1: not valid XML: no element found"},
        {"<robot>\n<link name='a'>", "r.urdf:2: not valid XML"},
        {"<model/>", "r.urdf:1: neither URDF (robot) nor X3D, but model"},
        {"<robot name='r'/>", "r.urdf:1: the robot has no links"},
        {"<robot>\n<link/></robot>", "r.urdf:2: link has no attribute name"},
        {"<robot>" LINK("a") "\n" LINK("a") "</robot>", "r.urdf:2: there are two links called \"a\""},
        {"<robot>" LINK("a") LINK("b") "</robot>", "links \"a\" and \"b\" both have no parent"},
        {"<robot>" LINK("a") JOINT("j", "fixed", "a", "x", "") "</robot>", "link \"x\" does not exist"},
        {"<robot>" LINK("a") JOINT("j", "fixed", "a", "a", "") "</robot>", "the joints form a circle"},
        {"<robot>" LINK("a") LINK("b") LINK("c") JOINT("j", "fixed", "b", "c", "")
             JOINT("k", "fixed", "c", "b", "") "</robot>",
         "the joints form a circle"},
        {"<robot>" LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "a", "b", "") "</robot>",
         "link \"b\" has two parents"},
        {"<robot>" LINK("a") LINK("b") JOINT("j", "loose", "a", "b", "") "</robot>", "not \"loose\""},
        {"<robot>" LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<axis xyz='0 0 0'/>") "</robot>",
         "the axis of joint \"j\" is zero"},
        {"<robot>" LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<axis xyz='0 0'/>") "</robot>",
         "xyz of axis needs 3 numbers, not 2"},
        {"<robot>" LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<mimic joint='x'/>") "</robot>",
         "joint \"x\" does not exist"},
        {"<robot>" LINK("a") "<joint name='j' type='fixed'/></robot>", "joint \"j\" has no parent"},
        {"<robot xmlns:xacro='x'>\n<xacro:include filename='a'/></robot>", "r.urdf:2: this is xacro"},
        {SHAPE(""), "r.urdf:1: collision has no geometry"},
        {SHAPE("<blob/>"), "r.urdf:2: the geometry blob is not supported"},
        {SHAPE("<sphere/>"), "sphere has no attribute radius"},
        {SHAPE("<sphere radius='0'/>"), "radius of sphere must be positive, not 0"},
        {SHAPE("<sphere radius='nan'/>"), "radius of sphere: a number was expected, not \"nan\""},
        {SHAPE("<sphere radius='1e999'/>"), "a number was expected, not \"1e999\""},
        {SHAPE("<box/>"), "box has no attribute size"},
        {SHAPE("<box size='1 -2 3'/>"), "box is not possible: "},
        {SHAPE("<box size='1 2 3 4'/>"), "size of box needs 3 numbers, not more than 3"},
        {SHAPE("<cylinder radius='1'/>"), "cylinder has no attribute length"},
        {SHAPE("<mesh/>"), "mesh has no attribute filename"},
        {"<robot><link name='l'><collision><origin xyz='1e300 0 0'/><geometry><sphere radius='1'/></geometry>"
         "</collision></link></robot>",
         "l has no points, or its coordinates are too large"},
        {"<!DOCTYPE r [<!ENTITY a 'b'>]><robot/>", "r.urdf:1: a DTD inside the file is not read"},
    };
    joint_position fixed = {"fix", 1.0, false}, far = {"slide", 1.5, false}, unknown = {"none", 1.0, false};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused("r.urdf", cases[i].text, NULL, cases[i].reason);
    refused("arm.urdf", ARM, &(model_options){&fixed, 1}, "cannot be given: it is fixed");
    refused("arm.urdf", ARM, &(model_options){&far, 1},
            "arm.urdf:8: the position 1.5 of joint \"slide\" is not between 0");
    model_file model = model_read("arm.urdf", ARM, &(model_options){&unknown, 1});
    assert_false(unknown.used); /* left to the caller: another file may have it */
    tact_model_file_release(&model);
}

/* ---- X3D and VRML97 ---- */

#define X3D(content) "<X3D><Scene>" content "</Scene></X3D>"

static const char room_x3d[] =
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    "<!DOCTYPE X3D PUBLIC 'ISO//Web3D//DTD X3D 3.0//EN' 'http://www.web3d.org/specifications/x3d-3.0.dtd'>\n"
    "<X3D version='3.0'><head><meta name='title' content='t'/></head><Scene>\n"
    "<Shape DEF='BALL'><Appearance><Material/></Appearance><Sphere DEF='S' radius='0.5'/></Shape>\n"
    "<Transform translation='2 0 0'><Shape USE='BALL'/>"
    "<Transform DEF='Up' translation='0 2 0' scale='1 2 1'><Shape><Sphere USE='S'/></Shape></Transform></Transform>\n"
    "<Transform rotation='0 0 1 1.5' translation='5 0 0'><Shape><Cone bottomRadius='1' height='3'/></Shape>"
    "<Shape><Box/></Shape><Shape><Cylinder radius='2'/></Shape></Transform>\n"
    "<Switch whichChoice='1'><Shape><Box/></Shape><Shape DEF='Chosen'><Box size='1 2 3'/></Shape></Switch>"
    "<Switch><Shape><Box/></Shape></Switch>\n"
    "<LOD range='1'><Shape DEF='Near'><Box/></Shape><Shape><Box/></Shape></LOD>"
    "<Collision><Shape><Box/></Shape><Shape DEF='Proxy' containerField='proxy'><Box/></Shape></Collision>"
    "<Collision enabled='false'><Shape><Box/></Shape></Collision>\n"
    "<Shape DEF='Tetra'><IndexedFaceSet ccw='false' coordIndex='0 1 2 -1 0 3 1 -1 0 2 3 -1 1 3 2'>"
    "<Coordinate point='0 3 0, 1 3 0, 0 4 0, 0 3 1'/></IndexedFaceSet></Shape>\n"
    "<Shape><Text string='hi'/></Shape><Inline url='x.x3d'/><PointLight/>\n"
    "</Scene></X3D>\n";

static const char room_vrml[] =
    "#VRML V2.0 utf8\n"
    "WorldInfo { title \"x { [ \\\" #\" info [ \"a\", \"b\" ] } # a comment {\n"
    "DEF BALL Shape { appearance Appearance { material Material { diffuseColor 1 0 0 } }\n"
    "  geometry DEF S Sphere { radius 0.5 } }\n"
    "Transform { translation 2, 0 0 children [ USE BALL\n"
    "  DEF Up Transform { translation 0 2 0 scale 1 2 1 children Shape { geometry USE S } } ] }\n"
    "Transform { rotation 0 0 1 1.5 translation 5 0 0 children [ Shape { geometry Cone { bottomRadius 1 height 3 } }\n"
    "  Shape { geometry Box {} } Shape { geometry Cylinder { side TRUE radius 2 } } ] }\n"
    "Switch { whichChoice 1 choice [ Shape { geometry Box {} } DEF Chosen Shape { geometry Box { size 1 2 3 } } ] }\n"
    "Switch { choice [ Shape { geometry Box {} } ] }\n"
    "LOD { range [ 1 ] level [ DEF Near Shape { geometry Box {} } Shape { geometry Box {} } ] }\n"
    "Collision { proxy DEF Proxy Shape { geometry Box {} } children Shape { geometry Box {} } }\n"
    "Collision { collide FALSE children Shape { geometry Box {} } }\n"
    "DEF Tetra Shape { geometry IndexedFaceSet { ccw FALSE coord Coordinate { point [ 0 3 0 # one\n"
    "  1 3 0, 0 4 0, 0 3 1 ] } coordIndex [ 0 1 2 -1 0, 3, 1 -1 0 2 3 -1 1 3 2 ] } }\n"
    "Shape { geometry Text { string \"hi\" } } Inline { url \"x.wrl\" } PointLight { }\n"
    "Script { field SFFloat x 0 eventIn SFTime { t } url \"javascript: }\" } ROUTE A.b TO C.d\n";

static void x3d_and_vrml_give_the_same_bodies(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        tact_shape_type type;
        double origin[3];
    } bodies[] = {{"BALL", TACT_SPHERE, {0, 0, 0}}, {"BALL#2", TACT_SPHERE, {2, 0, 0}},
                  {"Up", TACT_SPHERE, {2, 2, 0}},   {"Cone 1", TACT_CONE, {5, 0, 0}},
                  {"Box 2", TACT_BOX, {5, 0, 0}},   {"Cylinder 3", TACT_CYLINDER, {5, 0, 0}},
                  {"Chosen", TACT_BOX, {0, 0, 0}},  {"Near", TACT_BOX, {0, 0, 0}},
                  {"Proxy", TACT_BOX, {0, 0, 0}},   {"Tetra", TACT_MESH, {0, 0, 0}}};
    const size_t count = sizeof bodies / sizeof *bodies;
    for (int k = has_xml ? 0 : 1; k < 2; k++) {
        model_file model = model_read(k ? "room.wrl" : "room.x3d", k ? room_vrml : room_x3d, NULL);
        assert_string_equal(model.format, k ? "VRML97" : "X3D");
        assert_int_equal(model.bodies.count, count);
        assert_int_equal(model.skipped, 2);
        for (size_t i = 0; i < count; i++) {
            const model_body *body = &model.bodies.items[i];
            assert_string_equal(body->name, bodies[i].name);
            assert_int_equal(tact_shape_get_type(body->shape), bodies[i].type);
            const tact_vec3 origin = body->transform.origin;
            assert_true(origin.x == bodies[i].origin[0] && origin.y == bodies[i].origin[1] &&
                        origin.z == bodies[i].origin[2]);
        }
        /* one sphere, used three times */
        assert_ptr_equal(model.bodies.items[0].shape, model.bodies.items[1].shape);
        assert_ptr_equal(model.bodies.items[0].shape, model.bodies.items[2].shape);
        expect_transform(model.bodies.items[2].transform, times(shift(2, 2, 0), stretch(1, 2, 1)), "Up");
        expect_transform(model.bodies.items[3].transform, times(shift(5, 0, 0), rotation((tact_vec3){0, 0, 1}, 1.5)),
                         "Cone");
        assert_int_equal(
            tact_shape_contains(body_find(&model, "Tetra")->shape, tact_identity(), (tact_vec3){0.1, 3.1, 0.1}).state,
            TACT_HIT); /* closed, and turned outward */
        tact_bounds bounds;
        const model_body *cone = body_find(&model, "Cone 1"), *box = body_find(&model, "Box 2");
        assert_int_equal(tact_shape_bounds(cone->shape, tact_identity(), &bounds), TACT_OK);
        assert_true(fabs(bounds.max.y - 1.5) < 1e-12 && fabs(bounds.max.x - 1.0) < 1e-12);
        assert_int_equal(tact_shape_bounds(box->shape, tact_identity(), &bounds), TACT_OK);
        assert_true(fabs(bounds.max.x - 1.0) < 1e-12); /* the default size is 2 2 2 */
        tact_model_file_release(&model);
    }
}

static void random_transforms_are_products_of_matrices(void **state)
{
    (void)state;
    need_xml();
    for (uint64_t seed = 0; seed < random_case_count(300, 30000); seed++) {
        random_source r = random_seed(seed);
        char text[4000];
        size_t used = (size_t)snprintf(text, sizeof text, "<X3D><Scene>");
        affine want = identity();
        const int depth = random_between(&r, 1, 4);
        for (int i = 0; i < depth; i++) {
            double v[17];
            for (int k = 0; k < 17; k++)
                v[k] = random_range(&r, -2, 2);
            for (int k = 9; k < 12; k++)
                v[k] = random_range(&r, 0.3, 2);
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "<Transform translation='%.17g %.17g %.17g' center='%.17g %.17g %.17g' "
                                     "rotation='%.17g %.17g %.17g %.17g' scale='%.17g %.17g %.17g' "
                                     "scaleOrientation='%.17g %.17g %.17g %.17g'>",
                                     v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[12], v[9], v[10], v[11],
                                     v[13], v[14], v[15], v[16]);
            const affine turn = rotation((tact_vec3){v[6], v[7], v[8]}, v[12]);
            const affine slant = rotation((tact_vec3){v[13], v[14], v[15]}, v[16]);
            const affine back = rotation((tact_vec3){v[13], v[14], v[15]}, -v[16]);
            affine own = times(shift(v[0], v[1], v[2]), times(shift(v[3], v[4], v[5]), times(turn, slant)));
            own = times(own, times(stretch(v[9], v[10], v[11]), times(back, shift(-v[3], -v[4], -v[5]))));
            want = times(want, own);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "<Shape><Sphere/></Shape>");
        for (int i = 0; i < depth; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "</Transform>");
        (void)snprintf(text + used, sizeof text - used, "</Scene></X3D>");
        model_file model = model_read("t.x3d", text, NULL);
        char what[40];
        (void)snprintf(what, sizeof what, "seed %d", (int)seed);
        expect_transform(model.bodies.items[0].transform, want, what);
        tact_model_file_release(&model);
    }
}

static void bad_scenes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text, *reason;
    } cases[] = {
        {"s.x3d", X3D("<Group DEF='A'>\n<Group USE='A'/></Group>"), "s.x3d:2: \"A\" contains itself"},
        {"s.x3d", X3D("<Shape USE='B'/>"), "USE of \"B\", which is not defined before"},
        {"s.x3d", X3D("<Transform scale='0 1 1'><Shape><Box/></Shape></Transform>"), "Box 1 is not possible: "},
        {"s.x3d", X3D("<Transform scale='1 1'><Shape><Box/></Shape></Transform>"),
         "scale of Transform needs 3 numbers"},
        {"s.x3d", X3D("<Shape><Sphere radius='-1'/></Shape>"), "radius of Sphere must be positive, not -1"},
        {"s.x3d", X3D("<Shape><IndexedFaceSet/></Shape>"), "IndexedFaceSet has no faces"},
        {"s.x3d",
         X3D("<Shape><IndexedFaceSet coordIndex='0 1 7'><Coordinate point='0 0 0 1 0 0 0 1 "
             "0'/></IndexedFaceSet></Shape>"),
         "the index 7 of IndexedFaceSet is not one of its 3 points"},
        {"s.x3d",
         X3D("<Shape><IndexedFaceSet coordIndex='0 1 0.5'><Coordinate point='0 0 0 1 0 0 0 1 "
             "0'/></IndexedFaceSet></Shape>"),
         "the index 0.5"},
        {"s.x3d",
         X3D("<Shape><IndexedFaceSet coordIndex='0 1 2'><Coordinate point='0 0 0 1 0'/></IndexedFaceSet></Shape>"),
         "point of Coordinate has 5 numbers"},
        {"s.x3d", X3D("<Shape><IndexedFaceSet ccw='yes'/></Shape>"), "ccw of IndexedFaceSet must be true or false"},
        {"s.x3d", "<!DOCTYPE X3D [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>\n<X3D>&b;</X3D>", "a DTD inside the file"},
        {"s.x3d", "<!DOCTYPE X3D SYSTEM 'file:///etc/passwd' []><X3D>&x;</X3D>", "a DTD inside the file"},
        {"s.wrl", "#VRML V1.0 ascii\n", "s.wrl:1: only VRML97 is read, which begins with #VRML V2.0 utf8"},
        {"s.wrl", "#VRML V2.0 utf8\nPROTO P [ ] { }", "s.wrl:2: prototypes (PROTO) are not supported"},
        {"s.wrl", "#VRML V2.0 utf8\nShape {\n", "s.wrl:2: this Shape has no }"},
        {"s.wrl", "#VRML V2.0 utf8\nShape\n", "{ was expected, not the end of the file"},
        {"s.wrl", "#VRML V2.0 utf8\nShape { geometry }", "the value of a field was expected, not \"}\""},
        {"s.wrl", "#VRML V2.0 utf8\nShape { geometry Box { size [ 1 2 } }", "a value or ] was expected, not \"}\""},
        {"s.wrl", "#VRML V2.0 utf8\nWorldInfo { title \"x }", "s.wrl:2: a string does not end"},
        {"s.wrl", "#VRML V2.0 utf8\nScript { {", "this { has no }"},
        {"s.wrl", "#VRML V2.0 utf8\nDEF 1 Shape { }", "a name was expected, not \"1\""},
        {"s.wrl", "#VRML V2.0 utf8\n}", "a node was expected, not \"}\""},
        {"s.wrl", "#VRML V2.0 utf8\nShape { geometry Box { size 1 2x 3 } }", "a number was expected, not \"x\""},
        {"s.wrl", "#VRML V2.0 utf8\nShape { geometry USE B }", "USE of \"B\""},
        {"s.wrl", "#VRML V2.0 utf8\nDEF A Group { children [ USE A ] }", "\"A\" contains itself"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (has_xml || strstr(cases[i].path, "wrl"))
            refused(cases[i].path, cases[i].text, NULL, cases[i].reason);
    if (!has_xml)
        refused("s.x3d", X3D(""), NULL, "s.x3d: needs expat (Debian: libexpat1-dev)");
}

/* Short files that ask for endless work. */
static void hostile_files_end(void **state)
{
    (void)state;
    bytes text = {NULL, 0, 0};
    need_xml();
    bytes_say(&text, "<X3D><Scene><Group DEF='A0'><Shape><Box/></Shape></Group>");
    for (int i = 1; i < 40; i++) { /* 2^39 boxes */
        char line[100];
        (void)snprintf(line, sizeof line, "<Group DEF='A%d'><Group USE='A%d'/><Group USE='A%d'/></Group>", i, i - 1,
                       i - 1);
        bytes_say(&text, line);
    }
    bytes_say(&text, "</Scene></X3D>");
    refused("many.x3d", text.data, NULL, "there are more than 1000000 bodies");
    bytes_free(&text);
    bytes_say(&text, "<X3D><Scene><Group DEF='A0'/>");
    for (int i = 1; i < 40; i++) {
        char line[100];
        (void)snprintf(line, sizeof line, "<Group DEF='A%d'><Group USE='A%d'/><Group USE='A%d'/></Group>", i, i - 1,
                       i - 1);
        bytes_say(&text, line);
    }
    bytes_say(&text, "</Scene></X3D>");
    refused("none.x3d", text.data, NULL, "there are more than 10000000 nodes");
    bytes_free(&text);
    for (int k = 0; k < 2; k++) { /* deep */
        bytes_say(&text, k ? "#VRML V2.0 utf8\n" : "<X3D>");
        for (int i = 0; i < 100000; i++)
            bytes_say(&text, k ? "Group{children[" : "<Group>");
        refused(k ? "deep.wrl" : "deep.x3d", text.data, NULL, "are nested more than 200 deep");
        bytes_free(&text);
    }
    bytes_say(&text, "#VRML V2.0 utf8\nDEF A0 Group{}"); /* deep by names */
    for (int i = 1; i < 1000; i++) {
        char line[60];
        (void)snprintf(line, sizeof line, "DEF A%d Group{children USE A%d}", i, i - 1);
        bytes_say(&text, line);
    }
    refused("chain.wrl", text.data, NULL, "are nested more than 400 deep");
    bytes_free(&text);
    static const char *const large[] = {"DEF A Transform { x [", "DEF A Shape { geometry Box { x ["};
    for (int k = 0; k < 2; k++) { /* a large node many times: its fields, those of its child */
        bytes_say(&text, "#VRML V2.0 utf8\n");
        bytes_say(&text, large[k]);
        for (int i = 0; i < 250000; i++)
            bytes_say(&text, "  1 ");
        bytes_say(&text, k ? "]}}" : "]}");
        for (int i = 0; i < 1100; i++)
            bytes_say(&text, " USE A");
        refused("large.wrl", text.data, NULL, "more than 1073741824 bytes of fields");
        bytes_free(&text);
    }
    static const char *const wide[] = {"DEF A Shape { x [", "DEF A Switch { whichChoice 9999 choice ["};
    for (int k = 0; k < 2; k++) { /* a node with many children many times */
        bytes_say(&text, "#VRML V2.0 utf8\n");
        bytes_say(&text, wide[k]);
        for (int i = 0; i < 10000; i++)
            bytes_say(&text, "MetadataString{}");
        bytes_say(&text, "]}");
        for (int i = 0; i < 1100; i++)
            bytes_say(&text, " USE A");
        refused("wide.wrl", text.data, NULL, "there are more than 10000000 nodes");
        bytes_free(&text);
    }
}

static void damaged_files_give_a_line(void **state)
{
    (void)state;
    static const char *const texts[] = {room_vrml, room_x3d, ARM};
    static const char *const paths[] = {"room.wrl", "room.x3d", "arm.urdf"};
    static const char bytes_of_formats[] = "<>{}[]\"'#-1eDEFUSE \n\001\377";
    size_t read = 0, refusals = 0;
    for (int k = 0; k < (has_xml ? 3 : 1); k++) {
        const size_t length = strlen(texts[k]);
        char *text = malloc(length + 1), error[512];
        assert_non_null(text);
        for (uint64_t seed = 0; seed < random_case_count(1500, 100000); seed++) {
            random_source r = random_seed(seed);
            model_file model;
            memcpy(text, texts[k], length + 1);
            if (seed < length && seed % 2 == 0)
                text[seed] = '\0';
            for (int i = random_between(&r, 0, 3); i > 0; i--)
                text[random_below(&r, length)] = bytes_of_formats[random_below(&r, sizeof bytes_of_formats - 1)];
            if (model_try(paths[k], text, NULL, &model, error)) {
                read++;
                tact_model_file_release(&model);
            } else {
                refusals++;
                assert_true(strncmp(error, paths[k], strlen(paths[k])) == 0 && !strchr(error, '\n'));
            }
        }
        free(text);
    }
    assert_true(read > 50 && refusals > 50);
}

/* Names go to terminals and into JSON: no control characters, no invalid UTF-8, and none that is cut apart. */
static void names_are_text(void **state)
{
    (void)state;
    char text[600] =
        "#VRML V2.0 utf8\nDEF a\xff Shape { geometry Box {} } DEF \xc3\xa9 Shape { geometry Box {} } DEF x";
    for (int i = 0; i < 150; i++)
        (void)strcat(text, "\xc3\xa9");
    (void)strcat(text, " Shape { geometry Box {} }");
    model_file model = model_read("s.wrl", text, NULL);
    assert_int_equal(model.bodies.count, 3);
    assert_string_equal(model.bodies.items[0].name, "a?");
    assert_string_equal(model.bodies.items[1].name, "\xc3\xa9");
    const char *longest = model.bodies.items[2].name;
    assert_true(strlen(longest) > 150 && strlen(longest) < 300);
    assert_int_equal(strlen(longest) % 2, 1); /* x, and whole characters */
    assert_null(strchr(longest, '?'));
    tact_model_file_release(&model);
}

/* ---- glTF ---- */

static void nodes_of_a_gltf_file_share_meshes(void **state)
{
    (void)state;
    /* a triangle in a buffer of base64: three float positions */
    static const char gltf[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/"
        "octet-stream;base64,"
        "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
        "\"meshes\":[{\"name\":\"tri\",\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
        "\"nodes\":[{\"name\":\"one\",\"mesh\":0,\"translation\":[0,0,5]},"
        "{\"mesh\":0,\"scale\":[2,2,2],\"children\":[2]},{\"name\":\"one\",\"mesh\":0,\"translation\":[1,0,0]},"
        "{\"name\":\"\\u001b[31m\\nred\\u007f\",\"mesh\":0}],"
        "\"scenes\":[{\"nodes\":[0,1,3]}]}";
    model_file model;
    char error[512];
    file_put("s.gltf", gltf, sizeof gltf - 1);
    assert_true(tact_model_file_is("s.gltf"));
    if (!tact_model_file_read("s.gltf", &(model_options){NULL, 0}, &model, error, sizeof error))
        fail_msg("%s", error);
    assert_int_equal(model.bodies.count, 4);
    assert_string_equal(model.bodies.items[3].name, "?[31m?red?");
    assert_string_equal(model.bodies.items[0].name, "one");
    assert_string_equal(model.bodies.items[1].name, "tri");
    assert_string_equal(model.bodies.items[2].name, "one#2");
    assert_ptr_equal(model.bodies.items[0].shape, model.bodies.items[1].shape);
    assert_ptr_equal(model.bodies.items[0].shape, model.bodies.items[2].shape);
    expect_transform(model.bodies.items[2].transform, times(stretch(2, 2, 2), shift(1, 0, 0)), "a child");
    tact_model_file_release(&model);
    file_put("s.gltf", "{\"asset\":{}}", 12);
    assert_false(tact_model_file_is("s.gltf"));
    assert_false(tact_model_file_read("s.gltf", &(model_options){NULL, 0}, &model, error, sizeof error));
    assert_null(model.names);
    assert_int_equal(unlink("s.gltf"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_bodies_at_joint_positions),
        cmocka_unit_test(random_chains_have_the_frames_of_their_joints),
        cmocka_unit_test(joints_follow_others),
        cmocka_unit_test(meshes_are_searched_beside_the_model_only),
        cmocka_unit_test(bad_robots_are_refused),
        cmocka_unit_test(x3d_and_vrml_give_the_same_bodies),
        cmocka_unit_test(random_transforms_are_products_of_matrices),
        cmocka_unit_test(bad_scenes_are_refused),
        cmocka_unit_test(hostile_files_end),
        cmocka_unit_test(damaged_files_give_a_line),
        cmocka_unit_test(names_are_text),
        cmocka_unit_test(nodes_of_a_gltf_file_share_meshes),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
