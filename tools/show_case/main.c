/*
 * Writes the scenes of `make run` to a folder:
 *
 *     tact_show_case FOLDER          at full size
 *     tact_show_case FOLDER quick    small ones, as a test
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "show_case.h"

FILE *show_case_create(const char *folder, const char *name)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    errno = 0;
    FILE *file = fopen(path, "wb");
    if (!file)
        (void)fprintf(stderr, "%s: cannot be opened: %s\n", path, strerror(errno));
    return file;
}

bool show_case_close(FILE *file, const char *name)
{
    const bool bad = ferror(file) != 0;
    errno = 0;
    if (fclose(file) == 0 && !bad)
        return true;
    (void)fprintf(stderr, "%s: cannot be written: %s\n", name, errno ? strerror(errno) : "unknown error");
    return false;
}

/* Little-endian, whatever the processor. */
static void word_write(FILE *file, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        (void)fputc((int)(word >> (8 * i) & 0xFF), file);
}

static void float_write(FILE *file, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    word_write(file, bits);
}

void show_case_pc2_head(FILE *file, int vertices, int frames, double interval)
{
    static const char name[12] = "POINTCACHE2";
    (void)fwrite(name, 1, sizeof name, file);
    word_write(file, 1);
    word_write(file, (uint32_t)vertices);
    float_write(file, 0.0f);
    float_write(file, (float)interval);
    word_write(file, (uint32_t)frames);
}

void show_case_pc2_number(FILE *file, double value) { float_write(file, (float)value); }

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3 || (argc == 3 && strcmp(argv[2], "quick") != 0)) {
        (void)fprintf(stderr, "usage: tact_show_case FOLDER [quick]\n");
        return 2;
    }
    const bool quick = argc == 3;
    const char *folder = argv[1];
    return show_case_pile(folder, quick ? 20 : 240) && show_case_figure(folder, quick ? 5 : 121) &&
                   show_case_fish(folder, quick ? 5 : 97) && show_case_cloth(folder, quick ? 3 : 180, quick ? 5 : 1)
               ? 0
               : 1;
}
