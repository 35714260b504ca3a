/* Arrays under failing allocations, hashes, random numbers, the parallel-for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "support/failing_allocator.h"
#include "support/random.h"

ARRAY_OF(number_array, uint64_t);

static void arrays_grow_and_release(void **state)
{
    (void)state;
    failing_allocator r = {0};
    tact_allocator allocator = failing_allocator_make(&r);
    number_array numbers = {0};
    for (uint64_t i = 0; i < 10000; ++i) {
        assert_true(number_array_push(&numbers, &allocator, i * i));
        assert_true(numbers.count == i + 1 && numbers.capacity >= numbers.count);
    }
    for (uint64_t i = 0; i < 10000; ++i)
        assert_true(numbers.items[i] == i * i);
    assert_true(r.calls < 20); /* the capacity doubles */
    assert_true(r.held == numbers.capacity * sizeof(uint64_t));
    assert_true(number_array_pop(&numbers) == UINT64_C(9999) * 9999);
    assert_true(number_array_resize(&numbers, &allocator, 3) && numbers.count == 3 && numbers.items[2] == 4);
    long calls = r.calls;
    assert_true(number_array_reserve(&numbers, &allocator, 5000) && r.calls == calls); /* the capacity suffices */
    number_array_release(&numbers, &allocator);
    assert_true(r.held == 0 && numbers.items == NULL && numbers.count == 0 && numbers.capacity == 0);
    number_array_release(&numbers, &allocator); /* a second release has no effect */
    assert_true(r.held == 0);
}

static void arrays_are_unchanged_when_memory_runs_out(void **state)
{
    (void)state;
    long total = 0;
    for (long fail_at = 0; fail_at <= total; ++fail_at) {
        failing_allocator r = {.fail_at = fail_at + 1};
        tact_allocator allocator = failing_allocator_make(&r);
        number_array numbers = {0};
        int failures = 0;
        for (uint64_t i = 0; i < 1000; ++i) {
            while (!number_array_push(&numbers, &allocator, i)) {
                assert_true(numbers.count == i); /* unchanged */
                ++failures;
            }
        }
        for (uint64_t i = 0; i < 1000; ++i)
            assert_true(numbers.items[i] == i);
        number_array_release(&numbers, &allocator);
        assert_true(r.held == 0);
        if (fail_at == 0)
            total = r.calls - 1; /* a run with a failure makes one call more */
        assert_int_equal(failures, fail_at < total ? 1 : 0);
    }
    assert_true(total >= 5);
}

static void arrays_reject_overflowing_sizes(void **state)
{
    (void)state;
    failing_allocator r = {0};
    tact_allocator allocator = failing_allocator_make(&r);
    number_array numbers = {0};
    assert_false(number_array_reserve(&numbers, &allocator, SIZE_MAX));
    assert_false(number_array_reserve(&numbers, &allocator, SIZE_MAX / 8 + 1));
    assert_false(number_array_resize(&numbers, &allocator, SIZE_MAX / 4));
    assert_true(r.calls == 0 && numbers.count == 0 && numbers.items == NULL);
    assert_true(array_next_capacity(0, 1, 1) == ARRAY_MIN_CAPACITY);
    assert_true(array_next_capacity(8, 9, 8) == 16);
    assert_true(array_next_capacity(8, 100, 8) == 100);
    assert_true(array_next_capacity(SIZE_MAX / 16, SIZE_MAX / 16 + 1, 16) == 0); /* overflows size_t */
    assert_true(array_next_capacity(SIZE_MAX / 16 - 1, SIZE_MAX / 16, 16) == SIZE_MAX / 16);
}

static int count_bits(uint64_t word)
{
    int count = 0;
    for (; word != 0; word &= word - 1)
        ++count;
    return count;
}

static void hashes_are_well_distributed(void **state)
{
    (void)state;
    random_source source = random_seed(7);
    /* flipping one bit of the argument flips each bit of the hash about half the time */
    static int flips[64][64];
    enum { ROUNDS = 2000 };
    for (int i = 0; i < ROUNDS; ++i) {
        uint64_t word = random_bits(&source), hash = hash_mix(word);
        for (int in = 0; in < 64; ++in) {
            uint64_t change = hash ^ hash_mix(word ^ UINT64_C(1) << in);
            for (int out = 0; out < 64; ++out)
                flips[in][out] += (int)(change >> out & 1);
        }
    }
    for (int in = 0; in < 64; ++in)
        for (int out = 0; out < 64; ++out)
            assert_true(flips[in][out] > ROUNDS * 2 / 5 && flips[in][out] < ROUNDS * 3 / 5);

    /* small pairs fill a table evenly */
    static int table[1024];
    for (uint32_t a = 0; a < 256; ++a)
        for (uint32_t b = 0; b < 256; ++b)
            ++table[hash_pair(a, b) & 1023];
    for (int i = 0; i < 1024; ++i)
        assert_true(table[i] > 24 && table[i] < 112); /* 64 each, with 5 standard deviations */

    assert_true(hash_pair(1, 2) != hash_pair(2, 1));
    assert_true(hash_unordered_pair(1, 2) == hash_unordered_pair(2, 1));
    assert_true(hash_unordered_pair(1, 2) != hash_unordered_pair(1, 3));
    assert_true(hash_add(hash_add(0, 1), 2) != hash_add(hash_add(0, 2), 1));
}

static void hashes_depend_on_every_byte(void **state)
{
    (void)state;
    unsigned char bytes[40];
    for (size_t i = 0; i < sizeof bytes; ++i)
        bytes[i] = (unsigned char)(i * 7);
    uint64_t seen[sizeof bytes + 1];
    for (size_t size = 0; size <= sizeof bytes; ++size) {
        seen[size] = hash_bytes(bytes, size, 5);
        for (size_t i = 0; i < size; ++i) {
            assert_true(seen[i] != seen[size]);
            bytes[i] ^= 0x10;
            int changed = count_bits(hash_bytes(bytes, size, 5) ^ seen[size]);
            assert_true(changed > 8 && changed < 56);
            bytes[i] ^= 0x10;
        }
        assert_true(hash_bytes(bytes, size, 6) != seen[size]);
    }
    assert_true(hash_bytes(NULL, 0, 5) == seen[0]);
    /* the number of zero bytes matters */
    const unsigned char zeros[24] = {0};
    assert_true(hash_bytes(zeros, 8, 0) != hash_bytes(zeros, 16, 0) &&
                hash_bytes(zeros, 1, 0) != hash_bytes(zeros, 2, 0));
    /* neither the address nor its alignment matters */
    unsigned char moved[sizeof bytes + 3];
    memcpy(moved + 3, bytes, sizeof bytes);
    assert_true(hash_bytes(moved + 3, sizeof bytes, 5) == seen[sizeof bytes]);
}

static void random_numbers_are_uniform_and_reproducible(void **state)
{
    (void)state;
    random_source source = random_seed(42), again = random_seed(42), other = random_seed(43);
    int equal = 0;
    for (int i = 0; i < 1000; ++i) {
        uint64_t bits = random_bits(&source);
        assert_true(bits == random_bits(&again));
        equal += bits == random_bits(&other);
    }
    assert_int_equal(equal, 0);

    enum { DRAWS = 100000 };
    int bins[10] = {0}, dice[6] = {0}, heads = 0, subnormal = 0, huge = 0;
    double sum = 0.0;
    for (int i = 0; i < DRAWS; ++i) {
        double unit = random_unit(&source);
        assert_true(unit >= 0.0 && unit < 1.0);
        ++bins[(int)(unit * 10.0)];
        ++dice[random_between(&source, -2, 3) + 2];
        heads += random_chance(&source, 0.3);
        double range = random_range(&source, -3.0, 5.0);
        assert_true(range >= -3.0 && range <= 5.0);
        sum += range;
        double any = random_finite(&source);
        assert_true(isfinite(any));
        double size = fabs(random_size(&source, -3, 2));
        assert_true(size >= 0.125 && size < 8.0);
        subnormal += !isnormal(any);
        huge += fabs(any) > 1e300;
    }
    for (int i = 0; i < 10; ++i)
        assert_true(abs(bins[i] - DRAWS / 10) < 600); /* 6 standard deviations */
    for (int i = 0; i < 6; ++i)
        assert_true(abs(dice[i] - DRAWS / 6) < 720);
    assert_true(abs(heads - 30000) < 900);
    assert_true(fabs(sum / DRAWS - 1.0) < 0.05);
    assert_true(subnormal > 10 && huge > 500);
    assert_true(random_between(&source, 5, 5) == 5 && random_below(&source, 1) == 0);
    assert_true(random_range(&source, 2.0, 2.0) == 2.0);
    for (int i = 0; i < 100; ++i)
        assert_true(random_below(&source, (UINT64_C(1) << 63) + 1) <= UINT64_C(1) << 63);
}

static void random_directions_and_rotations_are_uniform(void **state)
{
    (void)state;
    random_source source = random_seed(11);
    enum { DRAWS = 40000 };
    double first[3] = {0}, second[6] = {0}, turned[3] = {0}, turned_square[3] = {0};
    for (int i = 0; i < DRAWS; ++i) {
        tact_vec3 d = random_direction(&source);
        assert_true(fabs(d.x * d.x + d.y * d.y + d.z * d.z - 1.0) < 1e-14);
        first[0] += d.x, first[1] += d.y, first[2] += d.z;
        second[0] += d.x * d.x, second[1] += d.y * d.y, second[2] += d.z * d.z;
        second[3] += d.x * d.y, second[4] += d.y * d.z, second[5] += d.z * d.x;
        tact_quat q = random_rotation(&source);
        assert_true(fabs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0) < 1e-14);
        /* the image of the x axis is uniform on the sphere too */
        double x = 1.0 - 2.0 * (q.y * q.y + q.z * q.z), y = 2.0 * (q.x * q.y + q.z * q.w),
               z = 2.0 * (q.x * q.z - q.y * q.w);
        turned[0] += x, turned[1] += y, turned[2] += z;
        turned_square[0] += x * x, turned_square[1] += y * y, turned_square[2] += z * z;
    }
    for (int k = 0; k < 3; ++k) { /* means 0 and 1/3; the bounds are 6 standard deviations or more */
        assert_true(fabs(first[k] / DRAWS) < 0.02 && fabs(turned[k] / DRAWS) < 0.02);
        assert_true(fabs(second[k] / DRAWS - 1.0 / 3.0) < 0.01 && fabs(second[k + 3] / DRAWS) < 0.01);
        assert_true(fabs(turned_square[k] / DRAWS - 1.0 / 3.0) < 0.01);
    }
}

/* The arguments of a parallel-for and what it did. */
typedef struct work {
    size_t count;
    unsigned char *done;
    size_t shortest;
    uint64_t *results;
} work;

static void do_work(void *task_data, size_t begin, size_t end)
{
    work *w = task_data;
    for (size_t i = begin; i < end; ++i) {
        w->done[i]++;
        w->results[i] = hash_mix(i);
    }
}

static void record_lengths(void *task_data, size_t begin, size_t end)
{
    work *w = task_data;
    w->done[begin] = 1; /* a range begins here */
    w->results[begin] = end - begin;
}

static void backwards_loop(void *context, size_t count, size_t grain, tact_task *task, void *task_data)
{
    ++*(int *)context;
    assert_true(grain >= 1 && count >= 1);
    for (size_t i = count; i-- > 0;)
        task(task_data, i, i + 1);
}

static void parallel_for_processes_every_item_once(void **state)
{
    (void)state;
    enum { MOST = 5000 };
    static unsigned char done[MOST];
    static uint64_t results[MOST];
    const size_t counts[] = {0, 1, 2, 3, 7, 64, 1000, 1001, 4999};
    const size_t grains[] = {0, 1, 3, 100, 100000};
    int host_calls = 0;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        for (size_t g = 0; g < sizeof grains / sizeof grains[0]; ++g) {
            for (int threads = -1; threads <= 6; ++threads) {
                tact_parallel parallel = {NULL, NULL, threads == 6 ? 1000000 : threads};
                if (threads == 6 && (c != 4 || g != 1))
                    continue; /* an absurd number of threads, once */
                if (threads == 5)
                    parallel = (tact_parallel){backwards_loop, &host_calls, 0};
                memset(done, 0, sizeof done);
                memset(results, 0, sizeof results);
                work w = {counts[c], done, 0, results};
                tact_parallel_for(threads == 0 ? NULL : &parallel, counts[c], grains[g], do_work, &w);
                for (size_t i = 0; i < MOST; ++i) {
                    assert_int_equal(done[i], i < counts[c]);
                    assert_true(results[i] == (i < counts[c] ? hash_mix(i) : 0));
                }
                if (threads == 5)
                    continue;
                memset(done, 0, sizeof done);
                tact_parallel_for(threads == 0 ? NULL : &parallel, counts[c], grains[g], record_lengths, &w);
                size_t covered = 0, pieces = 0, grain = grains[g] == 0 ? 1 : grains[g];
                for (; covered < counts[c]; ++pieces) {
                    assert_int_equal(done[covered], 1); /* ranges follow each other */
                    assert_true(results[covered] >= grain || results[covered] == counts[c]);
                    covered += (size_t)results[covered];
                }
                assert_true(covered == counts[c]);
                if (threads > 0 && threads < 6)
                    assert_true(pieces <= (size_t)threads);
            }
        }
    }
    assert_int_equal(host_calls, 8 * 5); /* not for a count of 0 */
    assert_true(tact_parallel_threads(NULL) >= 1);
    tact_parallel host = {backwards_loop, &host_calls, 3};
    assert_int_equal(tact_parallel_threads(&host), 0);
}

typedef struct nest {
    unsigned char *done;
} nest;

static void inner_task(void *task_data, size_t begin, size_t end)
{
    unsigned char *row = task_data;
    for (size_t i = begin; i < end; ++i)
        row[i]++;
}

static void outer_task(void *task_data, size_t begin, size_t end)
{
    nest *n = task_data;
    tact_parallel four = {NULL, NULL, 4};
    for (size_t i = begin; i < end; ++i)
        tact_parallel_for(&four, 64, 1, inner_task, n->done + 64 * i);
}

static void parallel_for_nests(void **state)
{
    (void)state;
    unsigned char done[64 * 64] = {0};
    nest n = {done};
    tact_parallel four = {NULL, NULL, 4};
    tact_parallel_for(&four, 64, 1, outer_task, &n);
    for (size_t i = 0; i < sizeof done; ++i)
        assert_int_equal(done[i], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_grow_and_release),
        cmocka_unit_test(arrays_are_unchanged_when_memory_runs_out),
        cmocka_unit_test(arrays_reject_overflowing_sizes),
        cmocka_unit_test(hashes_are_well_distributed),
        cmocka_unit_test(hashes_depend_on_every_byte),
        cmocka_unit_test(random_numbers_are_uniform_and_reproducible),
        cmocka_unit_test(random_directions_and_rotations_are_uniform),
        cmocka_unit_test(parallel_for_processes_every_item_once),
        cmocka_unit_test(parallel_for_nests),
    };
    return cmocka_run_group_tests_name("core", tests, NULL, NULL);
}
