#include <math.h>
#include <stdint.h>

#include "show_case.h"

/* Portable random numbers: the high half of a linear congruential generator (Knuth's MMIX). */
static double between(uint64_t *state, double least, double most)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return least + (most - least) * (double)(*state >> 32) * 0x1p-32;
}

static void shape_write(FILE *out, uint64_t *random, int kind)
{
    const double size = between(random, 0.32, 0.5);
    switch (kind) {
    case 0:
        (void)fprintf(out, "{\"type\":\"sphere\",\"radius\":%.3f}", 0.6 * size);
        break;
    case 1:
        (void)fprintf(out, "{\"type\":\"box\",\"size\":[%.3f,%.3f,%.3f]}", 1.1 * size, 0.9 * size, 1.3 * size);
        break;
    case 2:
        (void)fprintf(out, "{\"type\":\"capsule\",\"radius\":%.3f,\"height\":%.3f}", 0.38 * size, 0.9 * size);
        break;
    case 3:
        (void)fprintf(out, "{\"type\":\"box\",\"size\":[%.3f,%.3f,%.3f],\"margin\":%.3f}", 0.9 * size, 0.4 * size,
                      0.9 * size, 0.12 * size);
        break;
    default:
        (void)fprintf(out,
                      "{\"type\":\"hull\",\"points\":[[%.3f,0,0],[%.3f,0,0],[0,%.3f,0],[0,%.3f,0],[0,0,%.3f],"
                      "[0,0,%.3f]]}",
                      0.62 * size, -0.62 * size, 0.62 * size, -0.62 * size, 0.62 * size, -0.62 * size);
        break;
    }
}

bool show_case_pile(const char *folder, int count)
{
    uint64_t random = 1;
    FILE *out = show_case_create(folder, "pile.json");
    if (!out)
        return false;
    (void)fprintf(out, "{\"end\":8,\"response\":\"inelastic\",\"gravity\":[0,-9.81,0],\"bodies\":[\n"
                       "{\"name\":\"floor\",\"shape\":{\"type\":\"box\",\"size\":[12,1,12]},"
                       "\"place\":{\"translate\":[0,-0.5,0]},\"friction\":0.8,\"rolling_friction\":0.02}");
    static const struct {
        const char *name;
        double x, z, width, depth;
    } rims[] = {{"left", -3.1, 0.0, 0.3, 6.5},
                {"right", 3.1, 0.0, 0.3, 6.5},
                {"back", 0.0, -3.1, 5.9, 0.3},
                {"front", 0.0, 3.1, 5.9, 0.3}};
    for (int i = 0; i < 4; i++)
        (void)fprintf(out,
                      ",\n{\"name\":\"%s\",\"shape\":{\"type\":\"box\",\"size\":[%.2f,0.7,%.2f]},"
                      "\"place\":{\"translate\":[%.2f,0.35,%.2f]},\"friction\":0.6}",
                      rims[i].name, rims[i].width, rims[i].depth, rims[i].x, rims[i].z);
    for (int i = 0; i < count; i++) {
        const int layer = i / 25, row = i % 25 / 5, column = i % 5;
        const double angle = 0.4 * layer, x = 0.78 * (column - 2), z = 0.78 * (row - 2);
        (void)fprintf(out, ",\n{\"name\":\"%d\",\"shape\":", i + 1);
        shape_write(out, &random, i % 5);
        (void)fprintf(
            out,
            ",\"place\":{\"translate\":[%.4f,%.4f,%.4f],\"rotate\":[%.3f,%.3f,%.3f,1]},\"motion\":{\"velocity\":"
            "[0,-2,0],\"spin\":[%.2f,%.2f,%.2f]},\"density\":1000,\"friction\":0.6,\"rolling_friction\":0.01}",
            x * cos(angle) - z * sin(angle), 1.2 + 0.85 * layer, x * sin(angle) + z * cos(angle),
            between(&random, -1, 1), between(&random, -1, 1), between(&random, -1, 1), between(&random, -2, 2),
            between(&random, -2, 2), between(&random, -2, 2));
    }
    (void)fprintf(out, "]}\n");
    return show_case_close(out, "pile.json");
}
