/* The version of Tact. The build reads it from here; it is written nowhere else. */
#ifndef TACT_VERSION_H
#define TACT_VERSION_H

#define TACT_VERSION_MAJOR 0 /**< increases when programs must be edited */
#define TACT_VERSION_MINOR 1 /**< increases when something is added; before 1.0 programs may have to be edited */
#define TACT_VERSION_PATCH 0 /**< increases when something is fixed */

#endif
