/// The areas of the shop. Each has a logger with this label, and LiveTelemetry a scenario of the same name.
public enum Area: String, CaseIterable, Sendable {
    case catalogue = "Catalogue"
    case checkout = "Checkout"
    case payments = "Payments"
}
