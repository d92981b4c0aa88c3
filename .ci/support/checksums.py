"""Checks the checksums in the examples of an article: FNV-1a, 32 bits, of a header, a run or a journal entry. Usage: checksums.py ARTICLE"""
import re
import sys


def checksum(text):
    hash = 2166136261
    for byte in text.encode():
        hash = (hash ^ byte) * 16777619 % 2**32
    return f"{hash:08x}"


count = 0
for number, line in enumerate(open(sys.argv[1], encoding="utf-8"), 1):
    example = re.fullmatch(r'\{"(?:header|run)":([\[{].*[\]}]),"checksum":"(\w{8})"\}\n|([BHRS] .*) ([0-9a-f]{8})\n', line)
    if not example:
        continue
    bytes, written = (group for group in example.groups() if group is not None)
    if checksum(bytes) != written:
        sys.exit(f"{sys.argv[1]}:{number}: the checksum is {checksum(bytes)}, not {written}")
    count += 1
if count == 0:
    sys.exit(f"{sys.argv[1]} has no checksums")
print(f"{count} checksums are those of their examples")
