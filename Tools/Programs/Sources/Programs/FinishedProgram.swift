public import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A program that has ended, with all that it wrote.
public struct FinishedProgram: Sendable {
    public let end: ProgramEnd
    public let output: [UInt8]
    public let errors: String

    /// The output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }

    /// The maximum number of bytes of the output, and of the errors.
    private static let limit = 64 << 20

    /// Runs a program to its end.
    /// - Parameters:
    ///   - environment: The variables that differ from those of this process; nil removes one.
    ///   - input: What the program reads from its standard input.
    /// - Throws: `SubprocessError` if the program cannot be started, or writes more than 64 MiB.
    public static func run(
        _ executable: URL, _ arguments: [String], environment: [String: String?] = [:], input: String = ""
    ) async throws -> Self {
        let result = try await Subprocess.run(
            .path(FilePath(executable.path)), arguments: Arguments(arguments), environment: .inherit(except: environment),
            platformOptions: .ownGroup, input: .string(input), output: .bytes(limit: limit), error: .string(limit: limit))
        return Self(end: ProgramEnd(result.terminationStatus), output: result.standardOutput, errors: result.standardError)
    }
}

extension PlatformOptions {
    /// A process group of its own, so that ^C in a terminal does not reach the program.
    static var ownGroup: Self {
        var options = Self()
        options.processGroupID = 0
        return options
    }
}

extension Environment {
    static func inherit(except variables: [String: String?]) -> Self {
        .inherit.updating(Dictionary(uniqueKeysWithValues: variables.map { (Key(stringLiteral: $0.key), $0.value) }))
    }
}
