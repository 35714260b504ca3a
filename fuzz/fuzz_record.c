/*
 * Bytes from anywhere, restored and replayed: libFuzzer looks for some that crash, hang, leak or take too much memory.
 *
 *     cmake --preset fuzz && cmake --build --preset fuzz --target fuzz_record
 *     build-fuzz/fuzz/fuzz_record -max_total_time=600 corpus/
 *
 * Hashes are made right before the bytes are read: else nothing but the hash would be tested.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "core/hash.h"

enum { HEAD = 16, BLOCK_HEAD = 12, HASH = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
