#include "natural_order.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Skips the leading zeros of a number; returns the number of digits after them. */
static size_t number_digits(const char **at)
{
    while (**at == '0')
        ++*at;
    size_t digits = 0;
    while (is_digit((*at)[digits]))
        digits++;
    return digits;
}

int tact_natural_compare(const char *a, const char *b)
{
    const char *x = a, *y = b;
    while (*x && *y) {
        if (!is_digit(*x) || !is_digit(*y)) {
            if (*x != *y)
                return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
            x++;
            y++;
            continue;
        }
        const size_t digits_x = number_digits(&x), digits_y = number_digits(&y);
        if (digits_x != digits_y)
            return digits_x < digits_y ? -1 : 1;
        const int order = strncmp(x, y, digits_x);
        if (order != 0)
            return order;
        x += digits_x;
        y += digits_y;
    }
    if (*x || *y)
        return *x ? 1 : -1;
    return strcmp(a, b); /* equal but for leading zeros */
}
