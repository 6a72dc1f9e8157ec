/// The HTTP server that gets readings as JSON.
package struct WebhookConfiguration: Sendable, Hashable {
    package var server: HTTPServerConfiguration
    /// The file with the token: a path, or a credential's name; `nil` for none.
    package var tokenFile: String?
    /// The header with the token; `Authorization` gets `Bearer` before it.
    package var header = Self.defaultHeader

    package static let defaultHeader = "Authorization"

    package init(server: HTTPServerConfiguration) { self.server = server }
}
