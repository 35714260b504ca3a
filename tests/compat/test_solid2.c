/*
 * The guide's own examples (van den Bergen 1999, appendix B and chapter 6), and what it says of each command. Programs
 * are written as the guide writes them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include <tact/solid2.h>

typedef struct MyObject {
    int id;
} MyObject;

typedef struct record {
    int calls;
    void *object1, *object2;
    int had_data;
    DtCollData data;
} record;

static void note(void *client_data, DtObjectRef object1, DtObjectRef object2, const DtCollData *coll_data)
{
    record *r = client_data;
    ++r->calls;
    r->object1 = object1;
    r->object2 = object2;
    r->had_data = coll_data != NULL;
    if (coll_data != NULL)
        r->data = *coll_data;
}

/* The guide's pyramid, in its four ways. */
static DtScalar vertices[5 * 3] = {1.0, 0.0, 1.0, 1.0, 0.0, -1.0, -1.0, 0.0, -1.0, -1.0, 0.0, 1.0, 0.0, 1.27, 0.0};

static DtShapeRef pyramid_by_value(void)
{
    DtShapeRef pyramid = dtNewComplexShape();
    dtBegin(DT_SIMPLEX);
    dtVertex(1.0, 0.0, 1.0);
    dtVertex(1.0, 0.0, -1.0);
    dtVertex(-1.0, 0.0, -1.0);
    dtVertex(-1.0, 0.0, 1.0);
    dtEnd();
    dtBegin(DT_SIMPLEX);
    dtVertex(1.0, 0.0, 1.0);
    dtVertex(1.0, 0.0, -1.0);
    dtVertex(0.0, 1.27, 0.0);
    dtEnd();
    dtEndComplexShape();
    return pyramid;
}

static DtShapeRef pyramid_by_index(void)
{
    DtShapeRef pyramid = dtNewComplexShape();
    dtVertexBase(vertices);
    dtBegin(DT_SIMPLEX);
    dtVertexIndex(0);
    dtVertexIndex(1);
    dtVertexIndex(2);
    dtVertexIndex(3);
    dtEnd();
    dtBegin(DT_SIMPLEX);
    dtVertexIndex(0);
    dtVertexIndex(1);
    dtVertexIndex(4);
    dtEnd();
    dtEndComplexShape();
    return pyramid;
}

static DtShapeRef pyramid_by_indices(void)
{
    DtIndex facet0[4] = {0, 1, 2, 3};
    DtIndex facet1[3] = {0, 1, 4};
    DtShapeRef pyramid = dtNewComplexShape();
    dtVertexBase(vertices);
    dtVertexIndices(DT_SIMPLEX, 4, facet0);
    dtVertexIndices(DT_SIMPLEX, 3, facet1);
    dtEndComplexShape();
    return pyramid;
}

static DtShapeRef pyramid_by_range(const DtScalar *base)
{
    DtShapeRef pyramid = dtNewComplexShape();
    dtVertexBase(base);
    dtVertexRange(DT_POLYHEDRON, 0, 5);
    dtEndComplexShape();
    return pyramid;
}

static void complex_shapes_are_built_by_all_calls(void **state)
{
    (void)state;
    /* a bead: in the inside, on the base, on the side that is there, on a side that is not */
    static const double beads[4][3] = {{0, 0.5, 0}, {0.5, 0, 0.3}, {0.5, 0.635, 0}, {-0.5, 0.635, 0}};
    static const int shell[4] = {0, 1, 1, 0}, full[4] = {1, 1, 1, 1};
    DtShapeRef pyramids[4] = {pyramid_by_value(), pyramid_by_index(), pyramid_by_indices(), pyramid_by_range(vertices)};
    DtShapeRef bead = dtSphere(0.01);
    MyObject a, b;
    record r = {0};
    dtSetDefaultResponse(note, DT_SIMPLE_RESPONSE, &r);
    for (int i = 0; i < 4; ++i) {
        assert_non_null(pyramids[i]);
        dtCreateObject(&a, pyramids[i]);
        dtCreateObject(&b, bead);
        for (int k = 0; k < 4; ++k) {
            dtSelectObject(&b);
            dtLoadIdentity();
            dtTranslate(beads[k][0], beads[k][1], beads[k][2]);
            assert_int_equal(dtTest(), i == 3 ? full[k] : shell[k]);
        }
        assert_ptr_equal(r.object1, &a);
        assert_ptr_equal(r.object2, &b);
        assert_false(r.had_data); /* for simple response coll_data is NULL */
        dtDeleteObject(&a);
        dtDeleteObject(&b);
        dtDeleteShape(pyramids[i]);
    }
    dtDeleteShape(bead);
    dtForgetAll();
}

static void primitive_shapes_are_as_the_guide_says(void **state)
{
    (void)state;
    DtShapeRef shapes[4] = {dtBox(2, 4, 6), dtCone(1, 2), dtCylinder(1, 2), dtSphere(1)}, bead = dtSphere(1e-3);
    /* inside, just, and outside of each: box of full extents, axes along y, the cone's apex at height / 2 */
    static const double inside[4][3] = {{0.99, 1.99, 2.99}, {0, 0.99, 0}, {0.7, 0.99, 0.7}, {0.57, 0.57, 0.57}};
    static const double outside[4][3] = {{1.01, 0, 0}, {0.99, 0.9, 0}, {0.72, 0, 0.72}, {0.59, 0.59, 0.59}};
    MyObject a, b;
    record r = {0};
    dtSetDefaultResponse(note, DT_SIMPLE_RESPONSE, &r);
    for (int i = 0; i < 4; ++i) {
        dtCreateObject(&a, shapes[i]);
        dtCreateObject(&b, bead);
        dtTranslate(inside[i][0], inside[i][1], inside[i][2]); /* the current object is the last created one */
        assert_int_equal(dtTest(), 1);
        dtLoadIdentity();
        dtTranslate(outside[i][0], outside[i][1], outside[i][2]);
        assert_int_equal(dtTest(), 0);
        dtDeleteObject(&a);
        dtDeleteObject(&b);
        dtDeleteShape(shapes[i]);
    }
    dtDeleteShape(bead);
    dtForgetAll();
}

static void transforms_are_relative_to_local_coordinates(void **state)
{
    (void)state;
    DtShapeRef hammer = dtBox(2, 0.2, 0.2), nail = dtSphere(0.05);
    MyObject object1, object2;
    record r = {0};
    dtSetDefaultResponse(note, DT_WITNESSED_RESPONSE, &r);
    dtCreateObject(&object1, hammer);
    dtCreateObject(&object2, nail);

    dtSelectObject(&object1);
    dtLoadIdentity();
    dtTranslate(0, 1, 1);
    dtRotate(0, 0, 1, 0); /* half a turn about z */
    dtTranslate(5, 0, 0); /* towards -x, by now */

    dtSelectObject(&object2);
    dtLoadIdentity();
    dtTranslate(-5.9, 1, 1);
    dtRotate(0, 0, 0, 1);
    assert_int_equal(dtTest(), 1);
    /* points are local, and the same in global coordinates: 0.9 from the hammer's middle, on its +x by its own axes */
    assert_true(r.had_data && fabs(r.data.point1[0] - 0.9) < 0.06 && fabs(r.data.point2[0]) < 0.06);
    double global1 = -5 - r.data.point1[0], global2 = -5.9 + r.data.point2[0];
    assert_true(fabs(global1 - global2) < 1e-12);
    /* scaled along its own x */
    dtSelectObject(&object1);
    dtScale(0.5, 1, 1);
    assert_int_equal(dtTest(), 0);
    dtScale(2, 1, 1);
    assert_int_equal(dtTest(), 1);
    /* the same by matrices: column-major, as OpenGL has them */
    const double turned[16] = {-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1};
    const float step[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1};
    const double back[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -5, 0, 0, 1};
    dtLoadMatrixd(turned);
    assert_int_equal(dtTest(), 0);
    dtMultMatrixf(step);
    assert_int_equal(dtTest(), 1);
    dtMultMatrixd(back);
    assert_int_equal(dtTest(), 0);
    float small[16];
    for (int i = 0; i < 16; ++i)
        small[i] = (float)turned[i];
    small[12] = -5;
    dtLoadMatrixf(small);
    assert_int_equal(dtTest(), 1);
    dtScale(0, 1, 1); /* cannot be: nothing happens */
    dtLoadMatrixd(NULL);
    assert_int_equal(dtTest(), 1);
    dtDeleteShape(hammer); /* while the object lives */
    assert_int_equal(dtTest(), 1);
    dtDeleteShape(nail);
    dtForgetAll();
}

/* Chapter 6: two pyramids of two tetrahedra each, side by side. */
static void pyramids_of_giza_are_apart(void **state)
{
    (void)state;
    DtShapeRef pyramid = dtNewComplexShape();
    dtBegin(DT_SIMPLEX);
    dtVertex(1.0, 0.0, 1.0);
    dtVertex(1.0, 0.0, -1.0);
    dtVertex(-1.0, 0.0, -1.0);
    dtVertex(0.0, 1.27, 0.0);
    dtEnd();
    dtBegin(DT_SIMPLEX);
    dtVertex(1.0, 0.0, 1.0);
    dtVertex(-1.0, 0.0, 1.0);
    dtVertex(-1.0, 0.0, -1.0);
    dtVertex(0.0, 1.27, 0.0);
    dtEnd();
    dtEndComplexShape();
    MyObject khufu = {1}, khafre = {2};
    record r = {0};
    dtCreateObject(&khufu, pyramid);
    dtCreateObject(&khafre, pyramid);
    dtSetDefaultResponse(note, DT_SIMPLE_RESPONSE, &r);
    assert_int_equal(dtTest(), 1); /* both at the origin */
    dtSelectObject(&khufu);
    dtLoadIdentity();
    dtTranslate(248.0, 0.0, 312.0);
    dtScale(115.0, 115.0, 115.0);
    dtSelectObject(&khafre);
    dtLoadIdentity();
    dtTranslate(-100.0, 0.0, -50.0);
    dtScale(108.0, 113.0, 108.0);
    assert_int_equal(dtTest(), 0);
    dtTranslate(1.2, 0, 1.2); /* in its own coordinates: 130 metres */
    assert_int_equal(dtTest(), 0);
    dtTranslate(0.2, 0, 0.2);
    assert_int_equal(dtTest(), 1);
    dtDeleteShape(pyramid);
    dtForgetAll();
}

/* Chapter 6: Naval Warfare. */
static void naval_warfare_follows_its_rules(void **state)
{
    (void)state;
    enum { SHIP, OTHER_SHIP, SWEEPER, MINE, ICEBERG, THINGS };
    MyObject things[THINGS];
    record both_damaged = {0}, both_destroyed = {0}, ship_damaged = {0}, mine_destroyed = {0};
    DtShapeRef hull = dtBox(1, 1, 1);
    for (int i = 0; i < THINGS; ++i) {
        dtCreateObject(&things[i], hull);
        dtTranslate(10 * i, 0, 0);
    }
    dtSetDefaultResponse(note, DT_SIMPLE_RESPONSE, &both_damaged);
    dtSetObjectResponse(&things[MINE], note, DT_SIMPLE_RESPONSE, &both_destroyed);
    dtSetObjectResponse(&things[ICEBERG], note, DT_SIMPLE_RESPONSE, &ship_damaged);
    dtSetPairResponse(&things[MINE], &things[ICEBERG], note, DT_SIMPLE_RESPONSE, &mine_destroyed);
    dtSetPairResponse(&things[SWEEPER], &things[MINE], note, DT_SIMPLE_RESPONSE, &mine_destroyed);
    static const int meetings[5][2] = {
        {SHIP, OTHER_SHIP}, {SHIP, MINE}, {OTHER_SHIP, ICEBERG}, {MINE, ICEBERG}, {MINE, SWEEPER}};
    record *rules[5] = {&both_damaged, &both_destroyed, &ship_damaged, &mine_destroyed, &mine_destroyed};
    assert_int_equal(dtTest(), 0);
    for (int i = 0; i < 5; ++i) {
        int before = rules[i]->calls;
        dtSelectObject(&things[meetings[i][0]]);
        dtLoadIdentity();
        dtTranslate(10 * meetings[i][1] + 0.5, 0, 0);
        assert_int_equal(dtTest(), 1);
        assert_int_equal(rules[i]->calls, before + 1);
        dtLoadIdentity();
        dtTranslate(10 * meetings[i][0], 0, 0);
    }
    assert_int_equal(both_damaged.calls + both_destroyed.calls + ship_damaged.calls + mine_destroyed.calls, 5);
    dtDeleteShape(hull);
    dtForgetAll();
}

static void responses_are_set_cleared_and_reset(void **state)
{
    (void)state;
    MyObject a, b;
    record all = {0}, first = {0}, second = {0}, pair = {0};
    DtShapeRef ball = dtSphere(1);
    dtCreateObject(&a, ball);
    dtCreateObject(&b, ball);
    assert_int_equal(dtTest(), 0); /* initially the default response is nil */
    dtSetDefaultResponse(note, DT_SIMPLE_RESPONSE, &all);
    assert_int_equal(dtTest() + 10 * all.calls, 11);
    dtSetObjectResponse(&b, note, DT_SIMPLE_RESPONSE, &second);
    assert_int_equal(dtTest() + 10 * second.calls, 11);
    dtSetObjectResponse(&a, note, DT_SIMPLE_RESPONSE, &first); /* created earlier */
    assert_int_equal(dtTest() + 10 * first.calls, 11);
    dtSetPairResponse(&b, &a, note, DT_SIMPLE_RESPONSE, &pair);
    assert_int_equal(dtTest() + 10 * pair.calls, 11);
    dtClearPairResponse(&a, &b);
    assert_int_equal(dtTest(), 0);
    dtSetPairResponse(&a, &b, note, DT_NO_RESPONSE, &pair); /* equivalent to clearing */
    assert_int_equal(dtTest(), 0);
    dtResetPairResponse(&b, &a);
    assert_int_equal(dtTest() + 10 * first.calls, 21);
    dtClearObjectResponse(&a);
    assert_int_equal(dtTest(), 0);
    dtResetObjectResponse(&a);
    assert_int_equal(dtTest() + 10 * second.calls, 21);
    dtResetObjectResponse(&b);
    assert_int_equal(dtTest() + 10 * all.calls, 21);
    dtClearDefaultResponse();
    assert_int_equal(dtTest(), 0);
    /* deleting an object resets its responses */
    dtSetObjectResponse(&b, note, DT_SIMPLE_RESPONSE, &second);
    dtSetPairResponse(&a, &b, note, DT_SIMPLE_RESPONSE, &pair);
    dtDeleteObject(&b);
    dtCreateObject(&b, ball);
    assert_int_equal(dtTest(), 0);
    assert_int_equal(all.calls + first.calls + second.calls + pair.calls, 2 + 2 + 2 + 1);
    dtDeleteShape(ball);
    dtForgetAll();
}

static void smart_response_reports_the_previous_frame(void **state)
{
    (void)state;
    MyObject floor, ball;
    record r = {0};
    DtShapeRef slab = dtBox(10, 2, 10), sphere = dtSphere(1);
    dtSetDefaultResponse(note, DT_SMART_RESPONSE, &r);
    dtCreateObject(&ball, sphere);
    dtTranslate(0, 3, 0);
    dtCreateObject(&floor, slab);
    dtTranslate(0, -1, 0);
    assert_int_equal(dtTest(), 0);
    dtProceed();
    dtSelectObject(&ball);
    dtTranslate(0, -2.5, 0);
    for (int i = 0; i < 2; ++i) { /* testing many times changes nothing */
        assert_int_equal(dtTest(), 1);
        assert_ptr_equal(r.object1, &ball);
        /* local points: the ball's south pole, the middle of the slab's upper face; the normal away from object 2 */
        assert_true(fabs(r.data.point1[1] + 1) < 1e-9 && fabs(r.data.point2[1] - 1) < 1e-9);
        assert_true(fabs(r.data.point1[0]) < 1e-6 && fabs(r.data.point2[0]) < 1e-6);
        assert_true(fabs(r.data.normal[1] - 2) < 1e-9 && fabs(r.data.normal[0]) < 1e-6);
    }
    dtDeleteShape(slab);
    dtDeleteShape(sphere);
    dtForgetAll();
}

/* B.5: double buffering; a vertex base is shared by all objects of the shape. */
static void deformation_keeps_the_previous_frame(void **state)
{
    (void)state;
    DtScalar flat[5 * 3], high[5 * 3];
    memcpy(flat, vertices, sizeof flat);
    memcpy(high, vertices, sizeof high);
    flat[13] = 0.5; /* the apex */
    high[13] = 3.0;
    MyObject tent, other_tent, lamp;
    record r = {0};
    DtShapeRef cover = pyramid_by_range(flat), bulb = dtSphere(0.1);
    dtSetDefaultResponse(note, DT_SMART_RESPONSE, &r);
    dtCreateObject(&tent, cover);
    dtCreateObject(&other_tent, cover);
    dtTranslate(100, 0, 0);
    dtCreateObject(&lamp, bulb);
    dtTranslate(0, 2, 0);
    assert_int_equal(dtTest(), 0);
    dtProceed();
    dtChangeVertexBase(cover, high);
    assert_int_equal(dtTest(), 1);
    assert_ptr_equal(r.object1, &tent);
    assert_true(fabs(r.data.point1[1] - 0.5) < 1e-9); /* the apex as it was */
    assert_true(fabs(r.data.normal[1] + 1.4) < 1e-9); /* from the lamp down to it */
    dtTranslate(100, 0, 0);                           /* the lamp, to the other tent */
    assert_int_equal(dtTest(), 1);
    assert_ptr_equal(r.object1, &other_tent);
    dtProceed();
    /* changed in place */
    high[13] = 1.0;
    assert_int_equal(dtTest(), 1);
    dtChangeVertexBase(cover, high);
    assert_int_equal(dtTest(), 0);
    dtChangeVertexBase(bulb, high); /* not a complex shape */
    dtChangeVertexBase(NULL, high);
    dtDeleteShape(cover);
    dtDeleteShape(bulb);
    dtForgetAll();
}

/* Few objects are deformed one by one, many get a shape made anew; what they are must not tell, nor what came before.
 */
static void deformation_is_the_same_for_few_and_many(void **state)
{
    (void)state;
    enum { MOST = 20 };
    MyObject tents[MOST], lamp;
    record r = {0};
    DtScalar frames[2][4 * 3] = {{0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0}, {0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0}};
    for (int large = 0; large < 2; ++large) { /* pieces with hulls of their own, too */
        DtShapeRef bulb = dtSphere(0.05);
        DtShapeRef tent = dtNewComplexShape();
        dtVertexBase(frames[0]);
        dtVertexRange(DT_SIMPLEX, 0, 3);
        dtBegin(DT_POLYHEDRON);
        dtVertexIndex(0); /* some of the array, some by value */
        dtVertexIndex(3);
        dtVertex(0, 0, 0.1);
        dtVertex(0.1, 0, 0);
        for (int i = 0; i < 4 * large; ++i)
            dtVertex(0.01 * i, 0.01, 0);
        dtEnd();
        dtEndComplexShape();
        dtSetDefaultResponse(note, DT_SMART_RESPONSE, &r);
        dtCreateObject(&lamp, bulb);
        frames[0][10] = 1.0;
        for (int count = 0; count < MOST; ++count) {
            const double height = 1.0 + (count * 7) % 5;
            DtScalar *now = frames[(count + 1) % 2];
            dtCreateObject(&tents[count], tent); /* with the vertices as they are by now */
            dtTranslate(10.0 * count, 0, 0);
            dtProceed();
            memcpy(now, frames[count % 2], sizeof frames[0]);
            now[10] = height; /* the apex */
            dtChangeVertexBase(tent, now);
            for (int i = 0; i <= count; i += count > 0 ? count : 1) { /* the first and the last */
                dtSelectObject(&lamp);
                dtLoadIdentity();
                dtTranslate(10.0 * i, height + 0.06, 0);
                assert_int_equal(dtTest(), 0);
                dtTranslate(0, -0.02, 0);
                assert_int_equal(dtTest(), 1);
                assert_ptr_equal(r.object1, &lamp);
                assert_ptr_equal(r.object2, &tents[i]);
            }
            /* the tent as it was: its apex is what is nearest to a lamp above both */
            dtLoadIdentity();
            dtTranslate(10.0 * count, 20, 0);
            dtProceed();
            now[10] = 21.0;
            dtChangeVertexBase(tent, now);
            assert_int_equal(dtTest(), 1);
            assert_true(fabs(r.data.point2[1] - height) < 1e-9);
            now[10] = NAN; /* not usable: nothing happens */
            dtChangeVertexBase(tent, now);
            assert_int_equal(dtTest(), 1);
            now[10] = height;
            dtChangeVertexBase(tent, now);
            assert_int_equal(dtTest(), 0);
        }
        dtDeleteShape(tent);
        dtDeleteShape(bulb);
        dtForgetAll();
    }
}

/* Numbers that are not usable are refused of a shape without objects as well, and the next usable ones are taken. */
static void deformation_needs_no_objects(void **state)
{
    (void)state;
    DtScalar now[4 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int before = 0; before < 2; ++before) { /* whether there was an object, which had been deformed */
        DtShapeRef corner = dtNewComplexShape(), bulb = dtSphere(0.1);
        dtVertexBase(now);
        dtVertexRange(DT_SIMPLEX, 0, 4);
        dtEndComplexShape();
        MyObject first, second, lamp;
        record r = {0};
        dtSetDefaultResponse(note, DT_SIMPLE_RESPONSE, &r);
        dtCreateObject(&lamp, bulb);
        if (before) {
            dtCreateObject(&first, corner);
            dtChangeVertexBase(corner, now);
            dtDeleteObject(&first);
        }
        now[0] = NAN;
        dtChangeVertexBase(corner, now);
        dtCreateObject(&second, corner);
        assert_int_equal(dtTest(), 1);
        dtDeleteObject(&second);
        now[0] = 0.0;
        for (int i = 0; i < 4; ++i)
            now[3 * i] += 5.0;
        dtChangeVertexBase(corner, now);
        dtCreateObject(&second, corner);
        assert_int_equal(dtTest(), 0);
        dtSelectObject(&lamp);
        dtTranslate(5, 0, 0);
        assert_int_equal(dtTest(), 1);
        for (int i = 0; i < 4; ++i)
            now[3 * i] -= 5.0;
        dtDeleteObject(&second);
        dtDeleteObject(&lamp);
        dtDeleteShape(corner);
        dtDeleteShape(bulb);
        dtForgetAll();
    }
}

static void caching_changes_nothing(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    MyObject objects[COUNT];
    record r = {0};
    DtShapeRef ball = dtSphere(0.6);
    for (int i = 0; i < COUNT; ++i) {
        dtCreateObject(&objects[i], ball);
        dtTranslate(i, 0, 0);
    }
    dtSetDefaultResponse(note, DT_SIMPLE_RESPONSE, &r);
    for (int frame = 0; frame < 20; ++frame) {
        if (frame % 3 == 0)
            dtDisableCaching();
        else
            dtEnableCaching();
        dtSelectObject(&objects[frame]);
        dtTranslate(0, frame % 2 == 0 ? 5 : 0.01, 0);
        int expected = 0, up = frame / 2 + 1; /* of the first ones every other one is gone */
        expected = COUNT - 1 - 2 * up + 1;
        assert_int_equal(dtTest(), expected);
    }
    dtDeleteShape(ball);
    dtForgetAll();
}

/* A response that deletes both objects. */
static void destroy(void *client_data, DtObjectRef object1, DtObjectRef object2, const DtCollData *coll_data)
{
    (void)coll_data;
    assert_int_equal(dtTest(), 0); /* not within itself */
    dtDeleteObject(object1);
    dtDeleteObject(object2);
    ++*(int *)client_data;
}

static void objects_come_and_go(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    static MyObject objects[COUNT];
    int calls = 0;
    DtShapeRef ball = dtSphere(1);
    dtSetDefaultResponse(destroy, DT_SIMPLE_RESPONSE, &calls);
    for (int round = 0; round < 5; ++round) {
        for (int i = 0; i < COUNT; ++i) {
            dtCreateObject(&objects[i], ball);
            dtTranslate(10 * (i / 2), 0, 0);
        }
        for (int i = 0; i < COUNT; i += 10)
            dtCreateObject(&objects[i], ball); /* anew: at the origin */
        for (int i = 0; i < COUNT; i += 10) {
            dtSelectObject(&objects[i]);
            dtTranslate(10 * (i / 2), 0, 0);
        }
        assert_int_equal(dtTest(), COUNT / 2);
        assert_int_equal(dtTest(), 0);
        assert_int_equal(calls, (round + 1) * COUNT / 2);
    }
    dtDeleteShape(ball);
    dtForgetAll();
}

static void nonsense_does_nothing(void **state)
{
    (void)state;
    MyObject a, b;
    record r = {0};
    assert_null(dtSphere(-1));
    assert_null(dtBox(NAN, 1, 1));
    dtEnd();
    dtVertex(1, 2, 3);
    dtVertexIndex(7);
    dtEndComplexShape();
    dtDeleteShape(NULL);
    dtTranslate(1, 2, 3);
    dtLoadIdentity();
    dtSelectObject(&a);
    dtDeleteObject(&a);
    dtCreateObject(&a, NULL);
    dtSetObjectResponse(&a, note, DT_SIMPLE_RESPONSE, &r);
    dtSetPairResponse(&a, &b, note, DT_SIMPLE_RESPONSE, &r);
    dtResetPairResponse(&a, &b);
    dtResetObjectResponse(&a);
    dtSetDefaultResponse(note, (DtResponseType)99, &r);
    assert_int_equal(dtTest(), 0);
    DtShapeRef empty = dtNewComplexShape(); /* has no pieces */
    dtBegin(DT_POLYGON);
    dtEndComplexShape();
    dtCreateObject(&a, empty);
    DtShapeRef baseless = dtNewComplexShape();
    dtVertexRange(DT_POLYHEDRON, 0, 4);
    dtEndComplexShape();
    dtCreateObject(&b, baseless);
    DtShapeRef unfinished = dtNewComplexShape();
    dtBegin(DT_POLYGON);
    dtVertex(0, 0, 0);
    dtCreateObject(&b, unfinished);
    dtDeleteShape(unfinished);
    dtVertex(0, 0, 0);
    dtEnd();
    dtSetDefaultResponse(note, DT_SIMPLE_RESPONSE, &r);
    assert_int_equal(dtTest(), 0);
    dtChangeVertexBase(baseless, vertices); /* now it has one */
    dtCreateObject(&b, baseless);
    dtCreateObject(&a, baseless);
    assert_int_equal(dtTest(), 1);
    dtDeleteShape(empty);
    dtDeleteShape(baseless);
    dtForgetAll();
}

static void *other_thread(void *context)
{
    (void)context;
    MyObject a, b;
    record r = {0};
    DtShapeRef ball = dtSphere(1);
    int sum = dtTest(); /* nothing is here */
    dtCreateObject(&a, ball);
    dtCreateObject(&b, ball);
    dtSetDefaultResponse(note, DT_SIMPLE_RESPONSE, &r);
    sum += 10 * dtTest();
    dtDeleteShape(ball);
    dtForgetAll();
    return (void *)(intptr_t)sum;
}

static void threads_have_worlds_of_their_own(void **state)
{
    (void)state;
    MyObject a, b;
    record r = {0};
    DtShapeRef ball = dtSphere(1);
    dtCreateObject(&a, ball);
    dtCreateObject(&b, ball);
    dtSetDefaultResponse(note, DT_SIMPLE_RESPONSE, &r);
    pthread_t thread;
    void *sum;
    assert_int_equal(pthread_create(&thread, NULL, other_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, &sum), 0);
    assert_int_equal((intptr_t)sum, 10);
    assert_int_equal(dtTest(), 1);
    dtDeleteShape(ball);
    dtForgetAll();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complex_shapes_are_built_by_all_calls),
        cmocka_unit_test(primitive_shapes_are_as_the_guide_says),
        cmocka_unit_test(transforms_are_relative_to_local_coordinates),
        cmocka_unit_test(pyramids_of_giza_are_apart),
        cmocka_unit_test(naval_warfare_follows_its_rules),
        cmocka_unit_test(responses_are_set_cleared_and_reset),
        cmocka_unit_test(smart_response_reports_the_previous_frame),
        cmocka_unit_test(deformation_keeps_the_previous_frame),
        cmocka_unit_test(deformation_is_the_same_for_few_and_many),
        cmocka_unit_test(deformation_needs_no_objects),
        cmocka_unit_test(caching_changes_nothing),
        cmocka_unit_test(objects_come_and_go),
        cmocka_unit_test(nonsense_does_nothing),
        cmocka_unit_test(threads_have_worlds_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
