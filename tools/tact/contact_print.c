#include "contact_print.h"

void tact_contact_print_features(FILE *out, const sweep_contact *c)
{
    if (c->kind == TACT_VERTEX_FACE)
        (void)fprintf(out, "vf %lu %lu", (unsigned long)c->index[0], (unsigned long)c->index[1]);
    else
        (void)fprintf(out, "ee %lu %lu %lu %lu", (unsigned long)c->index[0], (unsigned long)c->index[1],
                      (unsigned long)c->index[2], (unsigned long)c->index[3]);
}

void tact_contact_print_line(FILE *out, const sweep_contact *c)
{
    tact_contact_print_features(out, c);
    (void)fprintf(out, " %.17g %.17g\n", c->ccd.lower, c->ccd.upper);
}

void tact_contact_print_json(FILE *out, const sweep_contact *c)
{
    (void)fprintf(out, "\"t\":[%.17g,%.17g]", c->ccd.lower, c->ccd.upper);
    if (c->kind == TACT_VERTEX_FACE)
        (void)fprintf(out, ",\"vertex\":%lu,\"face\":%lu", (unsigned long)c->index[0], (unsigned long)c->index[1]);
    else
        (void)fprintf(out, ",\"edges\":[[%lu,%lu],[%lu,%lu]]", (unsigned long)c->index[0], (unsigned long)c->index[1],
                      (unsigned long)c->index[2], (unsigned long)c->index[3]);
}
