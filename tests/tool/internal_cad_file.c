/*
 * CAD files: areas, bounds, distances and interference of parts whose dimensions are known, and a message for each kind
 * of file that cannot be read. The files in tests/tool/cad were written by Open CASCADE:
 *   block.step  a box from (0, 0, 0) to (40, 30, 20) with a hole of radius 8 along z through its middle, (20, 15)
 *   pin.step    a cylinder of radius 7.5 in this hole, from z = -10 to 30; in inches
 *   thick.igs   the same with radius 8.5; in inches
 *   ring.step   a torus of radii 10 and 4 around (20, 15, 30), axis z
 *   pegs.step   an assembly of two equal cones of radii 5 and 2 and height 10: one moved along x by 100, one turned
 *               about x, so that its axis is -y
 *   dome.step   the part of a sphere of radius 10 with z < 4
 *   tee.step    a cylinder of radius 10 around z, from z = -15 to 15, and one of radius 6 around x, from x = 0 to 20
 *   half.step   the half y > 0 of a cylinder of radius 10 around z, from z = 0 to 30; its flat side is two faces
 *   spire.step  a pyramid on [0, 20] x [0, 10] in x and z, with its apex at (10, 15, 5)
 *   corner.step a box from (0, 0, 0) to (20, 20, 10) whose edges at (0, 20, 10) are rounded with radius 1
 *   hollow.igs  a box of size 20 with a spherical hole of radius 5 around (10, 10, 10), in it a ball of radius 2, and
 *               another ball of radius 5 around (40, 10, 10): faces without solids
 *   stack.step  a box of 20 x 20 x 10 and on it one of 20 x 20 x 5
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <sys/stat.h>
#include <tact/mass.h>
#include <tact/mesh.h>
#include <tact/nurbs.h>
#include <tact/query.h>

#include "cad_file.h"
#include "mesh_file.h"
#include "shape/mesh.h"
#include "shape/shape_data.h"
#include "support/random.h"
#include "tool/answer.h"
#include "tool/folder.h"
#include "tool/request.h"
#include "tool/run.h"

#define PART(name) TACT_REPOSITORY "/tests/tool/cad/" name
#define PI 3.14159265358979323846
#define TOLERANCE 0.02

/* Uses the tact-cad of this build; skips the test if there is none. */
static void need_cad(void)
{
#ifdef TACT_CAD_PATH
    assert_int_equal(setenv("TACT_CAD", TACT_CAD_PATH, 1), 0);
#else
    print_message("built without Open CASCADE (Debian: libocct-data-exchange-dev)\n");
    skip();
#endif
}

static double area_of(const tact_shape *shape)
{
    const mesh *m = shape->mesh;
    double area = 0.0;
    for (uint32_t i = 0; i < m->element_count; i++) {
        const tact_vec3 a = m->vertices[m->indices[3 * i]], b = m->vertices[m->indices[3 * i + 1]],
                        c = m->vertices[m->indices[3 * i + 2]];
        const double x = (b.y - a.y) * (c.z - a.z) - (b.z - a.z) * (c.y - a.y),
                     y = (b.z - a.z) * (c.x - a.x) - (b.x - a.x) * (c.z - a.z),
                     z = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        area += 0.5 * sqrt(x * x + y * y + z * z);
    }
    return area;
}

static void parts_have_their_areas_and_bounds(void **state)
{
    (void)state;
    need_cad();
    const double slant = sqrt(9.0 + 100.0);
    const struct {
        const char *path;
        size_t faces;
        double area, low[3], high[3];
    } parts[] = {
        {PART("block.step"),
         7,
         2.0 * (1200.0 - 64.0 * PI + 800.0 + 600.0) + 2.0 * PI * 8.0 * 20.0,
         {0, 0, 0},
         {40, 30, 20}},
        {PART("pin.step"), 3, 2.0 * PI * 7.5 * (40.0 + 7.5), {12.5, 7.5, -10}, {27.5, 22.5, 30}},
        {PART("thick.igs"), 3, 2.0 * PI * 8.5 * (40.0 + 8.5), {11.5, 6.5, -10}, {28.5, 23.5, 30}},
        {PART("ring.step"), 1, 4.0 * PI * PI * 40.0, {6, 1, 26}, {34, 29, 34}},
        {PART("pegs.step"), 6, 2.0 * PI * (7.0 * slant + 25.0 + 4.0), {-5, -10, -5}, {105, 5, 10}},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        cad_conversion c;
        char error[MESH_FILE_ERROR] = "";
        tact_shape *shape = tact_cad_file_read(parts[i].path, TOLERANCE, &c, error, sizeof error);
        if (!shape)
            fail_msg("%s", error);
        assert_int_equal(c.faces, parts[i].faces);
        assert_int_equal(tact_nurbs_get_surface_count(shape), parts[i].faces);
        assert_int_equal(c.approximated, 0);
        assert_true(c.error == 0.0 && c.gap < 1e-4); /* the IGES file has six digits */
        assert_true(tact_nurbs_get_error(shape) >= c.gap && tact_nurbs_get_error(shape) <= TOLERANCE + c.gap);
        const double area = area_of(shape);
        if (!(fabs(area - parts[i].area) < 0.005 * parts[i].area))
            fail_msg("%s: area %.9g instead of %.9g", parts[i].path, area, parts[i].area);
        tact_bounds bounds;
        assert_int_equal(tact_shape_bounds(shape, tact_identity(), &bounds), TACT_OK);
        const double low[3] = {bounds.min.x, bounds.min.y, bounds.min.z},
                     high[3] = {bounds.max.x, bounds.max.y, bounds.max.z};
        for (int k = 0; k < 3; k++)
            if (!(low[k] <= parts[i].low[k] + 1e-5 && low[k] > parts[i].low[k] - 3.0 * TOLERANCE &&
                  high[k] >= parts[i].high[k] - 1e-5 && high[k] < parts[i].high[k] + 3.0 * TOLERANCE))
                fail_msg("%s: bounds %g to %g along axis %d", parts[i].path, low[k], high[k], k);
        tact_shape_release(shape);
    }
}

/* ---- solids ---- */

/* Lower bounds of distances from surfaces, negative inside. */

static double cylinder_distance(double across, double along, double low, double high, double radius)
{
    return fmax(across - radius, fmax(low - along, along - high));
}

static double block_distance(tact_vec3 p)
{
    const double sides = fmax(fmax(fmax(-p.x, p.x - 40.0), fmax(-p.y, p.y - 30.0)), fmax(-p.z, p.z - 20.0));
    return fmax(sides, 8.0 - hypot(p.x - 20.0, p.y - 15.0));
}

static double pin_distance(tact_vec3 p)
{
    return cylinder_distance(hypot(p.x - 20.0, p.y - 15.0), p.z, -10.0, 30.0, 7.5);
}

static double thick_distance(tact_vec3 p)
{
    return cylinder_distance(hypot(p.x - 20.0, p.y - 15.0), p.z, -10.0, 30.0, 8.5);
}

static double ring_distance(tact_vec3 p) { return hypot(hypot(p.x - 20.0, p.y - 15.0) - 10.0, p.z - 30.0) - 4.0; }

static double cone_distance(double across, double along)
{
    return fmax((across - 5.0 + 0.3 * along) / sqrt(1.09), fmax(-along, along - 10.0));
}

static double pegs_distance(tact_vec3 p)
{
    return fmin(cone_distance(hypot(p.x - 100.0, p.y), p.z), cone_distance(hypot(p.x, p.z), -p.y));
}

static double dome_distance(tact_vec3 p) { return fmax(sqrt(p.x * p.x + p.y * p.y + p.z * p.z) - 10.0, p.z - 4.0); }

static double tee_distance(tact_vec3 p)
{
    return fmin(cylinder_distance(hypot(p.x, p.y), p.z, -15.0, 15.0, 10.0),
                cylinder_distance(hypot(p.y, p.z), p.x, 0.0, 20.0, 6.0));
}

static double half_distance(tact_vec3 p)
{
    return fmax(-p.y, cylinder_distance(hypot(p.x, p.y), p.z, 0.0, 30.0, 10.0));
}

static double spire_distance(tact_vec3 p)
{
    const double left = 1.0 - p.y / 15.0;
    return fmax(-p.y, fmax((fabs(p.x - 10.0) - 10.0 * left) / hypot(1.0, 10.0 / 15.0),
                           (fabs(p.z - 5.0) - 5.0 * left) / hypot(1.0, 5.0 / 15.0)));
}

static double corner_distance(tact_vec3 p)
{
    const double x = fmax(0.0, 1.0 - p.x), y = fmax(0.0, p.y - 19.0), z = fmax(0.0, p.z - 9.0);
    return fmax(fmax(p.x - 20.0, fmax(-p.y, -p.z)), sqrt(x * x + y * y + z * z) - 1.0);
}

static double hollow_distance(tact_vec3 p)
{
    const tact_vec3 q = {p.x - 10.0, p.y - 10.0, p.z - 10.0};
    const double centre = sqrt(q.x * q.x + q.y * q.y + q.z * q.z), cube = fmax(fmax(fabs(q.x), fabs(q.y)), fabs(q.z)),
                 other = sqrt((q.x - 30.0) * (q.x - 30.0) + q.y * q.y + q.z * q.z);
    return fmin(fmin(fmax(cube - 10.0, 5.0 - centre), centre - 2.0), other - 5.0);
}

static double stack_distance(tact_vec3 p)
{
    const double side = fmax(fabs(p.x - 10.0), fabs(p.y - 10.0)) - 10.0, height = fmax(-p.z, p.z - 15.0),
                 outside = fmax(side, height);
    return outside > 0.0 ? outside : fmax(outside, -fabs(p.z - 10.0)); /* the wall between is a surface, too */
}

/* The volume of the part of the branch of tee.step outside of its other cylinder, by Simpson's rule. */
static double branch_volume(void)
{
    double sum = 0.0;
    const int steps = 20000;
    for (int i = 0; i <= steps; i++) {
        const double y = -6.0 + 12.0 * i / steps, width = 2.0 * sqrt(fmax(0.0, 36.0 - y * y));
        sum += (i == 0 || i == steps ? 1.0 : i % 2 == 0 ? 2.0 : 4.0) * width * (20.0 - sqrt(100.0 - y * y));
    }
    return sum * 12.0 / steps / 3.0;
}

static void trimmed_parts_are_solid(void **state)
{
    (void)state;
    need_cad();
    const struct {
        const char *path;
        double (*distance)(tact_vec3 p);
        double volume, area;
    } parts[] = {{PART("block.step"), block_distance, 24000.0 - 1280.0 * PI, 5300.0},
                 {PART("pin.step"), pin_distance, PI * 7.5 * 7.5 * 40.0, 2300.0},
                 {PART("thick.igs"), thick_distance, PI * 8.5 * 8.5 * 40.0, 2600.0},
                 {PART("ring.step"), ring_distance, 2.0 * PI * PI * 160.0, 1600.0},
                 {PART("pegs.step"), pegs_distance, 2.0 * PI * 10.0 / 3.0 * 39.0, 650.0},
                 {PART("dome.step"), dome_distance, PI * (4000.0 / 3.0 - 36.0 * 24.0 / 3.0), 1300.0},
                 {PART("tee.step"), tee_distance, PI * 3000.0 + branch_volume(), 3000.0},
                 {PART("half.step"), half_distance, PI * 1500.0, 1900.0},
                 {PART("spire.step"), spire_distance, 1000.0, 800.0},
                 {PART("corner.step"), corner_distance,
                  4000.0 - (1.0 - PI / 4.0) * (19.0 + 19.0 + 9.0) - (1.0 - PI / 6.0), 1600.0},
                 {PART("hollow.igs"), hollow_distance, 8000.0 + 4.0 / 3.0 * PI * 8.0, 3200.0},
                 {PART("stack.step"), stack_distance, 6000.0, 2800.0}};
    size_t inside = 0, outside = 0, near = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        cad_conversion c;
        char error[MESH_FILE_ERROR] = "";
        tact_shape *shape = tact_cad_file_read(parts[i].path, TOLERANCE, &c, error, sizeof error);
        if (!shape)
            fail_msg("%s", error);
        const double bound = tact_nurbs_get_error(shape);
        assert_true(bound <= TOLERANCE + c.gap);
        const tact_mass mass = tact_mass_from_density(shape, tact_identity(), 1.0);
        if (mass.status != TACT_OK || mass.dimension != 3 ||
            !(fabs(mass.measure - parts[i].volume) <= bound * parts[i].area))
            fail_msg("%s: volume %.9g instead of %.9g", parts[i].path, mass.measure, parts[i].volume);
        const mesh *m = shape->mesh;
        random_source r = random_seed(i);
        tact_bounds bounds;
        assert_int_equal(tact_shape_bounds(shape, tact_identity(), &bounds), TACT_OK);
        for (int k = 0; k < 1000; k++) { /* points in the box and near the surface, and points of triangles */
            tact_vec3 p = {random_range(&r, bounds.min.x, bounds.max.x), random_range(&r, bounds.min.y, bounds.max.y),
                           random_range(&r, bounds.min.z, bounds.max.z)};
            const tact_vec3 v = m->vertices[random_below(&r, m->vertex_count)];
            if (!(fabs(parts[i].distance(v)) <= bound))
                fail_msg("%s: a vertex is %g away", parts[i].path, parts[i].distance(v));
            if (k % 2 == 0)
                p = tact_vec(v.x + 0.05 * (p.x - v.x) * random_unit(&r), v.y + 0.05 * (p.y - v.y) * random_unit(&r),
                             v.z + 0.05 * (p.z - v.z) * random_unit(&r));
            const double distance = parts[i].distance(p);
            if (distance > 0.0 && distance <= 2.001 * bound)
                continue;
            const tact_overlap found = tact_shape_contains(shape, tact_identity(), p);
            if (found.status != TACT_OK || found.state != (distance < 0.0 ? TACT_HIT : TACT_MISS))
                fail_msg("%s: (%.17g %.17g %.17g) at %g", parts[i].path, p.x, p.y, p.z, distance);
            inside += distance < 0.0;
            outside += distance > 0.0;
            near += fabs(distance) < 0.2;
        }
        tact_shape_release(shape);
    }
    assert_true(inside > 1000 && outside > 1000 && near > 500);
}

/* ---- tact check ---- */

/* The object of a pair in the JSON of tact check. */
static outcome check_pair_of(const char *a, const char *b)
{
    outcome o = tool_run((const char *const[]){"check", "--json", "--tolerance", "0.02", a, b, NULL}, "", 0);
    if (o.status != 0)
        fail_msg("tact check %s %s: %s", a, b, o.err.data);
    const char *between = strstr(o.out.data, "\"between\":[");
    assert_non_null(between);
    memmove(o.out.data, between, strlen(between) + 1);
    return o;
}

static void distances_and_interference_are_found(void **state)
{
    (void)state;
    need_cad();
    const struct {
        const char *a, *b;
        double distance;
    } apart[] = {{PART("block.step"), PART("pin.step"), 0.5},
                 {PART("ring.step"), PART("block.step"), 6.0},
                 {PART("block.step"), PART("pegs.step"), -1.0},
                 {PART("thick.igs"), PART("block.step"), -1.0},
                 {PART("ring.step"), PART("thick.igs"), -1.0}};
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
        outcome o = check_pair_of(apart[i].a, apart[i].b);
        const char *text = strstr(o.out.data, "\"distance\":");
        assert_non_null(text);
        const double distance = strtod(text + 11, NULL), expected = fmax(0.0, apart[i].distance);
        if (!strstr(o.out.data, apart[i].distance < 0.0 ? "\"interfere\":true" : "\"interfere\":false") ||
            !(fabs(distance - expected) <= 2.0 * TOLERANCE))
            fail_msg("%s and %s: %s", apart[i].a, apart[i].b, o.out.data);
        outcome_free(&o);
    }
    /* the wall of the thick cylinder cuts the two faces with the hole, and nothing else */
    outcome o = check_pair_of(PART("block.step"), PART("thick.igs"));
    assert_non_null(strstr(o.out.data, "\"intersections\":2,\"pairs\":[[2,0],[4,0]]"));
    outcome_free(&o);
}

static void people_and_programs_get_the_facts(void **state)
{
    (void)state;
    need_cad();
    outcome o = tool_run((const char *const[]){"check", PART("block.step"), PART("thick.igs"), NULL}, "", 0);
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "block.step: CAD, read by Open CASCADE, in millimetres\n"));
    assert_non_null(strstr(o.out.data, "  7 surfaces, triangles within "));
    assert_non_null(strstr(o.out.data, "  gaps of at most "));
    assert_non_null(strstr(o.out.data, "  trimmed: its faces are joined at their edges"));
    assert_non_null(strstr(o.out.data, "  2 pairs of surfaces touch:\n    2 0\n    4 0\n"));
    outcome_free(&o);
    o = tool_run((const char *const[]){"check", "--json", PART("ring.step"), NULL}, "", 0);
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "\"surfaces\":1,\"trimmed\":false,\"gap\":"));
    assert_non_null(strstr(o.out.data, "\"approximated\":0,\"approximation_error\":0,"));
    assert_non_null(strstr(o.out.data, "\"closed\":true,\"inverted\":false"));
    outcome_free(&o);
    const char *const wrong[] = {"0", "-1", "x", "inf", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        o = tool_run((const char *const[]){"check", "--tolerance", wrong[i], PART("ring.step"), NULL}, "", 0);
        assert_int_equal(o.status, 2);
        outcome_free(&o);
    }
}

static void queries_name_cad_files(void **state)
{
    (void)state;
    need_cad();
#define BLOCK "{\"type\":\"nurbs\",\"file\":\"" PART("block.step") "\"}"
    static const char *const requests[][2] = {
        {"{\"op\":\"ray\",\"a\":" BLOCK ",\"from\":[20,15,50],\"dir\":[0,0,-1]}", "{\"hit\":false}"},
        {"{\"op\":\"ray\",\"a\":" BLOCK ",\"from\":[5,5,50],\"dir\":[0,0,-1]}",
         "{\"hit\":true,\"t\":30,\"point\":[5,5,20],\"normal\":[0,0,1]}"},
        {"{\"op\":\"ray\",\"a\":" BLOCK ",\"from\":[20,15,10],\"dir\":[1,0,0]}",
         "{\"hit\":true,\"t\":8,\"point\":[28,15,10],\"normal\":[-1,0,0]}"},
        {PAIR("distance", BLOCK, "{\"type\":\"point\",\"points\":[[20,15,10]]}"),
         "{\"distance\":8,\"pa\":[*,*,*],\"pb\":[20,15,10]}"},
    };
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        outcome o = query_run(requests[i][0]);
        o.out.data[strcspn(o.out.data, "\n")] = '\0';
        if (o.status != 0 || !same_answer(o.out.data, requests[i][1], 0.1))
            fail_msg("repeat: echo '%s' | tact query\nanswered %s\n%s", requests[i][0], o.out.data, o.err.data);
        outcome_free(&o);
    }
    static const char *const bad[][2] = {
        {PAIR("distance", "{\"type\":\"nurbs\",\"file\":\"none.step\"}", BALL), "a.file cannot be read: "},
        {PAIR("distance", "{\"type\":\"nurbs\",\"file\":\"a.obj\"}", BALL), "a.file must be a STEP or IGES file"},
        {PAIR("distance", "{\"type\":\"nurbs\",\"file\":\"a.stp\",\"degree\":[1,1]}", BALL), "a has a file and also"},
        {PAIR("distance", "{\"type\":\"mesh\",\"file\":\"a.IGS\"}", BALL), "a.file is a STEP or IGES file"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        outcome o = query_run(bad[i][0]);
        if (o.status != 1 || !strstr(o.err.data, bad[i][1]))
            fail_msg("%s: %s", bad[i][0], o.err.data);
        outcome_free(&o);
    }
}

/* ---- files that cannot be read ---- */

static void expect_failure(const char *path, const char *reason)
{
    outcome o = tool_run((const char *const[]){"check", path, NULL}, "", 0);
    if (o.status != 1 || o.out.size > 0 || count_lines(o.err.data) != 1 ||
        strncmp(o.err.data, path, strlen(path)) != 0 || !strstr(o.err.data, reason))
        fail_msg("%s: status %d, \"%s\" instead of \"%s\"", path, o.status, o.err.data, reason);
    outcome_free(&o);
}

/* A file of tests/tool/cad. */
static bytes part_bytes(const char *path)
{
    const int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    bytes content = file_read_all(file);
    (void)close(file);
    return content;
}

static void damaged_files_are_explained(void **state)
{
    (void)state;
    need_cad();
    bytes step = part_bytes(PART("ring.step")), iges = part_bytes(PART("thick.igs"));
    const struct {
        const char *path, *content;
        size_t size;
        const char *reason;
    } bad[] = {
        {"empty.step", "", 0, "empty.step: is empty\n"},
        {"blank.igs", " \n", 2, "blank.igs: is empty\n"},
        {"text.STP", "solid part\n", 11, "text.STP: is neither STEP nor IGES\n"},
        {"text.iges", "hello\n", 6, "text.iges: is neither STEP nor IGES\n"},
        {"cut.step", step.data, step.size / 2, "is truncated: a STEP file ends with END-ISO-10303-21;\n"},
        {"cut.igs", iges.data, iges.size / 2, "is truncated: an IGES file ends with a line of section T\n"},
        {"none.step", "ISO-10303-21;\nEND-ISO-10303-21;\n", 32, "Open CASCADE cannot read it as STEP\n"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        file_put(bad[i].path, bad[i].content, bad[i].size);
        expect_failure(bad[i].path, bad[i].reason);
        assert_int_equal(unlink(bad[i].path), 0);
    }
    expect_failure("missing.step", "missing.step: cannot be opened\n");
    /* a face that refers to nothing */
    char *torus = strstr(step.data, "TOROIDAL_SURFACE");
    assert_non_null(torus);
    memcpy(torus, "TOROIDAL_SURFICE", 16);
    file_put("face.step", step.data, step.size);
    expect_failure("face.step", "face.step: Open CASCADE cannot read the face #");
    assert_int_equal(unlink("face.step"), 0);
    bytes_free(&step);
    bytes_free(&iges);
}

/* Replaces tact-cad by a script. */
static void script_make(const char *script)
{
    file_put("reader", script, strlen(script));
    assert_int_equal(chmod("reader", 0700), 0);
    assert_int_equal(setenv("TACT_CAD", "./reader", 1), 0);
}

static void expect_script_failure(const char *script, const char *reason)
{
    script_make(script);
    expect_failure("a.step", reason);
    assert_int_equal(unlink("reader"), 0);
}

static void readers_that_fail_are_explained(void **state)
{
    (void)state;
    assert_int_equal(setenv("TACT_CAD", "./missing", 1), 0);
    expect_failure("a.step", "install Open CASCADE (Debian: libocct-data-exchange-dev) and build tact again\n");
    expect_script_failure("#!/bin/sh\nkill -SEGV $$\n", "a.step: crashed its reader (signal 11)");
    expect_script_failure("#!/bin/sh\nexit 3\n", "a.step: could not be read: its reader failed without a message\n");
    expect_script_failure("#!/bin/sh\necho '{'\n", "a.step: could not be read: the output of its reader is damaged\n");
    expect_script_failure("#!/bin/sh\necho '{}'\n", "a.step: could not be read: the output of its reader is damaged\n");
    expect_script_failure(
        "#!/bin/sh\necho '{\"type\":\"nurbs\"}'\necho '1 faces, 0 approximated, error 0, gap nan' >&2\n",
        "the output of its reader is damaged\n");
    expect_script_failure(
        "#!/bin/sh\necho '{\"type\":\"nurbs\"}'\necho '1 faces, 0 approximated, error 0, gap 0' >&2\n",
        "a.step: degree is missing\n");
    assert_int_equal(unsetenv("TACT_CAD"), 0);
}

/* Two parallel squares that claim to bound a solid and to share an edge. */
static void parts_that_are_not_solid_are_explained(void **state)
{
    (void)state;
#define FACE(z)                                                                                                        \
    "{\"degree\":[1,1],\"counts\":[2,2],\"knots\":[[0,0,1,1],[0,0,1,1]],\"points\":[[0,0," #z "],[0,1," #z             \
    "],[1,0," #z "],[1,1," #z "]]}"
    static const char *const cases[][2] = {{",\"edges\":[[[0,0,0],[1,0,0]]]",
                                            "  not a solid: edge 0 (surface 0, loop 0, curve 0; surface 1, loop 0, "
                                            "curve 0): the first curve ends at (0, 0, 0)"},
                                           {"", "  not a solid: its faces do not enclose a volume\n"}};
    for (size_t i = 0; i < 2; i++) {
        char script[1024];
        (void)snprintf(script, sizeof script,
                       "#!/bin/sh\necho '{\"type\":\"nurbs\",\"surfaces\":[" FACE(0) "," FACE(
                           1) "]%s,\"solid\":true}'\necho '2 faces, 0 approximated, error 0, gap 0' >&2\n",
                       cases[i][0]);
        script_make(script);
        outcome o = tool_run((const char *const[]){"check", "a.step", NULL}, "", 0);
        if (o.status != 0 || !strstr(o.out.data, cases[i][1]))
            fail_msg("%s%s", o.out.data, o.err.data);
        outcome_free(&o);
        assert_int_equal(unlink("reader"), 0);
    }
    assert_int_equal(unsetenv("TACT_CAD"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_their_areas_and_bounds),
        cmocka_unit_test(trimmed_parts_are_solid),
        cmocka_unit_test(distances_and_interference_are_found),
        cmocka_unit_test(people_and_programs_get_the_facts),
        cmocka_unit_test(queries_name_cad_files),
        cmocka_unit_test(damaged_files_are_explained),
        cmocka_unit_test(readers_that_fail_are_explained),
        cmocka_unit_test(parts_that_are_not_solid_are_explained),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
