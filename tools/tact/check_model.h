/* tact check of files with bodies (model_file.h): which bodies touch or overlap, and how far apart the others are. */
#ifndef TACT_TOOL_CHECK_MODEL_H
#define TACT_TOOL_CHECK_MODEL_H

#include "model_file.h"
#include "run_file.h"

typedef struct check_model_options {
    const char **paths;
    size_t path_count;
    model_options model; /* positions of joints */
    bool adjacent;       /* test bodies that a joint connects, too */
    bool json;
    size_t limit;     /* of the pairs of each list */
    double tolerance; /* of CAD files; 0: the default */
    run_paths run;
} check_model_options;

/* True if one of the files is a model. Then all files are tested by their bodies. */
bool tact_check_has_model(const char *const *paths, size_t count);

/* Returns the exit status. */
int tact_check_models(const check_model_options *options);

#endif
