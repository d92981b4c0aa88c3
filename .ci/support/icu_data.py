"""Reduces the data of ICU, 34 MB in every program that uses Foundation, to what is in English and of no language.

Usage: icu_data.py DATA OUTPUT. The data is a common data file of ICU: a header that begins with its length in two bytes, the number of
items in four, for each item the offsets of its name and of its content in four each, from the header's end; names are sorted.
https://unicode-org.github.io/icu/userguide/icu_data/#icu-data-file-formats
"""
import re
import struct
import sys

source, output = sys.argv[1:]
with open(source, "rb") as file:
    data = file.read()
header = struct.unpack_from("<H", data)[0]
(count,) = struct.unpack_from("<I", data, header)
entries = [struct.unpack_from("<II", data, header + 4 + 8 * index) for index in range(count)]
ends = [start for _, start in entries[1:]] + [len(data) - header]


def is_kept(name):
    """Not the tables of old encodings, of word breaks, of transliteration and of collation, and no language but English."""
    *folder, file = name.split("/")[1:]
    if file.endswith(".cnv") or folder and folder[0] in ("brkitr", "translit", "coll"):
        return False
    language = re.match(r"([a-z]{2,3})(_\w+)?\.res$", file)
    return not language or language[1] == "en"


kept = []
for (name_start, start), end in zip(entries, ends):
    name = data[header + name_start:data.index(b"\0", header + name_start)]
    if is_kept(name.decode()):
        kept.append((name + b"\0", data[header + start:header + end]))

names = b"".join(name for name, _ in kept)
contents = 4 + 8 * len(kept)
position = contents + len(names) + -(header + contents + len(names)) % 16
table, name_start, body = struct.pack("<I", len(kept)), contents, b""
for name, content in kept:
    table += struct.pack("<II", name_start, position + len(body))
    name_start += len(name)
    body += content + bytes(-len(content) % 16)
with open(output, "wb") as file:
    file.write(data[:header] + (table + names).ljust(position, b"\0") + body)
