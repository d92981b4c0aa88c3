"""Writes of what a program consists, and under which licenses.

Usage: materials.py NAME VERSION BUILD COPYRIGHT BOM LIBRARY…: the package's name and version, the folder of its build by SwiftPM, the file
with the licenses to write, the bill of materials to write (CycloneDX 1.6), and libraries of the system that are linked into the
program: the name of a Debian package, or NAME=VERSION:FILE with its license.
"""
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

from cyclonedx.model import ExternalReference, ExternalReferenceType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

name, version, build, copyright, bom_file, *libraries = sys.argv[1:]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def packages():
    """What SwiftPM has fetched: name, version, address, license."""
    state = json.load(open(os.path.join(build, "workspace-state.json")))["object"]
    for one in sorted(state["dependencies"], key=lambda one: one["packageRef"]["identity"]):
        if one["packageRef"]["kind"] != "remoteSourceControl":
            continue
        folder = pathlib.Path(build, "checkouts", one["subpath"])
        files = [file for file in sorted(folder.iterdir()) if re.match(r"(?i)(license|notice)", file.name)]
        if not files:
            sys.exit(f"{folder} has no license")
        text = "\n".join(file.read_text() for file in files)
        yield one["packageRef"]["identity"], one["state"]["checkoutState"]["version"], one["packageRef"]["location"], text


def system():
    """The libraries of the system, and Swift's own."""
    for library in libraries:
        source, _, rest = library.partition("=")
        if rest:
            number, _, file = rest.partition(":")
            yield source, number, None, pathlib.Path(file).read_text()
        else:
            text = pathlib.Path("/usr/share/doc", source, "copyright").read_text(errors="replace")
            yield source, run("dpkg-query", "-W", "-f", "${Version}", source), None, text
    info = json.loads(run("swift", "-print-target-info"))
    share = pathlib.Path(info["paths"]["runtimeResourcePath"]).parent.parent / "share" / "swift"
    number = re.search(r"Swift version (\S+)", info["compilerVersion"]).group(1)
    yield "swift", number, "https://github.com/swiftlang/swift", (share / "LICENSE.txt").read_text()


bom = Bom()
bom.metadata.component = Component(name=name, version=version, type=ComponentType.APPLICATION, bom_ref=name)
moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
bom.metadata.timestamp = moment
bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, f"{name} {version} {moment.isoformat()}")
with open(copyright, "w") as licenses:
    licenses.write(pathlib.Path("LICENSE").read_text())
    for component, number, address, text in [*packages(), *system()]:
        references = [ExternalReference(type=ExternalReferenceType.VCS, url=XsUri(address))] if address else []
        bom.components.add(Component(
            name=component, version=number, type=ComponentType.LIBRARY, bom_ref=component, external_references=references))
        licenses.write(f"\n\n{'=' * 80}\n{component} {number}, with which the program was built:\n\n{text}")
bom.register_dependency(bom.metadata.component, bom.components)
output = JsonV1Dot6(bom).output_as_string(indent=2)
if fault := JsonStrictValidator(SchemaVersion.V1_6).validate_str(output):
    sys.exit(f"the bill of materials is malformed: {fault}")
with open(bom_file, "w") as file:
    file.write(output + "\n")
