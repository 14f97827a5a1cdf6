/*
 * LD_PRELOAD for `trace-cmd record` on kernels that answer EPERM to everything about the function tracer
 * (lockdown, some cloud kernels). trace-cmd resets those control files before every recording and gives up when it
 * cannot open one of them, although a recording of events alone needs none. They are opened as /dev/null instead.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

static const char *const refused[] = {
    "/set_ftrace_", "/set_graph_", "/sys/kernel/ftrace_enabled", "/enabled_functions", "/stack_max_size",
};

static const char *instead_of(const char *path)
{
    if (path)
        for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
            if (strstr(path, refused[i]))
                return "/dev/null";
    return path;
}

static mode_t mode_argument(int flags, va_list rest)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_argument(flags, rest);
    va_end(rest);
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    return real(instead_of(path), flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_argument(flags, rest);
    va_end(rest);
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
    return real(instead_of(path), flags, mode);
}

FILE *fopen(const char *path, const char *how)
{
    FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");
    return real(instead_of(path), how);
}
