/* Serialized trees: round trips give the same tree; everything else is rejected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/hash.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "tree/tree_bytes.h"

enum { MOST = 300 };
static tact_vec3 points[3 * MOST];
static uint32_t triangles[MOST][3];
static box boxes[MOST];

static void make_triangles(random_source *r)
{
    for (uint32_t i = 0; i < 3 * MOST; ++i) {
        double x = random_range(r, -1.0, 1.0), y = random_range(r, -1.0, 1.0), z = random_range(r, -1.0, 1.0);
        points[i] = (tact_vec3){x, y, z};
        triangles[i / 3][i % 3] = i;
    }
    tact_boxes_of_triangles(points, (const uint32_t(*)[3])triangles, MOST, boxes);
}

static aabb_tree flat_tree(uint32_t count)
{
    aabb_tree tree;
    aabb_tree_def def = aabb_tree_def_default();
    assert_int_equal(tact_aabb_tree_build(&tree, boxes, count, &def), TACT_OK);
    return tree;
}

static unsigned char *take(size_t size)
{
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    return bytes;
}

static void trees_round_trip(void **state)
{
    (void)state;
    random_source r = random_seed(1);
    make_triangles(&r);
    for (uint32_t n = 0; n <= MOST; n = n < 20 ? n + 1 : n + 35) {
        aabb_tree flat = flat_tree(n), same;
        size_t size = tact_aabb_tree_bytes(&flat);
        unsigned char *bytes = take(size);
        aabb_tree_def def = aabb_tree_def_default();
        tact_report report;
        tact_aabb_tree_write(&flat, bytes);
        def.parent_links = n % 2 == 0;
        if (tact_aabb_tree_read(&same, bytes, size, &def, &report) != TACT_OK)
            fail_msg("%u items: %s", n, report.text);
        assert_int_equal(same.node_count, flat.node_count);
        assert_int_equal(same.item_count, n);
        if (n > 0) {
            assert_memory_equal(same.nodes, flat.nodes, flat.node_count * sizeof *flat.nodes);
            assert_memory_equal(same.bounds, flat.bounds, flat.node_count * sizeof *flat.bounds);
        }
        assert_memory_equal(&same.root_box, &flat.root_box, sizeof same.root_box);
        assert_true(same.built_cost == flat.built_cost);
        assert_int_equal(tact_aabb_tree_check(&same, boxes, NULL), TACT_OK);
        if (def.parent_links && n > 0) { /* the parent links lead to the items */
            const uint32_t item = (uint32_t)random_below(&r, n);
            const box before = boxes[item];
            boxes[item] = box_of_point((tact_vec3){3.0, 0.0, 0.0});
            tact_aabb_tree_refit_one(&same, item, &boxes[item]);
            assert_int_equal(tact_aabb_tree_check(&same, boxes, NULL), TACT_OK);
            boxes[item] = before;
        }
        /* another number of floats per bound, as a future kind of tree may have */
        aabb_tree none;
        bytes[12] = 15;
        const uint64_t hash = hash_bytes(bytes, size - 8, TREE_BYTES_VERSION);
        for (int i = 0; i < 8; ++i)
            bytes[size - 8 + (size_t)i] = (unsigned char)(hash >> 8 * i);
        assert_int_equal(tact_aabb_tree_read(&none, bytes, size, &def, NULL), TACT_BAD_ARGUMENT);
        free(bytes);
        tact_aabb_tree_release(&flat);
        tact_aabb_tree_release(&same);
    }
}

/* The layout is a promise: bytes written by earlier versions must be readable, so it may not change by accident. */
static void the_bytes_are_as_documented(void **state)
{
    (void)state;
    const box two[2] = {{{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}}, {{2.0f, 0.0f, -1.0f}, {3.0f, 1.0f, 0.5f}}};
    aabb_tree tree;
    aabb_tree_def def = aabb_tree_def_default();
    assert_int_equal(tact_aabb_tree_build(&tree, two, 2, &def), TACT_OK);
    assert_int_equal(tact_aabb_tree_bytes(&tree), 56 + 16 + 96 + 8);
    unsigned char bytes[176];
    tact_aabb_tree_write(&tree, bytes);
    const unsigned char head[24] = {'T', 'A', 'C', 'T', 'T', 'R', 'E', 'E', 1, 0, 0, 0,
                                    6,   0,   0,   0,   2,   0,   0,   0,   1, 0, 0, 0};
    assert_memory_equal(bytes, head, sizeof head);
    const unsigned char links[16] = {0, 0, 0, 0x80, 1, 0, 0, 0x80, 255, 255, 255, 255, 255, 255, 255, 255};
    assert_memory_equal(bytes + 56, links, sizeof links);
    const unsigned char min_x[16] = {0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0x80, 0x7f, 0, 0, 0x80, 0x7f};
    assert_memory_equal(bytes + 72, min_x, sizeof min_x);
    tact_aabb_tree_release(&tree);
}

/* All damage is rejected: by the hash, and, if the hash is recomputed, by the other checks. A damaged tree that is
 * accepted (the bound of an item may be any number) can be traversed. */
static bool count_visits(void *context, uint32_t a, uint32_t b)
{
    (void)a;
    (void)b;
    ++*(long *)context;
    return true;
}

static void damage_is_rejected(void **state)
{
    (void)state;
    random_source r = random_seed(2);
    make_triangles(&r);
    aabb_tree flat = flat_tree(60);
    const size_t size = tact_aabb_tree_bytes(&flat);
    unsigned char *whole = take(size);
    tact_aabb_tree_write(&flat, whole);
    tact_transform at = tact_identity();
    int refused = 0, accepted = 0;
    for (int i = 0; i < 20000; ++i) {
        size_t cut = i % 8 == 0 ? (size_t)random_below(&r, size) : size;
        unsigned char *bytes = take(cut + 1);
        memcpy(bytes, whole, cut);
        bool hashed = i % 2 == 1 && cut == size;
        if (cut == size) {
            /* the links more often than the bounds */
            size_t reach = random_chance(&r, 0.7) ? 56 + 16 * (size_t)flat.node_count : size - 8;
            size_t place = (size_t)random_below(&r, reach);
            bytes[place] ^= (unsigned char)(1u << random_below(&r, 8));
            if (hashed) {
                uint64_t hash = hash_bytes(bytes, size - 8, TREE_BYTES_VERSION);
                for (int k = 0; k < 8; ++k)
                    bytes[size - 8 + (size_t)k] = (unsigned char)(hash >> 8 * k);
            }
        }
        aabb_tree a;
        aabb_tree_def def = aabb_tree_def_default();
        def.parent_links = i % 3 == 0;
        tact_report report;
        tact_status status = tact_aabb_tree_read(&a, bytes, cut, &def, &report);
        if (status == TACT_OK) {
            assert_true(hashed);
            long visits = 0;
            assert_true(tact_aabb_tree_pairs(&a, &at, &flat, &at, SAT_ALL_AXES, TREE_NEAREST_CENTRES_FIRST,
                                             count_visits, &visits));
            assert_true(tact_aabb_tree_self_pairs(&a, count_visits, &visits));
            ++accepted;
        } else {
            assert_int_equal(status, TACT_BAD_ARGUMENT);
            assert_true(report.text[0] != 0);
            assert_true(a.nodes == NULL && a.item_slot == NULL);
            ++refused;
        }
        tact_aabb_tree_release(&a);
        free(bytes);
    }
    print_message("%d rejected, %d accepted\n", refused, accepted);
    assert_true(refused > 12500 && accepted > 250);
    aabb_tree a;
    aabb_tree_def def = aabb_tree_def_default();
    assert_int_equal(tact_aabb_tree_read(&a, NULL, 100, &def, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_aabb_tree_read(&a, whole, size, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_aabb_tree_read(NULL, whole, size, &def, NULL), TACT_BAD_ARGUMENT);
    free(whole);
    tact_aabb_tree_release(&flat);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    random_source r = random_seed(3);
    make_triangles(&r);
    aabb_tree flat = flat_tree(50), a;
    size_t size = tact_aabb_tree_bytes(&flat);
    unsigned char *bytes = take(size);
    tact_aabb_tree_write(&flat, bytes);
    int failures = 0;
    for (int left = 0; left < 10; ++left) {
        failing_allocator q = {.fail_at = left + 1};
        aabb_tree_def def = {AABB_SPLIT_SAH, true, failing_allocator_make(&q)};
        failures += tact_aabb_tree_read(&a, bytes, size, &def, NULL) == TACT_OUT_OF_MEMORY;
        tact_aabb_tree_release(&a);
        assert_int_equal(q.held, 0);
    }
    assert_true(failures >= 4 && failures < 10);
    free(bytes);
    tact_aabb_tree_release(&flat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_round_trip),
        cmocka_unit_test(the_bytes_are_as_documented),
        cmocka_unit_test(damage_is_rejected),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("tree_bytes", tests, NULL, NULL);
}
