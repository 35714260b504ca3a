/* POSIX, for stat. */
#define _POSIX_C_SOURCE 200809L

#include "command_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "help.h"

/* The largest value of --threads, far above the cores of a machine. Its error message repeats it. */
#define MAX_THREADS 1024

/* The = of a word --NAME=VALUE; NULL if it is no such word. */
static char *option_value(char *word)
{
    if (strncmp(word, "--", 2) != 0)
        return NULL;
    const size_t name = strspn(word + 2, "abcdefghijklmnopqrstuvwxyz-");
    return name > 0 && word[2 + name] == '=' ? word + 2 + name : NULL;
}

char **tact_option_split(int *argc, char **argv)
{
    char **words = calloc(2 * (size_t)*argc + 1, sizeof *words);
    int count = 0;
    bool ended = false;
    for (int i = 0; words && i < *argc; i++) {
        char *value = ended ? NULL : option_value(argv[i]);
        ended = ended || strcmp(argv[i], "--") == 0;
        words[count++] = argv[i];
        if (value) {
            *value = '\0';
            words[count++] = value + 1;
        }
    }
    *argc = count;
    return words;
}

bool tact_option_count(const char *text, unsigned long long max, unsigned long long *count)
{
    char *end;
    if (!text || text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *count = strtoull(text, &end, 10);
    return *end == '\0' && errno == 0 && *count <= max;
}

int tact_option_usage(const char *command, const char *option, const char *what, const char *text)
{
    return text ? tact_help_usage(command, "%s needs %s, not \"%.40s\"", option, what, text)
                : tact_help_usage(command, "%s needs %s", option, what);
}

int tact_option_threads(const char *command, const char *text, int *threads)
{
    unsigned long long count;
    if (!tact_option_count(text, MAX_THREADS, &count) || count == 0)
        return tact_option_usage(command, "--threads", "a number from 1 to 1024", text);
    *threads = (int)count;
    return 0;
}

int tact_option_output(const char *command, const char *option, const char *text, const char **path)
{
    if (!text || text[0] == '\0')
        return tact_option_usage(command, option, "the name of a file to write", NULL);
    *path = text;
    return 0;
}

bool tact_is_same_file(const char *a, const char *b)
{
    struct stat stat_a, stat_b;
    return strcmp(a, b) == 0 || (stat(a, &stat_a) == 0 && stat(b, &stat_b) == 0 && stat_a.st_dev == stat_b.st_dev &&
                                 stat_a.st_ino == stat_b.st_ino);
}

char *tact_path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return NULL;
    const size_t length = slash > path ? (size_t)(slash - path) : 1;
    char *folder = malloc(length + 1);
    if (folder) {
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    return folder;
}
