/// How the package was compiled, as debug information tells it.
package enum BuildType {
    package static var current: String {
        #if DEBUG
        "DEBUG"
        #else
        "RELEASE"
        #endif
    }
}
