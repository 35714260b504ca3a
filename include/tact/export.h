/* Symbol visibility and C linkage. Only functions marked TACT_API are exported. */
#ifndef TACT_EXPORT_H
#define TACT_EXPORT_H

#if defined(_WIN32) && defined(TACT_SHARED)
#ifdef TACT_BUILDING
#define TACT_API __declspec(dllexport)
#else
#define TACT_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define TACT_API __attribute__((visibility("default")))
#else
#define TACT_API /**< marks a function of the public API */
#endif

#ifdef __cplusplus
#define TACT_BEGIN extern "C" {
#define TACT_END }
#else
#define TACT_BEGIN /**< opens the declarations of a public header */
#define TACT_END   /**< closes the declarations of a public header */
#endif

#endif
