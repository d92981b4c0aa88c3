import ArgumentParser
import Foundation
import ViewerKit

/// The option for the name of the person who sends a command.
struct IssuerOptions: ParsableArguments {
    @Option(
        name: .customLong("issuer"),
        help: """
            Your name, which is stored with what you send, and which the app can show to its user; "" stores none. Default: \
            \(CommandIssuer.variable), otherwise the name of this machine's user. A relay stores the token's name instead.
            """)
    var given: String?

    var name: String? { CommandIssuer.name(given: given, environment: ProcessInfo.processInfo.environment) }
}
