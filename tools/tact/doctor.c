/*
 * The facts are collected as a list of names and values, which is printed as text or as JSON. Then the checks run
 * (doctor_checks.h). A missing optional part is a fact; a file that the environment names and that is not there is an
 * error, like a failed check.
 */
#define _POSIX_C_SOURCE 200809L

#include "doctor.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>
#include <unistd.h>

#include "byte_buffer.h"
#include "cad_file.h"
#include "core/avx2.h"
#include "core/parallel.h"
#include "doctor_checks.h"
#include "help.h"
#include "mesh_file_readers.h"
#include "run_format.h"
#include "view_page.h"

/* Bytes of a path, and of the text of a fact, which may hold two. */
#define PATH_BYTES 4096
#define TEXT_BYTES (3 * PATH_BYTES)

typedef struct doctor_report {
    bool json;
    bool good;
    byte_buffer out; /* of --json */
} doctor_report;

/* ---- printing ---- */

static void fact_add(doctor_report *r, const char *name, const char *format, ...) TACT_PRINTF_FORMAT(3, 4);

static void fact_add(doctor_report *r, const char *name, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!r->json) {
        (void)printf("  %-12s %s\n", name, text);
        return;
    }
    tact_buffer_add(&r->out, r->out.size > 0 ? "," : "{", 1);
    tact_buffer_add_json_string(&r->out, name);
    tact_buffer_add(&r->out, ":", 1);
    tact_buffer_add_json_string(&r->out, text);
}

/* ---- facts ---- */

static const char *sanitizers(void)
{
#if defined(__SANITIZE_ADDRESS__)
    return ", address sanitizer";
#elif defined(__SANITIZE_THREAD__)
    return ", thread sanitizer";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    return ", address sanitizer";
#elif __has_feature(thread_sanitizer)
    return ", thread sanitizer";
#else
    return "";
#endif
#else
    return "";
#endif
}

static void compiler_add(doctor_report *r)
{
#if defined(__clang__)
    const char *const compiler = "clang " __clang_version__;
#elif defined(__GNUC__)
    const char *const compiler = "gcc " __VERSION__;
#else
    const char *const compiler = "unknown";
#endif
#ifdef __OPTIMIZE__
    const char *const optimized = "optimized";
#else
    const char *const optimized = "not optimized";
#endif
#ifdef NDEBUG
    const char *const asserts = "without asserts";
#else
    const char *const asserts = "with asserts";
#endif
    fact_add(r, "compiler", "%s, %s, %s%s", compiler, optimized, asserts, sanitizers());
}

static const char *processor(void)
{
#if defined(__x86_64__) || defined(_M_X64)
    return "x86-64";
#elif defined(__aarch64__)
    return "arm64";
#elif defined(__i386__)
    return "x86, 32 bits";
#elif defined(__arm__)
    return "arm, 32 bits";
#elif defined(__riscv)
    return "riscv";
#else
    return "unknown";
#endif
}

static void machine_add(doctor_report *r)
{
#if TACT_HAVE_AVX2
    const char *const path = TACT_CPU_HAS_AVX2 ? "AVX2" : "SSE2 (the processor has no AVX2)";
#elif defined(__SSE2__) || defined(_M_X64)
    const char *const path = "SSE2";
#else
    const char *const path = "SSE2 through SIMDe";
#endif
    fact_add(r, "processor", "%s, %s; the results do not depend on it", processor(), path);
#ifdef TACT_HAVE_OPENMP
    fact_add(r, "threads", "%d, OpenMP", tact_parallel_threads(NULL));
#else
    fact_add(r, "threads", "1: built without OpenMP");
#endif
    const long cores = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    fact_add(r, "machine", "%ld cores, %.1f GiB of memory", cores, (double)pages * (double)page / 0x1p30);
    fact_add(r, "sizes", "pointer %zu, vector %zu, transform %zu, body handle %zu, contact point %zu bytes",
             sizeof(void *), sizeof(tact_vec3), sizeof(tact_transform), sizeof(tact_body), sizeof(tact_contact_point));
    fact_add(r, "formats", "record %d, run %d", TACT_RECORD_VERSION, RUN_VERSION);
}

/* Whether a file that a variable of the environment names is there. */
static void named_check(doctor_report *r, const char *variable, const char *path, bool found)
{
    const char *const given = getenv(variable);
    if (!given || !given[0] || found)
        return;
    r->good = false;
    fact_add(r, variable, "WRONG: names %s, which cannot be used", path);
}

static void parts_add(doctor_report *r)
{
    char path[PATH_BYTES];
    unsigned version[2];
    if (tact_mesh_assimp_version(version))
        fact_add(r, "mesh files", "PLY, OBJ, STL; others through Assimp %u.%u", version[0], version[1]);
    else
        fact_add(r, "mesh files", "PLY, OBJ, STL, glTF animations; built without Assimp, which reads other formats");
#ifdef TACT_HAVE_EXPAT
    fact_add(r, "model files", "URDF and X3D through expat; VRML97, glTF");
#else
    fact_add(r, "model files", "VRML97, glTF; built without expat, which reads URDF and X3D");
#endif
    const bool cad = tact_cad_program_find(path, sizeof path);
    if (cad)
        fact_add(r, "CAD files", "STEP, IGES through %s", path);
    else
        fact_add(r, "CAD files", "none: there is no program %s (build it with Open CASCADE)", path);
    named_check(r, "TACT_CAD", path, cad);
    const bool viewer = tact_view_page_find(path, sizeof path);
    if (viewer)
        fact_add(r, "viewer", "%s", path);
    else
        fact_add(r, "viewer", "none: `make viewer` builds it (needs Node 18)");
    named_check(r, "TACT_VIEWER", path, viewer);
#ifdef TACT_HAVE_NNG
    fact_add(r, "server", "built in (nng)");
#else
    fact_add(r, "server", "built without nng");
#endif
}

static void environment_add(doctor_report *r)
{
    static const char *const names[] = {"TACT_CAD", "TACT_VIEWER", "OMP_NUM_THREADS"};
    char text[TEXT_BYTES] = "";
    size_t length = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *const value = getenv(names[i]);
        if (value && length < sizeof text)
            length +=
                (size_t)snprintf(text + length, sizeof text - length, "%s%s=%s", length ? " " : "", names[i], value);
    }
    fact_add(r, "environment", "%s", length ? text : "none of TACT_CAD, TACT_VIEWER, OMP_NUM_THREADS is set");
}

/* ---- checks ---- */

static void checks_run(doctor_report *r)
{
    if (r->json)
        tact_buffer_add(&r->out, ",\"checks\":{", 11);
    else
        (void)printf("\nChecks\n");
    for (int i = 0; i < tact_doctor_check_count; i++) {
        const doctor_check *check = &tact_doctor_checks[i];
        char reason[DOCTOR_REASON] = "";
        const bool good = check->run(reason);
        r->good = r->good && good;
        if (!r->json) {
            (void)printf("  %-6s  %-12s %s\n", good ? "ok" : "FAILED", check->name, good ? check->what : reason);
            continue;
        }
        if (i > 0)
            tact_buffer_add(&r->out, ",", 1);
        tact_buffer_add_json_string(&r->out, check->name);
        tact_buffer_add(&r->out, ":", 1);
        tact_buffer_add_json_string(&r->out, good ? "ok" : reason);
    }
    if (r->json) {
        const char *const end = r->good ? "},\"good\":true}\n" : "},\"good\":false}\n";
        tact_buffer_add(&r->out, end, strlen(end));
    }
}

int tact_doctor_command(int argc, char **argv)
{
    doctor_report report = {.good = true};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return tact_help_command("doctor");
        if (strcmp(argv[i], "--json") != 0)
            return tact_help_usage("doctor", argv[i][0] == '-' ? "there is no option %s" : "it takes no file: %s",
                                   argv[i]);
        report.json = true;
    }
    fact_add(&report, "tact", "%d.%d.%d", TACT_VERSION_MAJOR, TACT_VERSION_MINOR, TACT_VERSION_PATCH);
    compiler_add(&report);
    machine_add(&report);
    parts_add(&report);
    environment_add(&report);
    checks_run(&report);
    if (report.json && !report.out.failed)
        (void)fwrite(report.out.data, 1, report.out.size, stdout);
    else if (!report.json)
        (void)printf("\n%s\n", report.good ? "All is well." : "Something is wrong: see above.");
    report.good = report.good && !report.out.failed;
    tact_buffer_release(&report.out);
    return report.good ? 0 : 1;
}
