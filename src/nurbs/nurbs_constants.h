/* Caps and tolerances of src/nurbs. Each with its unit, the reason for its value, and the test that fails without it. */
#ifndef TACT_NURBS_NURBS_CONSTANTS_H
#define TACT_NURBS_NURBS_CONSTANTS_H

#endif
