/* The natural order of file names: runs of digits compare as numbers, so f2 comes before f10. */
#ifndef TACT_TOOL_NATURAL_ORDER_H
#define TACT_TOOL_NATURAL_ORDER_H

/* Less than 0, 0 or greater than 0, as strcmp. A total order: 0 only for equal names. Numbers of any length. */
int tact_natural_compare(const char *a, const char *b);

#endif
