/*
 * The quick search for the distance of two polytopes, and what it shares with the long one (narrow/gjk.c).
 */
#ifndef TACT_NARROW_QUICK_H
#define TACT_NARROW_QUICK_H

#include "narrow/gjk.h"

/* In floors: how far the nearest point may be from what its weights say, before its simplex is solved anew. */
#define GJK_SOUND 1.0

typedef struct goal {
    double accuracy; /* relative; of the distance */
    double enough;   /* a distance: beyond it only the fact matters */
    bool decide;     /* only whether the distance is beyond `enough` */
    bool simplex;    /* on GJK_TOUCH the simplex is wanted, of support points only */
} goal;

/* How the bounds stand to each other. */
typedef enum standing {
    BOUNDS_OPEN, /* there is still something to gain */
    BOUNDS_MET,  /* as near as is wanted, or as rounding allows */
    BOUNDS_CROSS /* the upper one is below the lower one: the simplex was solved with too few digits */
} standing;

/* From the gap between upper and lower bound and what it may be. */
static inline standing stand(double gap, double allowed)
{
    return gap > allowed ? BOUNDS_OPEN : gap >= -allowed ? BOUNDS_MET : BOUNDS_CROSS;
}

static inline bool is_zero(tact_vec3 a) { return a.x == 0.0 && a.y == 0.0 && a.z == 0.0; }

/* The search as long as all goes well; false: the long one is to begin anew. `enough` is want's, but at least `floor`, a length that rounding cannot
 * tell from zero; `axis` may be zero. The points are relative to the shapes' own origins. */
bool tact_quick(const convex *a, const convex *b, tact_vec3 offset, double floor, const goal *want, double enough,
                tact_vec3 axis, gjk *result);

#endif
