/*
 * The interior-point method behind conic.h, included once for each precision with REAL, SQUARE_ROOT, EPSILON and SOLVE
 * defined. Mehrotra's predictor and corrector with Nesterov-Todd scaling, as in: Andersen, Roos, Terlaky, "On
 * implementing a primal-dual interior-point method for conic quadratic optimization", 2003. The program is tiny (5 to
 * 20 columns), so the normal equations are formed densely. Nothing here certifies anything: the judge does.
 */
#define CONIC_MOST_ITERATIONS 90

typedef struct scaling {
    REAL eta;
    REAL w[4]; /* second-order: the scaling point; half-line: unused */
} scaling;

typedef struct workspace {
    REAL x[CONIC_COLUMNS], dx[CONIC_COLUMNS], right[CONIC_COLUMNS];
    REAL s[CONIC_ROWS], z[CONIC_ROWS], lambda[CONIC_ROWS], lack[CONIC_ROWS];
    REAL ds[CONIC_ROWS], dz[CONIC_ROWS], q[CONIC_ROWS], target[CONIC_ROWS];
    REAL scaled[CONIC_ROWS][CONIC_COLUMNS]; /* W^-1 G */
    REAL matrix[CONIC_COLUMNS][CONIC_COLUMNS];
    scaling scale[CONIC_BLOCKS];
} workspace;

/* sqrt(v0^2 - |v1|^2), by factors so that little is lost near the boundary; not positive when v is not inside. */
static REAL inside(const REAL *v, int size)
{
    REAL square = 0;
    for (int i = 1; i < size; i++)
        square += v[i] * v[i];
    REAL length = SQUARE_ROOT(square);
    if (!(v[0] > length))
        return -1;
    return SQUARE_ROOT((v[0] - length) * (v[0] + length));
}

/* v = W^-1 v (inverse) or W v */
static void rescale(const scaling *scale, REAL *v, int size, int stride, bool inverse)
{
    if (size == 1) {
        v[0] = inverse ? v[0] / scale->eta : v[0] * scale->eta;
        return;
    }
    REAL sign = inverse ? -1 : 1, factor = inverse ? 1 / scale->eta : scale->eta, along = 0, head = v[0];
    for (int i = 1; i < size; i++)
        along += scale->w[i] * v[i * stride];
    v[0] = factor * (scale->w[0] * head + sign * along);
    REAL more = sign * head + along / (1 + scale->w[0]);
    for (int i = 1; i < size; i++)
        v[i * stride] = factor * (v[i * stride] + more * scale->w[i]);
}

static void jordan(const REAL *u, const REAL *v, int size, REAL *product)
{
    if (size == 1) {
        product[0] = u[0] * v[0];
        return;
    }
    REAL head = u[0] * v[0];
    for (int i = 1; i < size; i++)
        head += u[i] * v[i];
    for (int i = 1; i < size; i++)
        product[i] = u[0] * v[i] + v[0] * u[i];
    product[0] = head;
}

/* The q with u o q = v. */
static void jordan_divide(const REAL *u, REAL *v, int size)
{
    if (size == 1) {
        v[0] /= u[0];
        return;
    }
    REAL det = inside(u, size), along = u[0] * v[0];
    for (int i = 1; i < size; i++)
        along -= u[i] * v[i];
    REAL head = along / (det * det);
    for (int i = 1; i < size; i++)
        v[i] = (v[i] - head * u[i]) / u[0];
    v[0] = head;
}

/* The scaling with W^-1 s = W z = lambda; false when s or z has left the cone. */
static bool find_scaling(const conic *p, workspace *work)
{
    for (int b = 0; b < p->blocks; b++) {
        int first = p->first[b], size = p->size[b];
        const REAL *s = work->s + first, *z = work->z + first;
        scaling *scale = &work->scale[b];
        REAL *lambda = work->lambda + first;
        if (size == 1) {
            if (!(s[0] > 0) || !(z[0] > 0))
                return false;
            scale->eta = SQUARE_ROOT(s[0] / z[0]);
            lambda[0] = SQUARE_ROOT(s[0] * z[0]);
            continue;
        }
        REAL s_det = inside(s, size), z_det = inside(z, size), both = 0;
        if (!(s_det > 0) || !(z_det > 0))
            return false;
        for (int i = 0; i < size; i++)
            both += (s[i] / s_det) * (z[i] / z_det);
        REAL gamma = SQUARE_ROOT((1 + both) / 2);
        scale->eta = SQUARE_ROOT(s_det / z_det);
        REAL square = 0;
        for (int i = 1; i < size; i++) {
            scale->w[i] = (s[i] / s_det - z[i] / z_det) / (2 * gamma);
            square += scale->w[i] * scale->w[i];
        }
        scale->w[0] = SQUARE_ROOT(1 + square); /* on the hyperboloid w0^2 - |w1|^2 = 1, whatever the rounding */
        for (int i = 0; i < size; i++)
            lambda[i] = z[i];
        rescale(scale, lambda, size, 1, false);
        if (!(inside(lambda, size) > 0))
            return false;
    }
    return true;
}

static void factorize(const conic *p, workspace *work)
{
    int n = p->columns;
    for (int b = 0; b < p->blocks; b++) {
        int first = p->first[b], size = p->size[b];
        for (int i = 0; i < size; i++)
            for (int j = 0; j < n; j++)
                work->scaled[first + i][j] = (REAL)p->g[first + i][j];
        for (int j = 0; j < n; j++)
            rescale(&work->scale[b], &work->scaled[first][j], size, CONIC_COLUMNS, true);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            work->matrix[i][j] = 0;
    for (int r = 0; r < p->rows; r++)
        for (int i = 0; i < n; i++)
            if (work->scaled[r][i] != 0)
                for (int j = 0; j <= i; j++)
                    work->matrix[i][j] += work->scaled[r][i] * work->scaled[r][j];
    for (int i = 0; i < n; i++) { /* Cholesky; a pivot lost to rounding fixes its variable for this step */
        REAL before = work->matrix[i][i];
        for (int j = 0; j <= i; j++) {
            REAL sum = work->matrix[i][j];
            for (int k = 0; k < j; k++)
                sum -= work->matrix[i][k] * work->matrix[j][k];
            if (j < i)
                work->matrix[i][j] = sum / work->matrix[j][j];
            else
                work->matrix[i][i] = sum > EPSILON * EPSILON * before ? SQUARE_ROOT(sum) : (REAL)1e60L;
        }
    }
}

static void solve_factored(const conic *p, workspace *work, REAL *v)
{
    int n = p->columns;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            v[i] -= work->matrix[i][k] * v[k];
        v[i] /= work->matrix[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            v[i] -= work->matrix[k][i] * v[k];
        v[i] /= work->matrix[i][i];
    }
}

/* With q = lambda \ target: W^-1 ds + W dz = q, G dx + ds = -lack, G^T dz = -residual. Leaves ds, dz scaled
 * (W^-1 ds and W dz). */
static void solve_step(const conic *p, workspace *work, const REAL *residual)
{
    for (int b = 0; b < p->blocks; b++) {
        int first = p->first[b], size = p->size[b];
        for (int i = 0; i < size; i++)
            work->q[first + i] = work->target[first + i];
        jordan_divide(work->lambda + first, work->q + first, size);
        for (int i = 0; i < size; i++)
            work->ds[first + i] = work->lack[first + i];
        rescale(&work->scale[b], work->ds + first, size, 1, true);
    }
    for (int j = 0; j < p->columns; j++) {
        work->dx[j] = -residual[j];
        for (int r = 0; r < p->rows; r++)
            work->dx[j] -= work->scaled[r][j] * (work->q[r] + work->ds[r]);
    }
    solve_factored(p, work, work->dx);
    for (int round = 0; round < 1; round++) { /* one refinement of the equation G^T dz = -residual */
        REAL left[CONIC_COLUMNS];
        for (int r = 0; r < p->rows; r++) {
            REAL g = 0;
            for (int j = 0; j < p->columns; j++)
                g += work->scaled[r][j] * work->dx[j];
            work->dz[r] = work->q[r] + work->ds[r] + g;
        }
        for (int j = 0; j < p->columns; j++) {
            left[j] = -residual[j];
            for (int r = 0; r < p->rows; r++)
                left[j] -= work->scaled[r][j] * work->dz[r];
        }
        solve_factored(p, work, left);
        for (int j = 0; j < p->columns; j++)
            work->dx[j] += left[j];
    }
    for (int r = 0; r < p->rows; r++) {
        REAL g = 0;
        for (int j = 0; j < p->columns; j++)
            g += work->scaled[r][j] * work->dx[j];
        work->dz[r] = work->q[r] + work->ds[r] + g;
        work->ds[r] = -work->ds[r] - g;
    }
}

/* How far lambda + step d stays inside the cone; `most` at most. */
static REAL longest(const conic *p, const workspace *work, const REAL *d, REAL most)
{
    for (int b = 0; b < p->blocks; b++) {
        int first = p->first[b], size = p->size[b];
        const REAL *l = work->lambda + first, *v = d + first;
        REAL need;
        if (size == 1) {
            need = -v[0] / l[0];
        } else {
            REAL det = inside(l, size), head = l[0] * v[0], square = 0;
            for (int i = 1; i < size; i++)
                head -= l[i] * v[i];
            head /= det;
            for (int i = 1; i < size; i++) {
                REAL t = v[i] - (head + v[0]) / (l[0] / det + 1) * (l[i] / det);
                square += t * t;
            }
            need = (SQUARE_ROOT(square) - head) / det;
        }
        if (need * most > 1)
            most = 1 / need;
    }
    return most;
}

int SOLVE(const conic *p, conic_judge *judge, void *context)
{
    workspace storage, *work = &storage;
    int degree = p->blocks, iteration, stuck = 0;
    REAL start_gap = 0;
    for (int j = 0; j < p->columns; j++)
        work->x[j] = (REAL)p->start[j];
    for (int r = 0; r < p->rows; r++) {
        work->s[r] = (REAL)p->h[r];
        for (int j = 0; j < p->columns; j++)
            work->s[r] -= (REAL)p->g[r][j] * work->x[j];
    }
    for (int b = 0; b < p->blocks; b++) { /* z a multiple of s^-1: on the central path */
        const REAL *s = work->s + p->first[b];
        REAL det = p->size[b] == 1 ? s[0] * s[0] : inside(s, p->size[b]) * inside(s, p->size[b]);
        for (int i = 0; i < p->size[b]; i++)
            work->z[p->first[b] + i] = (i ? -s[i] : s[0]) / (det * (REAL)degree);
    }
    for (iteration = 0; iteration < CONIC_MOST_ITERATIONS; iteration++) {
        REAL residual[CONIC_COLUMNS], gap = 0;
        for (int j = 0; j < p->columns; j++) {
            residual[j] = (REAL)p->c[j];
            for (int r = 0; r < p->rows; r++)
                residual[j] += (REAL)p->g[r][j] * work->z[r];
        }
        for (int r = 0; r < p->rows; r++) {
            gap += work->s[r] * work->z[r];
            work->lack[r] = work->s[r] - (REAL)p->h[r];
            for (int j = 0; j < p->columns; j++)
                work->lack[r] += (REAL)p->g[r][j] * work->x[j];
        }
        if (iteration == 0)
            start_gap = gap;
        real x[CONIC_COLUMNS], z[CONIC_ROWS];
        if (gap < (REAL)1e-3L * start_gap) {
            for (int j = 0; j < p->columns; j++)
                x[j] = (real)work->x[j];
            for (int r = 0; r < p->rows; r++)
                z[r] = (real)work->z[r];
            if (judge(context, x, z))
                break;
        }
        if (!find_scaling(p, work))
            break;
        factorize(p, work);
        for (int b = 0; b < p->blocks; b++) {
            int first = p->first[b];
            jordan(work->lambda + first, work->lambda + first, p->size[b], work->target + first);
            for (int i = 0; i < p->size[b]; i++)
                work->target[first + i] = -work->target[first + i];
        }
        solve_step(p, work, residual);
        REAL reach = longest(p, work, work->ds, 1);
        reach = longest(p, work, work->dz, reach);
        REAL mu = gap / (REAL)degree, rest = 1 - reach, sigma = rest * rest * rest;
        for (int b = 0; b < p->blocks; b++) {
            int first = p->first[b];
            REAL second[4];
            jordan(work->ds + first, work->dz + first, p->size[b], second);
            for (int i = 0; i < p->size[b]; i++)
                work->target[first + i] -= second[i];
            work->target[first] += sigma * mu;
        }
        solve_step(p, work, residual);
        REAL primal = longest(p, work, work->ds, 1e3L), dual = longest(p, work, work->dz, 1e3L);
        REAL near = 1 - rest * (REAL)0.1L;
        near = near < (REAL)0.9L ? (REAL)0.9L : near > (REAL)0.9999L ? (REAL)0.9999L : near;
        REAL step = primal < dual ? primal : dual;
        step = step * near < 1 ? step * near : 1;
        if (!(step > (REAL)1e-7L))
            break;
        if (step < (REAL)0.05L && ++stuck > 12)
            break;
        for (int j = 0; j < p->columns; j++)
            work->x[j] += step * work->dx[j];
        for (int b = 0; b < p->blocks; b++) {
            rescale(&work->scale[b], work->ds + p->first[b], p->size[b], 1, false);
            rescale(&work->scale[b], work->dz + p->first[b], p->size[b], 1, true);
        }
        for (int r = 0; r < p->rows; r++) {
            work->s[r] += step * work->ds[r];
            work->z[r] += step * work->dz[r];
        }
    }
    return iteration;
}
