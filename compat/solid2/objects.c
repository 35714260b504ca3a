/* Transforms of objects (B.3): every change is relative to the local coordinates of the current object. */
#include "state.h"

void dtSelectObject(DtObjectRef object)
{
    solid_state *s = tact_solid_state();
    if (tact_solid_find(object) == NULL)
        return;
    s->current = object;
    s->has_current = true;
}

static void load(tact_transform transform)
{
    solid_state *s = tact_solid_state();
    const object_entry *entry = s->has_current ? tact_solid_find(s->current) : NULL;
    if (entry != NULL)
        (void)tact_body_set_transform(s->world, entry->body, transform);
}

static void multiply(tact_transform inner)
{
    solid_state *s = tact_solid_state();
    const object_entry *entry = s->has_current ? tact_solid_find(s->current) : NULL;
    if (entry != NULL)
        load(tact_transform_compose(tact_body_get_transform(s->world, entry->body), inner));
}

void dtLoadIdentity(void) { load(tact_identity()); }

void dtLoadMatrixf(const float *m)
{
    if (m != NULL)
        load(tact_transform_from_matrixf(m));
}

void dtLoadMatrixd(const double *m)
{
    if (m != NULL)
        load(tact_transform_from_matrix(m));
}

void dtMultMatrixf(const float *m)
{
    if (m != NULL)
        multiply(tact_transform_from_matrixf(m));
}

void dtMultMatrixd(const double *m)
{
    if (m != NULL)
        multiply(tact_transform_from_matrix(m));
}

void dtTranslate(DtScalar x, DtScalar y, DtScalar z) { multiply(tact_at(x, y, z)); }

void dtRotate(DtScalar x, DtScalar y, DtScalar z, DtScalar w)
{
    multiply(tact_transform_make(tact_vec(0, 0, 0), (tact_quat){x, y, z, w}, tact_vec(1, 1, 1)));
}

void dtScale(DtScalar x, DtScalar y, DtScalar z)
{
    multiply(tact_transform_make(tact_vec(0, 0, 0), (tact_quat){0, 0, 0, 1}, tact_vec(x, y, z)));
}
