/* POSIX, for readlink. */
#define _POSIX_C_SOURCE 200809L

#include "view_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base64.h"
#include "error_line.h"
#include "output_file.h"

/* Bytes of a path. */
#define VIEWER_PATH 4096

/* The pages that `make viewer` builds, and where each has a mark for what is inserted. */
#define VIEWER_NAME "viewer.html"
#define RUNS_MARK "<!-- tact runs -->"
#define LIVE_NAME "live.html"
#define LIVE_MARK "<!-- tact serve -->"

/* Bytes read at once: a multiple of 3, so that their base64 has no padding. */
#define CHUNK (3 * 16384)

/* Opens the first page of this name that exists. NULL: there is none. `path` gets its name, or the one that TACT_VIEWER
 * asks for: it names the viewer, and other pages are beside it. */
static FILE *page_open(const char *name, char path[VIEWER_PATH])
{
    static const char *const places[] = {"", "../share/tact/"};
    const char *const asked = getenv("TACT_VIEWER");
    path[0] = '\0';
    if (asked && asked[0]) {
        const char *const last = strrchr(asked, '/');
        if (strcmp(name, VIEWER_NAME) == 0)
            (void)snprintf(path, VIEWER_PATH, "%s", asked);
        else
            (void)snprintf(path, VIEWER_PATH, "%.*s%s", last ? (int)(last - asked) + 1 : 0, asked, name);
        return fopen(path, "rb");
    }
    char program[VIEWER_PATH];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return NULL;
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (!slash)
        return NULL;
    slash[1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char found[2 * VIEWER_PATH];
        (void)snprintf(found, sizeof found, "%s%s%s", program, places[i], name);
        FILE *file = strlen(found) < VIEWER_PATH ? fopen(found, "rb") : NULL;
        if (file) {
            (void)snprintf(path, VIEWER_PATH, "%.4095s", found);
            return file;
        }
    }
    return NULL;
}

static void missing_print(const char *path)
{
    if (path[0])
        (void)tact_error_line("%s: cannot be opened: %s (TACT_VIEWER names the viewer)", path, strerror(errno));
    else
        (void)tact_error_line(
            "tact: the viewer is not built: run `make viewer` in the source folder of Tact (needs Node "
            "18), or set TACT_VIEWER to its viewer.html");
}

bool tact_view_page_find(char *path, size_t size)
{
    char found[VIEWER_PATH];
    FILE *file = page_open(VIEWER_NAME, found);
    (void)snprintf(path, size, "%s", found);
    return file && fclose(file) == 0;
}

bool tact_view_page_check(void)
{
    char path[VIEWER_PATH];
    errno = 0;
    FILE *file = page_open(VIEWER_NAME, path);
    if (!file) {
        missing_print(path);
        return false;
    }
    (void)fclose(file);
    return true;
}

/* A whole page with a terminating zero; NULL: the reason has been printed. */
static char *page_read(const char *name, const char *mark)
{
    char path[VIEWER_PATH];
    errno = 0;
    FILE *file = page_open(name, path);
    if (!file) {
        missing_print(path);
        return NULL;
    }
    size_t used = 0, capacity = 1 << 20;
    char *text = malloc(capacity + 1);
    while (text) {
        used += fread(text + used, 1, capacity - used, file);
        if (used < capacity)
            break;
        char *more = realloc(text, 2 * capacity + 1);
        if (!more)
            free(text);
        text = more;
        capacity *= 2;
    }
    const bool bad = ferror(file) != 0;
    (void)fclose(file);
    if (!text || bad) {
        (void)tact_error_line("%s: cannot be read: %s", path, text ? strerror(errno) : "out of memory");
        free(text);
        return NULL;
    }
    text[used] = '\0';
    if (!strstr(text, mark)) {
        (void)tact_error_line("%s: is not the viewer of this version: build it again with `make viewer`", path);
        free(text);
        return NULL;
    }
    return text;
}

/* Writes a text into a quoted attribute. */
static void attribute_write(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            (void)fputs("&amp;", out);
            break;
        case '<':
            (void)fputs("&lt;", out);
            break;
        case '>':
            (void)fputs("&gt;", out);
            break;
        case '"':
            (void)fputs("&quot;", out);
            break;
        default:
            (void)fputc(*text, out);
        }
}

static bool run_write(FILE *out, FILE *run, const char *name)
{
    unsigned char bytes[CHUNK];
    size_t size;
    rewind(run);
    (void)fputs("<script type=\"application/x-tact-run\" data-name=\"", out);
    attribute_write(out, name);
    (void)fputs("\">", out);
    while ((size = fread(bytes, 1, sizeof bytes, run)) > 0)
        tact_base64_write(out, bytes, size);
    (void)fputs("</script>\n", out);
    return !ferror(run);
}

bool tact_view_page_write(const char *path, FILE *const *runs, const char *const *names, size_t count)
{
    char *viewer = page_read(VIEWER_NAME, RUNS_MARK);
    output_file output = {NULL, NULL, NULL};
    if (!viewer || !tact_output_file_open(&output, path)) {
        free(viewer);
        return false;
    }
    const char *mark = strstr(viewer, RUNS_MARK);
    bool good = true;
    (void)fwrite(viewer, 1, (size_t)(mark - viewer), output.file);
    for (size_t i = 0; i < count && good; i++) {
        good = run_write(output.file, runs[i], names[i]);
        if (!good)
            (void)tact_error_line("%s: cannot be read: %s", names[i], strerror(errno));
    }
    (void)fputs(mark + sizeof RUNS_MARK - 1, output.file);
    good = tact_output_file_close(&output, good) && good;
    free(viewer);
    return good;
}

bool tact_view_page_write_live(const char *path, const char *address, const char *token)
{
    char *page = page_read(LIVE_NAME, LIVE_MARK);
    output_file output = {NULL, NULL, NULL};
    if (!page || !tact_output_file_open(&output, path)) {
        free(page);
        return false;
    }
    const char *mark = strstr(page, LIVE_MARK);
    (void)fwrite(page, 1, (size_t)(mark - page), output.file);
    (void)fprintf(output.file,
                  "<script type=\"application/x-tact-serve\">{\"address\":\"%s\",\"token\":\"%s\"}</script>", address,
                  token);
    (void)fputs(mark + sizeof LIVE_MARK - 1, output.file);
    free(page);
    return tact_output_file_close(&output, true);
}
