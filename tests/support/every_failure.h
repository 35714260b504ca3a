/*
 * Every allocation of an action fails once. An action is a call, or a few, of the public API. It first runs with
 * memory; then once for each of its allocations, which fails. A failure must be reported as TACT_OUT_OF_MEMORY and
 * change nothing: the saved bytes of the world are the same as before. The action is then repeated with memory and must
 * give what it gave at once. If it succeeds in spite of a failure, it must give that, too. No memory is lost.
 *
 * Both the allocator hook and the default allocator fail: the linker replaces malloc, calloc, realloc and free in the
 * program (--wrap). The program is linked with the static library.
 */
#ifndef TACT_TEST_EVERY_FAILURE_H
#define TACT_TEST_EVERY_FAILURE_H

#include "support/digest.h"
#include "support/failing_allocator.h"
#include "support/vec.h"
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include <cmocka.h>

static failing_allocator failures;
static bool failures_armed;    /* the default allocator counts and fails */
static long blocks;            /* of malloc, not freed */
static uint64_t result_digest; /* of what the action has returned */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static void *counted(void *block)
{
    blocks += block != NULL;
    return block;
}

void *__wrap_malloc(size_t size) { return counted(__real_malloc(size)); }
void *__wrap_calloc(size_t count, size_t size) { return counted(__real_calloc(count, size)); }

/* The library calls realloc, and nothing else, for memory without a hook. */
void *__wrap_realloc(void *block, size_t size)
{
    if (failures_armed && ++failures.calls == failures.fail_at)
        return NULL;
    return block == NULL ? counted(__real_malloc(size)) : __real_realloc(block, size);
}

void __wrap_free(void *block)
{
    blocks -= block != NULL;
    __real_free(block);
}

static void note(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    result_digest = digest_add(result_digest, bits);
}

static inline void note_vec(tact_vec3 p)
{
    note(p.x);
    note(p.y);
    note(p.z);
}

/* A status, and a number of the result. */
static inline tact_status noted(tact_status status, double x)
{
    if (status == TACT_OK)
        note(x);
    return status;
}

/* For a sequence of calls: returns the first status that is not TACT_OK. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const tact_status tried = (call);                                                                              \
        if (tried != TACT_OK)                                                                                          \
            return tried;                                                                                              \
    } while (0)

/* The allocator of everything that is created with a def. */
static inline tact_allocator failing_memory(void) { return failing_allocator_make(&failures); }

typedef struct failure_case {
    const char *name;
    tact_status (*act)(void *fixture);
    void (*prepare)(void *fixture); /* with memory, before the action; may be NULL */
    bool resumes;                   /* a failed call keeps what it has completed, and goes on when it is repeated */
} failure_case;

typedef struct failure_fixture {
    void *data;
    void (*set_up)(void *data);    /* may be NULL */
    void (*tear_down)(void *data); /* likewise */
    tact_world **world;            /* whose bytes must not change; NULL: none */
} failure_fixture;

static tact_bytes failure_save(const failure_fixture *f)
{
    tact_bytes bytes = {0};
    if (f->world != NULL && *f->world != NULL)
        assert_int_equal(tact_world_save(*f->world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    return bytes;
}

/* Digest of the time and of how the bodies move: of a call that resumes, counts of work inside the world may differ. */
static uint64_t failure_observe(const failure_fixture *f)
{
    const uint64_t before = result_digest;
    const tact_world *world = f->world != NULL ? *f->world : NULL;
    result_digest = 0;
    note(tact_world_get_time(world));
    for (tact_body b = tact_world_next_body(world, (tact_body){0, 0}); b.generation != 0;
         b = tact_world_next_body(world, b)) {
        const tact_transform at = tact_body_get_transform(world, b);
        const tact_motion motion = tact_body_get_motion(world, b);
        note_vec(at.x_axis);
        note_vec(at.origin);
        note_vec(motion.velocity);
        note_vec(motion.spin);
        note((double)tact_body_get_contacts(world, b, NULL, 0));
    }
    const uint64_t seen = result_digest;
    result_digest = before;
    return seen;
}

static bool failure_same(const tact_bytes *a, const tact_bytes *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static tact_status failure_act(const failure_fixture *f, const failure_case *c, long fail_at)
{
    failures.calls = 0;
    failures.fail_at = fail_at;
    failures_armed = true;
    result_digest = 0;
    const tact_status status = c->act(f->data);
    failures_armed = false;
    failures.fail_at = 0;
    return status;
}

static void failure_require(bool condition, const failure_case *c, long fail_at, const char *what)
{
    if (!condition)
        fail_msg("%s, allocation %ld fails: %s; repeat with TACT_TEST_CASE='%s' TACT_TEST_LONG=1", c->name, fail_at,
                 what, c->name);
}

/* Runs the action with memory (fail_at 0), or with one failure and again. Returns the allocations of the first. */
static long failure_run(const failure_fixture *f, const failure_case *c, long fail_at, tact_bytes *expected,
                        uint64_t *expected_digest, long *reported)
{
    const long blocks_before = blocks;
    const size_t held_before = failures.held;
    if (f->set_up != NULL)
        f->set_up(f->data);
    if (c->prepare != NULL)
        c->prepare(f->data);
    tact_bytes before = failure_save(f);
    tact_status status = failure_act(f, c, fail_at);
    const long calls = failures.calls;
    if (fail_at > 0 && status != TACT_OK) {
        failure_require(status == TACT_OUT_OF_MEMORY, c, fail_at, "another status than TACT_OUT_OF_MEMORY");
        tact_bytes after = failure_save(f);
        failure_require(c->resumes || failure_same(&before, &after), c, fail_at, "the world has changed");
        tact_bytes_release(&after);
        ++*reported;
        status = failure_act(f, c, 0);
    }
    failure_require(status == TACT_OK, c, fail_at, "the call with memory fails");
    tact_bytes result = failure_save(f);
    const uint64_t digest = c->resumes ? failure_observe(f) : result_digest;
    if (fail_at == 0) {
        *expected = result;
        *expected_digest = digest;
    } else {
        failure_require(c->resumes || failure_same(expected, &result), c, fail_at,
                        "another world than without the failure");
        failure_require(digest == *expected_digest, c, fail_at, "another result");
        tact_bytes_release(&result);
    }
    tact_bytes_release(&before);
    if (f->tear_down != NULL)
        f->tear_down(f->data);
    failure_require(failures.held == held_before, c, fail_at, "memory of the hook is lost");
    failure_require(fail_at == 0 || blocks == blocks_before, c, fail_at, "memory is lost");
    return calls;
}

/* Fails every allocation of every case, or of the case that TACT_TEST_CASE names. Returns their number. */
static long every_failure(const failure_fixture *f, const failure_case *cases, size_t count)
{
    long all = 0;
    for (size_t i = 0; i < count; i++) {
        const char *wanted = getenv("TACT_TEST_CASE");
        if (wanted != NULL && strcmp(wanted, cases[i].name) != 0)
            continue;
        tact_bytes expected = {0};
        uint64_t digest = 0;
        long reported = 0, calls = failure_run(f, &cases[i], 0, &expected, &digest, &reported);
        /* each of the first 16 (quick form: 8), later ones in growing steps; with TACT_TEST_LONG each */
        for (long at = 1; at <= calls; at += 1 + (long_form() ? 0 : at / (quick_form() ? 8 : 16)), all++)
            (void)failure_run(f, &cases[i], at, &expected, &digest, &reported);
        if (getenv("TACT_TEST_VERBOSE") != NULL)
            print_message("%s: %ld allocations, %ld failures reported\n", cases[i].name, calls, reported);
        tact_bytes_release(&expected);
    }
    return getenv("TACT_TEST_CASE") == NULL ? all : LONG_MAX; /* no minimum for a single case */
}

#endif
