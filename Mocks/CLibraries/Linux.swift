// The symbols that TelemetrySystem uses in addition on systems with Linux's kernel.

@_exported public import var Glibc.CLOCK_BOOTTIME
@_exported public import var Glibc.IN_CLOEXEC
@_exported public import var Glibc.IN_CREATE
@_exported public import var Glibc.IN_DELETE
@_exported public import var Glibc.IN_DELETE_SELF
@_exported public import var Glibc.IN_DONT_FOLLOW
@_exported public import var Glibc.IN_IGNORED
@_exported public import var Glibc.IN_MODIFY
@_exported public import var Glibc.IN_MOVED_FROM
@_exported public import var Glibc.IN_MOVED_TO
@_exported public import var Glibc.IN_MOVE_SELF
@_exported public import var Glibc.IN_NONBLOCK
@_exported public import var Glibc.IN_ONLYDIR
@_exported public import var Glibc.IN_Q_OVERFLOW
@_exported public import var Glibc.IN_UNMOUNT
@_exported public import func Glibc.fdatasync
@_exported public import func Glibc.inotify_add_watch
@_exported public import func Glibc.inotify_init1
@_exported public import func Glibc.inotify_rm_watch
@_exported public import func Glibc.posix_fallocate
