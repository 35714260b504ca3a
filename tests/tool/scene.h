/* Scenes of `tact run` in tests. A file that includes this one defines _POSIX_C_SOURCE first. */
#ifndef TACT_TESTS_TOOL_SCENE_H
#define TACT_TESTS_TOOL_SCENE_H

#include "tool/folder.h"
#include "tool/run.h"

#define SCENE(end, response, bodies) "{\"end\":" end ",\"response\":\"" response "\",\"bodies\":[" bodies "]}"
#define BALL "\"shape\":{\"type\":\"sphere\",\"radius\":1}"
#define CUBE "\"shape\":{\"type\":\"box\",\"size\":[2,2,2]}"
#define AT(x) "\"place\":{\"translate\":[" #x ",0,0]}"
#define SPEED(x) "\"motion\":{\"velocity\":[" #x ",0,0]}"
#define TOUCH(t, a, b)                                                                                                 \
    "{\"t\":" t ",\"kind\":\"touch\",\"a\":\"" a "\",\"b\":\"" b "\",\"point\":[*,*,*],\"normal\":[*,*,*]}"

#define BEGIN(t, a, b)                                                                                                 \
    "{\"t\":" t ",\"kind\":\"begin\",\"a\":\"" a "\",\"b\":\"" b "\",\"point\":[*,*,*],\"normal\":[*,*,*]}"

/* Runs a scene with up to six more words, the last one followed by NULL. */
static inline outcome scene_run_with(const char *scene, const char *const *words)
{
    const char *all[9] = {"run", "scene.json"};
    for (int i = 0; i < 6 && words[i]; i++)
        all[2 + i] = words[i];
    file_put("scene.json", scene, strlen(scene));
    outcome o = tool_run(all, "", 0);
    assert_int_equal(unlink("scene.json"), 0);
    return o;
}

static inline outcome scene_run(const char *scene, const char *one, const char *other)
{
    return scene_run_with(scene, (const char *const[]){one, other, NULL});
}

static inline double number_after(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    assert_non_null(found);
    return strtod(found + strlen(key), NULL);
}

#endif
