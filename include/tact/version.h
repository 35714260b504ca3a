/* The version of Tact: the one place where it is written. The build reads it from here. */
#ifndef TACT_VERSION_H
#define TACT_VERSION_H

#define TACT_VERSION_MAJOR 0 /**< changes when programs must be edited */
#define TACT_VERSION_MINOR 1 /**< changes when something is added */
#define TACT_VERSION_PATCH 0 /**< changes when something is mended */

#endif
