/*
 * Moments of cylinders and cones with a margin, where the placement keeps angles: bodies of revolution whose outline is
 * made of lines and arcs.
 *
 * With the distance q(y) of the outline from the axis, the volume is pi times the integral of q^2 dy, the covariance
 * along the axis follows from that of q^2 y and q^2 y^2, that across it from q^4 / 4. On a line these are polynomials
 * of degree 4 at most, on an arc of a half circle or less trigonometric ones of degree 6: Gauss' rule with 16 points is
 * exact for the former and right to rounding for the latter. Cost: 80 sines.
 */
#include "dynamics/moments.h"

#define PI 3.14159265358979323846

enum { RULE = 8 }; /* points of the rule on either side of the middle */

static const double node[RULE] = {0.09501250983763744019, 0.28160355077925891323, 0.45801677765722738634,
                                  0.61787624440264374845, 0.75540440835500303390, 0.86563120238783174388,
                                  0.94457502307323257608, 0.98940093499164993260};
static const double weight[RULE] = {0.18945061045506849629, 0.18260341504492358887, 0.16915651939500253819,
                                    0.14959598881657673208, 0.12462897125553387205, 0.09515851168249278481,
                                    0.06225352393864789286, 0.02715245941175409485};

/* The integrals over y of q^2, q^2 y, q^2 y^2 and q^4. */
typedef struct outline {
    double volume, first, along, across;
} outline;

static void add_at(outline *o, double q, double y, double dy)
{
    double f = q * q * dy;
    o->volume += f;
    o->first += f * y;
    o->along += f * y * y;
    o->across += f * q * q;
}

/* From (q0, y0) to (q1, y1). */
static void add_line(outline *o, double q0, double y0, double q1, double y1)
{
    for (int i = 0; i < 2 * RULE; i++) {
        double t = 0.5 + 0.5 * (i & 1 ? node[i / 2] : -node[i / 2]);
        add_at(o, q0 + t * (q1 - q0), y0 + t * (y1 - y0), 0.5 * weight[i / 2] * (y1 - y0));
    }
}

/* About (q, y) with that radius, between two angles from the level. */
static void add_arc(outline *o, double q, double y, double radius, double from, double to)
{
    for (int i = 0; i < 2 * RULE; i++) {
        double t = 0.5 + 0.5 * (i & 1 ? node[i / 2] : -node[i / 2]), a = from + t * (to - from), c = cos(a);
        add_at(o, q + radius * c, y + radius * sin(a), 0.5 * weight[i / 2] * (to - from) * radius * c);
    }
}

moments tact_moments_revolution(const tact_shape *shape, const tact_transform *at, double factor)
{
    /* lengths in the world, in units of their sum */
    double r = factor * shape->radius, h = factor * shape->half_height, unit = r + h + shape->margin;
    double m = shape->margin / unit;
    outline o = {0.0, 0.0, 0.0, 0.0};
    r /= unit;
    h /= unit;
    if (shape->type == TACT_CYLINDER) {
        add_arc(&o, r, -h, m, -0.5 * PI, 0.0);
        add_line(&o, r + m, -h, r + m, h);
        add_arc(&o, r, h, m, 0.0, 0.5 * PI);
    } else { /* the side of the cone leans by this much */
        double lean = atan2(r, 2.0 * h), s = m * sin(lean), c = m * cos(lean);
        add_arc(&o, r, -h, m, -0.5 * PI, lean);
        add_line(&o, r + c, -h + s, c, h + s);
        add_arc(&o, 0.0, h, m, lean, 0.5 * PI);
    }
    double centre = o.first / o.volume, along = o.along / o.volume - centre * centre,
           across = 0.25 * o.across / o.volume;
    moments local = {.dimension = 3, .measure = PI * o.volume, .centre = {0.0, centre, 0.0}};
    local.covariance = (sym3){.xx = across, .yy = along, .zz = across};
    /* the axes of the placement have the length `factor` */
    double scale = unit / factor;
    tact_transform stretched = {vec_scale(at->x_axis, scale), vec_scale(at->y_axis, scale),
                                vec_scale(at->z_axis, scale), at->origin};
    return tact_moments_transform(&local, &stretched);
}
