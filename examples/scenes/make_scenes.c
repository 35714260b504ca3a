/* Writes the larger scenes for `tact run`, and their meshes, to a folder:
 *
 *     make_scenes FOLDER
 *
 * rings.json     1,000 rings of 64 triangles that fly, rotate and pass through each other (after Coming and Staadt
 * 2006) models.json    100 tubes of 6,000 triangles and varying thickness, likewise spheres.json   216 elastic spheres
 * in a box
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

static const double turn = 6.28318530717958647692;

/* Portable random numbers: the high half of a linear congruential generator (Knuth's MMIX). */
static uint64_t state = 1;

static double between(double least, double most)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return least + (most - least) * (double)(state >> 32) * 0x1p-32;
}

static FILE *begin(const char *folder, const char *name)
{
    char path[1000];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        perror(path);
    return file;
}

/* A tube around a circle, `around` by `across` quadrilaterals of two triangles each; `waves` vary its thickness. */
static int write_tube(const char *folder, const char *name, int around, int across, double thickness, double waves)
{
    FILE *file = begin(folder, name);
    if (file == NULL)
        return 0;
    for (int i = 0; i < around; ++i)
        for (int k = 0; k < across; ++k) {
            const double a = turn * i / around, b = turn * k / across;
            const double thick = thickness * (1.0 + waves * cos(5.0 * a) * cos(2.0 * b)), far = 1.0 + thick * cos(b);
            (void)fprintf(file, "v %.4f %.4f %.4f\n", far * cos(a), far * sin(a), thick * sin(b));
        }
    for (int i = 0; i < around; ++i)
        for (int k = 0; k < across; ++k) {
            const int next = (i + 1) % around * across, here = i * across, after = (k + 1) % across;
            (void)fprintf(file, "f %d %d %d\nf %d %d %d\n", here + k + 1, next + k + 1, next + after + 1, here + k + 1,
                          next + after + 1, here + after + 1);
        }
    return fclose(file) == 0;
}

/* Bodies of one mesh with linear and angular velocities. */
static int write_moving_bodies(const char *folder, const char *name, const char *mesh, int count, double half_extent)
{
    FILE *file = begin(folder, name);
    if (file == NULL)
        return 0;
    (void)fprintf(file, "{\"end\":1,\"response\":\"none\",\"bodies\":[\n");
    for (int i = 0; i < count; ++i) {
        (void)fprintf(file, "{\"shape\":{\"type\":\"mesh\",\"file\":\"%s\"},\"place\":{\"translate\":[", mesh);
        (void)fprintf(file, "%.3f,", between(-half_extent, half_extent));
        (void)fprintf(file, "%.3f,", between(-half_extent, half_extent));
        (void)fprintf(file, "%.3f]},\"motion\":{\"velocity\":[", between(-half_extent, half_extent));
        (void)fprintf(file, "%.2f,", between(-3, 3));
        (void)fprintf(file, "%.2f,", between(-3, 3));
        (void)fprintf(file, "%.2f],\"spin\":[", between(-3, 3));
        (void)fprintf(file, "%.2f,", between(-2, 2));
        (void)fprintf(file, "%.2f,", between(-2, 2));
        (void)fprintf(file, "%.2f]}}%s\n", between(-2, 2), i + 1 < count ? "," : "");
    }
    (void)fprintf(file, "]}\n");
    return fclose(file) == 0;
}

static int write_spheres(const char *folder)
{
    static const char *const walls[] = {"left", "right", "bottom", "top", "back", "front"};
    FILE *file = begin(folder, "spheres.json");
    if (file == NULL)
        return 0;
    (void)fprintf(file, "{\"end\":5,\"response\":\"elastic\",\"bodies\":[\n");
    for (int i = 0; i < 6; ++i) {
        const int far = i % 2 ? 11 : -11;
        (void)fprintf(
            file,
            "{\"name\":\"%s\",\"shape\":{\"type\":\"box\",\"size\":[%s]},\"place\":{\"translate\":[%d,%d,%d]}},\n",
            walls[i],
            i < 2   ? "2,24,24"
            : i < 4 ? "24,2,24"
                    : "24,24,2",
            i < 2 ? far : 0, i / 2 == 1 ? far : 0, i > 3 ? far : 0);
    }
    for (int i = 0; i < 216; ++i) {
        (void)fprintf(file,
                      "{\"name\":\"ball %d\",\"shape\":{\"type\":\"sphere\",\"radius\":1},\"mass\":1,\"place\":{"
                      "\"translate\":[%d,%d,%d]},\"motion\":{\"velocity\":[",
                      i + 1, -8 + 3 * (i % 6), -8 + 3 * (i / 6 % 6), -8 + 3 * (i / 36));
        (void)fprintf(file, "%.3f,", between(-5, 5));
        (void)fprintf(file, "%.3f,", between(-5, 5));
        (void)fprintf(file, "%.3f]}}%s\n", between(-5, 5), i < 215 ? "," : "");
    }
    (void)fprintf(file, "]}\n");
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "make_scenes FOLDER\n");
        return 2;
    }
    return write_tube(argv[1], "ring.obj", 8, 4, 0.2, 0.0) && write_tube(argv[1], "tube.obj", 100, 30, 0.35, 0.3) &&
                   write_moving_bodies(argv[1], "rings.json", "ring.obj", 1000, 25.0) &&
                   write_moving_bodies(argv[1], "models.json", "tube.obj", 100, 10.0) && write_spheres(argv[1])
               ? 0
               : 1;
}
