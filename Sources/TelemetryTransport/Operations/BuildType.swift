/// The build configuration of the package, for debug information.
package enum BuildType {
    package static var current: String {
        #if DEBUG
        "DEBUG"
        #else
        "RELEASE"
        #endif
    }
}
