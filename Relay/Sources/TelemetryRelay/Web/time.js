let offset = 0;

/** Sets the difference between the relay's clock and this computer's, in milliseconds. */
export function setClockOffset(milliseconds) { offset = milliseconds; }

/** The relay's time, in milliseconds. */
export function now() { return Date.now() + offset; }

export function isoNow() { return new Date(now()).toISOString(); }

const two = (number) => String(number).padStart(2, "0");

/** A time of day with milliseconds, in the local time zone. */
export function clockText(milliseconds) {
    if (!Number.isFinite(milliseconds)) return "–";
    const date = new Date(milliseconds);
    return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** Date and time, in the local time zone. */
export function dateText(milliseconds) {
    if (!Number.isFinite(milliseconds)) return "–";
    const date = new Date(milliseconds);
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** A time at the axis of a chart of a span, both in milliseconds. */
export function axisText(milliseconds, span) {
    return span > 86_400_000 ? dateText(milliseconds).slice(5, 16) : clockText(milliseconds).slice(0, span < 600_000 ? 8 : 5);
}

/** A duration, rounded to its largest unit or two. */
export function durationText(milliseconds) {
    const seconds = Math.max(0, Math.round(milliseconds / 1000));
    if (seconds < 60) return `${seconds} s`;
    if (seconds < 600) return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
    const minutes = Math.round(seconds / 60);
    if (minutes < 60) return `${minutes} min`;
    const hours = Math.floor(minutes / 60);
    if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
    return `${Math.round(hours / 24)} days`;
}

export function agoText(milliseconds) {
    if (!Number.isFinite(milliseconds)) return "never";
    const age = now() - milliseconds;
    return age < 1500 ? "now" : `${durationText(age)} ago`;
}

/** A number with separators. Small fractions keep six significant digits. */
export function countText(number) {
    const isSmallFraction = typeof number === "number" && !Number.isInteger(number) && Math.abs(number) < 1_000;
    return number.toLocaleString("en", isSmallFraction ? { maximumSignificantDigits: 6 } : {});
}

/** A number and its unit: "1 event", "2 events". */
export function counted(number, unit) { return `${countText(number)} ${unit}${number === 1 ? "" : "s"}`; }

/** A size, rounded to a tenth of its largest unit. */
export function sizeText(bytes) {
    const units = [["GB", 2 ** 30], ["MB", 2 ** 20], ["KB", 2 ** 10]];
    const [unit, factor] = units.find(([, factor]) => bytes >= factor) ?? ["B", 1];
    return `${(bytes / factor).toFixed(factor === 1 ? 0 : 1)} ${unit}`;
}
