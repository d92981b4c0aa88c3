/// The interface as an OpenAPI 3.1 document, written by hand and part of the program.
enum OpenAPIDocument {
    static let text = String(decoding: PackageResources.openapi_yaml, as: UTF8.self)
}
