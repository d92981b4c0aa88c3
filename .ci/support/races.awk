# Prints the thread sanitizer's reports, except for false positives. Usage: awk -v root=DIR -v guarded="A.swift B.swift" -f races.awk LOG
#
# Swift's Mutex on Linux waits inside a library that is not instrumented, so under contention the sanitizer reports two successive
# accesses as a race. The compiler ensures that state in a Mutex is accessed only inside `withLock`. Therefore a report is omitted
# if both accesses are in files whose state is guarded by a Mutex and that contain nothing unsafe or atomic: the files in `guarded`.
BEGIN { count = split(guarded, names, " "); for (i = 1; i <= count; i++) isGuarded[names[i]] = 1 }
/WARNING: ThreadSanitizer/ { reporting = 1; text = ""; accesses = 0; safe = 0; inAccess = 0 }
!reporting { next }
{ text = text substr($0, 1, 220) "\n" }
/^  [A-Z].* at 0x[0-9a-f]* by / && !/allocated by/ { accesses++; inAccess = 1; next }
/^ *$/ { inAccess = 0 }
inAccess && index($0, root "/") {
    file = substr($0, index($0, root "/"))
    sub(/\.swift.*/, ".swift", file)
    sub(/.*\//, "", file)
    if (file in isGuarded) safe++
    inAccess = 0
}
/^==================/ || /^SUMMARY: ThreadSanitizer/ {
    if (accesses < 2 || safe < accesses) print text
    reporting = 0
}
END { if (reporting && (accesses < 2 || safe < accesses)) print text }
