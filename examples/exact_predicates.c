/* The side of a line: the textbook formula in doubles is wrong near the line, the exact predicate never is. */
#include <stdio.h>
#include <tact/tact.h>

static int sign(double x) { return (x > 0.0) - (x < 0.0); }

int main(void)
{
    const double b[2] = {12, 12}, c[2] = {24, 24}; /* the line y = x */
    const double step = 0x1p-53;                   /* the spacing of doubles between 0.5 and 1, where a is */
    int naive_wrong = 0, exact_wrong = 0;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
            double a[2] = {0.5 + i * step, 0.5 + j * step};
            int truth = sign(a[1] - a[0]); /* above the line, the path a, b, c turns left */
            naive_wrong += sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) != truth;
            exact_wrong += tact_orient2d(a, b, c) != truth;
        }
    printf("of 4096 points the formula misplaces %d, tact_orient2d %d\n", naive_wrong, exact_wrong);
    return naive_wrong > 0 && exact_wrong == 0 ? 0 : 1;
}
