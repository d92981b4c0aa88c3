"""Writes one package with the targets of several packages, so that what they share is built once.

Usage: workspace.py OUTPUT PACKAGE…: folders of packages, relative to the project's root, which is the current folder. FOLDER:TARGET,…
is a part of a package: these targets, and what they depend on.

The output contains a symbolic link to each entry of the project's root, so that a target's files have the same paths as in the project.
Every trait is enabled. What a package shows to itself only, by the access level `package`, stays hidden from the others.
"""
import json
import os
import subprocess
import sys

# What a target's description may say; anything else would be lost.
KNOWN = {
    "dependencies", "exclude", "name", "packageAccess", "path", "pkgConfig", "providers", "resources", "settings", "type"}

# Platforms whose names in a manifest differ from those in its description.
PLATFORMS = {"ios": "iOS", "macos": "macOS", "tvos": "tvOS", "visionos": "visionOS", "watchos": "watchOS"}


def swift(value):
    """A value in Swift."""
    return "[" + ", ".join(map(swift, value)) + "]" if isinstance(value, list) else json.dumps(value, ensure_ascii=False)


def call(function, *positional, **named):
    """A call in Swift; arguments without a value are omitted."""
    arguments = [*positional, *(f"{name}: {value}" for name, value in named.items() if value)]
    return f"{function}({', '.join(arguments)})"


def array(values):
    return "[" + ", ".join(values) + "]" if values else None


class Workspace:
    def __init__(self, parts):
        self.packages, self.targets, self.kept = {}, {}, []
        for part in parts:
            folder, _, names = part.partition(":")
            self.add(folder, names.split(",") if names else None)

    def add(self, folder, names):
        dump = subprocess.run(["swift", "package", "--package-path", folder, "dump-package"], check=True, capture_output=True)
        package = json.loads(dump.stdout)
        self.packages[package["name"]] = package
        for target in package["targets"]:
            if unknown := target.keys() - KNOWN:
                sys.exit(f"{target['name']}: {', '.join(sorted(unknown))} is not supported")
            path = target.get("path") or os.path.join("Tests" if target["type"] == "test" else "Sources", target["name"])
            declared = (target, os.path.normpath(os.path.join(folder, path)), package["name"])
            known = self.targets.setdefault(target["name"], declared)
            # Two packages may each describe the same library of C.
            if known is not declared and (target["type"] != "system" or known[0] != target):
                sys.exit(f"{package['name']} and {known[2]} have different targets with the name {target['name']}")
        for name in names or [target["name"] for target in package["targets"]]:
            self.keep(name)

    def keep(self, name):
        """Includes a target and those that it depends on."""
        if name in self.kept:
            return
        self.kept.append(name)
        target, _, package = self.targets[name]
        for dependency in target["dependencies"]:
            (kind, parts), = dependency.items()
            if kind != "product":
                self.keep(parts[0])
            elif parts[1] in self.packages:
                for target in self.product(*parts[:2], package):
                    self.keep(target)

    def product(self, name, owner, user):
        """The targets of a product of one of these packages."""
        for product in self.packages[owner]["products"]:
            if product["name"] == name:
                return product["targets"]
        sys.exit(f"{user}: {owner} has no product {name}")

    def dependencies(self, value, package):
        (kind, parts), = value.items()
        condition = None
        if parts[-1]:
            condition = call(
                ".when", platforms=array(["." + PLATFORMS.get(name, name) for name in parts[-1].get("platformNames", [])]),
                traits=swift(parts[-1]["traits"]) if parts[-1].get("traits") else None)
        if kind != "product":
            return [call(".target", name=swift(parts[0]), condition=condition)]
        if parts[1] not in self.packages:
            return [call(".product", name=swift(parts[0]), package=swift(parts[1]), condition=condition)]
        return [call(".target", name=swift(name), condition=condition) for name in self.product(*parts[:2], package)]

    def setting(self, value):
        if value.keys() != {"kind", "tool"} or value["tool"] != "swift":
            sys.exit(f"the setting {value} is not supported")
        (kind, parts), = value["kind"].items()
        if kind == "treatAllWarnings":
            return f".{kind}(as: .{parts['_0']})"
        return call(f".{kind}", *map(swift, parts.values()))

    def declaration(self, target, path, package):
        name = swift(target["name"])
        if target["type"] == "system":
            config = target.get("pkgConfig")
            return call(".systemLibrary", name=name, path=swift(path), pkgConfig=swift(config) if config else None)
        function = {"regular": ".target", "executable": ".executableTarget", "test": ".testTarget"}[target["type"]]
        dependencies = [one for value in target["dependencies"] for one in self.dependencies(value, package)]
        resources = [call(f".{next(iter(one['rule']))}", swift(one["path"])) for one in target["resources"]]
        settings = [self.setting(value) for value in target["settings"]]
        settings.append(call(".unsafeFlags", swift(["-package-name", package])))
        return call(
            function, name=name, dependencies=array(dependencies), path=swift(path),
            exclude=swift(target["exclude"]) if target["exclude"] else None, resources=array(resources), packageAccess="false",
            swiftSettings=array(settings))

    def remotes(self):
        """The other packages: of several ranges of versions, the highest lower and the lowest upper bound, and all traits."""
        found = {}
        for package in {self.targets[name][2] for name in self.kept}:
            for dependency in self.packages[package]["dependencies"]:
                for remote in dependency.get("sourceControl", []):
                    (bounds,) = remote["requirement"]["range"]
                    lower, upper = ([int(part) for part in bounds[end].split(".")] for end in ("lowerBound", "upperBound"))
                    known = found.setdefault(remote["identity"], {"lower": lower, "upper": upper, "traits": set()})
                    known["url"] = remote["location"]["remote"][0]["urlString"]
                    known["lower"], known["upper"] = max(known["lower"], lower), min(known["upper"], upper)
                    known["traits"].update(trait["name"] for trait in remote["traits"])
        used = {
            parts[1].lower() for name in self.kept for value in self.targets[name][0]["dependencies"]
            for kind, parts in value.items() if kind == "product"}
        for identity in sorted(used & found.keys()):
            one = found[identity]
            lower, upper = (swift(".".join(map(str, one[end]))) for end in ("lower", "upper"))
            traits = [".defaults" if name == "default" else swift(name) for name in sorted(one["traits"])]
            yield call(".package", f"url: {swift(one['url'])}", f"{lower}..<{upper}", f"traits: {array(traits) or '[]'}")

    def manifest(self):
        traits = sorted({
            trait["name"] for package in self.packages.values() for trait in package["traits"] if trait["name"] != "default"})
        lines = ["// swift-tools-version: 6.2", "// Written by .ci/support/workspace.py.", "import PackageDescription", ""]
        lines += ["let package = Package(", '    name: "Workspace",', '    defaultLocalization: "en",', "    platforms: [.macOS(.v15)],"]
        declared = [call(".default", enabledTraits=swift(traits)), *(call(".trait", name=swift(name)) for name in traits)]
        lines.append(f"    traits: {array(declared)},")
        lines += ["    dependencies: [", *(f"        {remote}," for remote in self.remotes()), "    ],"]
        lines += ["    targets: [", *(f"        {self.declaration(*self.targets[name])}," for name in self.kept), "    ])", ""]
        return "\n".join(lines)


def write(output, manifest):
    os.makedirs(output, exist_ok=True)
    for entry in os.listdir("."):
        link = os.path.join(output, entry)
        # Packages that the checks write are in .build-ci.
        if (entry.startswith(".") and entry != ".build-ci") or entry.startswith("Package.") or os.path.islink(link):
            continue
        os.symlink(os.path.relpath(entry, output), link)
    path = os.path.join(output, "Package.swift")
    # A manifest that did not change is not written, so that nothing is planned again.
    if not os.path.exists(path) or open(path).read() != manifest:
        with open(path, "w") as file:
            file.write(manifest)


write(sys.argv[1], Workspace(sys.argv[2:]).manifest())
