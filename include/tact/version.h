/* The version of Tact. The build reads it from here; it is written nowhere else. */
#ifndef TACT_VERSION_H
#define TACT_VERSION_H

#define TACT_VERSION_MAJOR 0 /**< increases with every incompatible change */
#define TACT_VERSION_MINOR 1 /**< increases with additions; before 1.0 also with incompatible changes */
#define TACT_VERSION_PATCH 0 /**< increases with fixes */

#endif
