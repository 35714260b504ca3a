/* The benchmarks, `tact bench`: the experiments of the papers and the races against other libraries. */
#ifndef TACT_BENCH_BENCH_H
#define TACT_BENCH_BENCH_H

/* `tact bench [NAME...] [--quick] [--json] [--html FILE]`; argv[0] is the word "bench". Returns the exit status of the
 * tool: 0 done, 1 failed (no memory, a page that cannot be written, a wrong answer), 2 usage. */
int tact_bench_main(int argc, char **argv);

#endif
