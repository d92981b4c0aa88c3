import ArgumentParser
import Foundation
import TelemetryRelay

struct AddressOptions: ParsableArguments {
    @Option(help: "The address to listen on (127.0.0.1).")
    var host: String?
    @Option(help: "The port to listen on (\(RelayConfiguration.defaultPort)); 0 for any.")
    var port: Int?
    @Option(help: "Write the port to this file once the relay accepts requests.", completion: .file())
    var portFile: String?
    @Option(help: "The certificate chain, in PEM.", completion: .file())
    var tlsCertificate: String?
    @Option(help: "The certificate's private key, in PEM.", completion: .file())
    var tlsKey: String?
    @Flag(help: "The relay is behind a proxy that terminates TLS and sets X-Forwarded-For.")
    var behindProxy = false
    @Flag(help: "Allow an address that other machines can reach without TLS; needs a token. Prefer --behind-proxy or TLS.")
    var allowRemote = false
    @Option(
        help: "A file with an additional viewer token, or with sha256: and its hash.", completion: .file())
    var tokenFile: String?

    func apply(to options: inout RelayOptions) {
        options.host = host
        options.numbers[.port] = port
        options.portFile = portFile
        options.tlsCertificate = tlsCertificate
        options.tlsKey = tlsKey
        options.behindProxy = behindProxy
        options.allowRemote = allowRemote
        options.tokenFile = tokenFile
    }
}

/// Signing in with OpenID Connect.
struct SignInOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The issuer whose ID tokens are accepted, as it is written in them.", valueName: "url"))
    var oidcIssuer: String?
    @Option(help: "The identifier that the issuer gave the relay.")
    var oidcClientID: String?
    @Option(help: "A file with the secret that the issuer gave the relay, if it did.", completion: .file())
    var oidcClientSecretFile: String?
    @Option(help: "The claim with the values that give roles (groups); dots lead into objects.")
    var oidcRoleClaim: String?
    @Option(
        help: ArgumentHelp(
            "The role of accounts with a value of the claim: viewer, reader or auditor.",
            discussion: "Repeat it for several: --oidc-role viewer=admins --oidc-role reader=support", valueName: "role=value"))
    var oidcRole: [String] = []

    func apply(to options: inout RelayOptions) {
        options.oidcIssuer = oidcIssuer
        options.oidcClientID = oidcClientID
        options.oidcClientSecretFile = oidcClientSecretFile
        options.oidcRoleClaim = oidcRoleClaim
        options.oidcRole = oidcRole
    }
}

struct MessageOptions: ParsableArguments {
    @Option(help: "The URL at which people open the page, for links in messages to webhooks.")
    var publicURL: String?
    @Option(help: "Whether messages to webhooks contain events: on or off (on).")
    var webhookSamples: String?

    func apply(to options: inout RelayOptions) {
        options.publicURL = publicURL
        options.webhookSamples = webhookSamples
    }
}
