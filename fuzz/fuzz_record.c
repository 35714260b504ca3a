/*
 * Bytes from anywhere, restored and replayed: no crash, no hang, no leak, no undefined behaviour. Hashes are made right
 * before the bytes are read: otherwise nothing but the hash would be tested.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "core/hash.h"
#include "moderate.h"

enum { HEAD = 16, BLOCK_HEAD = 12, HASH = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The linker hands the replay's calls to the first of each two (CMakeLists.txt, --wrap); the second is the library's
 * function. A world is advanced only as far as is quick. */
tact_event_kind __wrap_tact_world_next_event(tact_world *world, double until, tact_event *event);
tact_event_kind __real_tact_world_next_event(tact_world *world, double until, tact_event *event);
tact_count __wrap_tact_world_advance(tact_world *world, double until);
tact_count __real_tact_world_advance(tact_world *world, double until);

static double moderate_time(const tact_world *world, double until)
{
    const double now = tact_world_get_time(world), most = now + MODERATE_TIME;
    return !is_moderate(world) && until > now ? now : until > most ? most : until;
}

tact_event_kind __wrap_tact_world_next_event(tact_world *world, double until, tact_event *event)
{
    return __real_tact_world_next_event(world, moderate_time(world, until), event);
}

tact_count __wrap_tact_world_advance(tact_world *world, double until)
{
    return __real_tact_world_advance(world, moderate_time(world, until));
}

static void reseal(uint8_t *bytes, size_t size)
{
    static const uint8_t magic[12] = {0x89, 'T', 'A', 'C', 'T', '\r', '\n', 0x1a, TACT_RECORD_VERSION, 0, 0, 0};
    memcpy(bytes, magic, sizeof magic);
    uint64_t hash = hash_bytes(bytes, HEAD, 0);
    for (size_t at = HEAD; size - at >= BLOCK_HEAD + HASH;) {
        uint64_t length = 0;
        for (int i = 0; i < 8; ++i)
            length |= (uint64_t)bytes[at + 4 + (size_t)i] << 8 * i;
        if (length > size - at - BLOCK_HEAD - HASH)
            return;
        hash = hash_bytes(bytes + at, BLOCK_HEAD + (size_t)length, hash);
        for (int i = 0; i < 8; ++i)
            bytes[at + BLOCK_HEAD + (size_t)length + (size_t)i] = (uint8_t)(hash >> 8 * i);
        at += BLOCK_HEAD + (size_t)length + HASH;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tact_report report;
    if (size < HEAD)
        return 0;
    uint8_t *bytes = malloc(size);
    if (bytes == NULL)
        return 0;
    memcpy(bytes, data, size);
    reseal(bytes, size);
    tact_world *world = tact_world_restore(bytes, size, NULL, &report);
    if ((world == NULL) != (report.status != TACT_OK))
        abort();
    if (world != NULL)
        (void)tact_world_test(world);
    tact_world_release(world);
    tact_replay *replay = tact_replay_begin(bytes, size, NULL, &report);
    if (replay != NULL)
        (void)tact_replay_run(replay, &report);
    tact_replay_release(replay);
    free(bytes);
    return 0;
}
